/*
 * prof-show --json: one object a line; numbers and names as in prof-stream(5).
 */
#include "config.h"

#include "base/json_member.h"
#include "cmd/show/show.h"
#include "cmd/common/json_members.h"

static const char *const value_kinds[PROF_VALUE_KINDS] = {
	"indirect_call_target", "mem_op_size", "vtable_target",
};

static void
put_cutoffs(struct buf *b, const struct summary_entry *entries)
{
	jkey(b, "cutoffs");
	jtext_plain(b, "[");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++) {
		jtext_plain(b, i == 0 ? "{" : ",{");
		jkey_number(b, "parts_per_million", entries[i].cutoff);
		jkey_number(b, "min_count", entries[i].min_count);
		jkey_number(b, "counters", entries[i].counts);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "]");
}

static void
put_value_figures(struct buf *b, const struct figures *g)
{
	jkey(b, "values");
	jtext_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		jkey(b, value_kinds[k]);
		jtext_plain(b, "{");
		jkey_number(b, "sites", g->sites[k]);
		jkey_number(b, "values", g->values[k]);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "}");
}

static void
put_heap(struct buf *b, const struct heap_figures *heap)
{
	jkey(b, "heap");
	jtext_plain(b, "{");
	jkey_number(b, "contexts", heap->contexts);
	jkey_number(b, "cold_contexts", heap->class_contexts[HEAP_COLD]);
	jkey_number(b, "count", heap->values[HEAP_COUNT]);
	jkey_number(b, "bytes", heap->values[HEAP_BYTES]);
	jtext_plain(b, "}");
}

static void
summary(struct buf *b, const struct prof_header *h, const struct figures *g,
    const struct heap_figures *heap, const struct summary_entry *entries)
{
	const struct summary *s = &g->summary;

	jtext_plain(b, "{");
	show_source_keys(b, &h->source);
	show_kind_keys(b, h);
	jkey_number(b, "functions", g->functions);
	jkey_number(b, "zero_functions", g->zero_functions);
	jkey_number(b, "pseudo_functions", g->pseudo_functions);
	jkey_number(b, "context_sensitive_functions", g->context_sensitive);
	jkey_number(b, "nameless_functions", g->nameless);
	jkey_number(b, "counters", s->blocks);
	jkey_number(b, "zero_counters", g->zero_counters);
	jkey_number(b, "total_count", s->total_block_count);
	jkey_number(b, "max_function_count", s->max_function_count);
	jkey_number(b, "max_internal_count", s->max_internal_block_count);
	put_value_figures(b, g);
	jkey_number(b, "bitmap_bytes", g->bitmap_bytes);
	jkey_number(b, "raw_counters", g->raw_counters);
	jkey_number(b, "vtables", g->vtables);
	jkey_number(b, "traces", g->traces);
	jkey_number(b, "binary_ids", g->binary_ids);
	jkey_number(b, "inputs", h->inputs == 0 ? 1 : h->inputs);
	if (heap != NULL)
		put_heap(b, heap);
	show_data_keys(b, g);
	if (entries != NULL)
		put_cutoffs(b, entries);
	jtext_plain(b, "}\n");
}

static void
put_value(struct buf *b, enum prof_value_kind kind,
    const struct prof_value *v)
{
	jtext_plain(b, "{");
	if (kind == PROF_MEM_OP_SIZE)
		jkey_number(b, "size", v->value);
	else if (v->name.data != NULL)
		jkey_bytes(b, "target", "target_hex", v->name);
	else {
		jkey(b, "target_guid");
		jtext_id(b, v->value);
	}
	jkey_number(b, "count", v->count);
	jtext_plain(b, "}");
}

static void
put_values(struct buf *b, const struct prof_function *f)
{
	jkey(b, "values");
	jtext_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size == 0)
			continue;
		jkey(b, value_kinds[k]);
		jtext_plain(b, "[");
		for (size_t i = 0; i < f->values[k].size; i++) {
			const struct prof_site *s = &f->values[k].sites[i];

			jtext_plain(b, i == 0 ? "[" : ",[");
			for (size_t n = 0; n < s->size; n++) {
				jtext_plain(b, n == 0 ? "" : ",");
				put_value(b, (enum prof_value_kind)k,
				    &s->values[n]);
			}
			jtext_plain(b, "]");
		}
		jtext_plain(b, "]");
	}
	jtext_plain(b, "}");
}

static void
put_demangled(struct buf *b, struct prof_span name)
{
	struct buf plain = { 0 };

	show_name(&plain, name, true);
	jkey_bytes(b, "demangled", "demangled_hex",
	    (struct prof_span){ plain.data, plain.size });
	if (plain.failed)
		b->failed = true;
	buf_free(&plain);
}

static void
function(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct prof_function *f)
{
	jtext_plain(b, "{");
	show_source_keys(b, &h->source);
	if (f->symbol.name.data != NULL)
		jkey_bytes(b, "name", "name_hex", f->symbol.name);
	else {
		jkey(b, "guid");
		jtext_id(b, f->symbol.guid);
	}
	if (style->demangle && f->symbol.name.data != NULL)
		put_demangled(b, f->symbol.name);
	jkey(b, "hash");
	jtext_id(b, f->hash);
	if (prof_is_pseudo(f))
		jkey_text(b, "pseudo",
		    f->counts[0] == PROF_COUNT_HOT ? "hot" : "warm");
	else
		jkey_number(b, "max_count", figures_max_count(f));
	jkey_number(b, "counters", f->counts_size);
	if (style->counts) {
		jkey(b, "counts");
		jtext_numbers(b, f->counts, f->counts_size);
	}
	if (style->values)
		put_values(b, f);
	jtext_plain(b, "}\n");
}

static void
heading(struct buf *b, const struct prof_header *h)
{
	(void)b;
	(void)h;
}

const struct show_face show_json = { heading, function, summary };
