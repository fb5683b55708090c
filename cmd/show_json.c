/*
 * prof-show --json: one object a line; numbers and names as in prof-stream(5).
 */
#include "config.h"

#include "base/jtext.h"
#include "show.h"

static const char *const value_kinds[PROF_VALUE_KINDS] = {
	"indirect_call_target", "mem_op_size", "vtable_target",
};

static const char *const flag_keys[PROF_FLAGS] = {
	"context_sensitive", "entry_first", "loop_entries", "byte_coverage",
	"function_entry_only", "temporal", "debug_info_correlated",
	"binary_correlated", "salvaged",
};

static void
put_key(struct buf *b, const char *key)
{
	if (b->size != 0 && b->data[b->size - 1] != '{')
		jtext_plain(b, ",");
	jtext_plain(b, "\"");
	jtext_plain(b, key);
	jtext_plain(b, "\":");
}

static void
put_number(struct buf *b, const char *key, uint64_t n)
{
	put_key(b, key);
	jtext_number(b, n);
}

static void
put_text(struct buf *b, const char *key, const char *text)
{
	put_key(b, key);
	jtext_string(b, (struct prof_span){ (const uint8_t *)text,
	    strlen(text) });
}

static void
put_bytes(struct buf *b, const char *key, const char *hex_key,
    struct prof_span bytes)
{
	if (bytes.data == NULL)
		return;
	if (jtext_fits(bytes)) {
		put_key(b, key);
		jtext_string(b, bytes);
	} else {
		put_key(b, hex_key);
		jtext_hex(b, bytes);
	}
}

static void
put_source(struct buf *b, const struct prof_source *s)
{
	put_bytes(b, "file", "file_hex", s->file);
	put_bytes(b, "member", "member_hex", s->member);
	if (s->offset != 0)
		put_number(b, "offset", s->offset);
}

static void
put_kind(struct buf *b, const struct prof_header *h)
{
	static const char *const levels[] = {
		[PROF_LEVEL_IR] = "ir", [PROF_LEVEL_FRONTEND] = "frontend",
		[PROF_LEVEL_UNKNOWN] = NULL,
	};
	const struct prof_source *s = &h->source;

	if (s->format != NULL)
		put_text(b, "format", s->format);
	if (s->version != 0)
		put_number(b, "version", s->version);
	if (s->endian != 0)
		put_text(b, "endian", s->endian == 'b' ? "big" : "little");
	if (s->pointer_bits != 0)
		put_number(b, "pointer_bits", s->pointer_bits);
	if (levels[h->level] != NULL)
		put_text(b, "level", levels[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags >> i & 1) {
			put_key(b, flag_keys[i]);
			jtext_plain(b, "true");
		}
	}
}

static void
put_cutoffs(struct buf *b, const struct summary_entry *entries)
{
	put_key(b, "cutoffs");
	jtext_plain(b, "[");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++) {
		jtext_plain(b, i == 0 ? "{" : ",{");
		put_number(b, "parts_per_million", entries[i].cutoff);
		put_number(b, "min_count", entries[i].min_count);
		put_number(b, "counters", entries[i].counts);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "]");
}

static void
put_value_figures(struct buf *b, const struct figures *g)
{
	put_key(b, "values");
	jtext_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		put_key(b, value_kinds[k]);
		jtext_plain(b, "{");
		put_number(b, "sites", g->sites[k]);
		put_number(b, "values", g->values[k]);
		jtext_plain(b, "}");
	}
	jtext_plain(b, "}");
}

static void
summary(struct buf *b, const struct prof_header *h, const struct figures *g,
    const struct summary_entry *entries)
{
	const struct summary *s = &g->summary;

	jtext_plain(b, "{");
	put_source(b, &h->source);
	put_kind(b, h);
	put_number(b, "functions", g->functions);
	put_number(b, "zero_functions", g->zero_functions);
	put_number(b, "pseudo_functions", g->pseudo_functions);
	put_number(b, "context_sensitive_functions", g->context_sensitive);
	put_number(b, "nameless_functions", g->nameless);
	put_number(b, "counters", s->blocks);
	put_number(b, "zero_counters", g->zero_counters);
	put_number(b, "total_count", s->total_block_count);
	put_number(b, "max_function_count", s->max_function_count);
	put_number(b, "max_internal_count", s->max_internal_block_count);
	put_value_figures(b, g);
	put_number(b, "bitmap_bytes", g->bitmap_bytes);
	put_number(b, "raw_counters", g->raw_counters);
	put_number(b, "vtables", g->vtables);
	put_number(b, "traces", g->traces);
	put_number(b, "binary_ids", g->binary_ids);
	put_number(b, "inputs", h->inputs == 0 ? 1 : h->inputs);
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
		put_number(b, "size", v->value);
	else if (v->name.data != NULL)
		put_bytes(b, "target", "target_hex", v->name);
	else {
		put_key(b, "target_guid");
		jtext_id(b, v->value);
	}
	put_number(b, "count", v->count);
	jtext_plain(b, "}");
}

static void
put_values(struct buf *b, const struct prof_function *f)
{
	put_key(b, "values");
	jtext_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size == 0)
			continue;
		put_key(b, value_kinds[k]);
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
	put_bytes(b, "demangled", "demangled_hex",
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
	put_source(b, &h->source);
	if (f->symbol.name.data != NULL)
		put_bytes(b, "name", "name_hex", f->symbol.name);
	else {
		put_key(b, "guid");
		jtext_id(b, f->symbol.guid);
	}
	if (style->demangle && f->symbol.name.data != NULL)
		put_demangled(b, f->symbol.name);
	put_key(b, "hash");
	jtext_id(b, f->hash);
	if (prof_is_pseudo(f))
		put_text(b, "pseudo",
		    f->counts[0] == PROF_COUNT_HOT ? "hot" : "warm");
	else
		put_number(b, "max_count", figures_max_count(f));
	put_number(b, "counters", f->counts_size);
	if (style->counts) {
		put_key(b, "counts");
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
