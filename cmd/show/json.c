/*
 * prof-show --json: one object a line; numbers and names as in prof-stream(5).
 */
#include "config.h"

#include "base/json_member.h"
#include "cmd/show/rows.h"
#include "cmd/show/show.h"
#include "cmd/common/json_members.h"
#include "format/values_json.h"
#include "model/words.h"

static void
show_json_cutoffs(struct buf *b, const struct summary_entry *entries)
{
	json_member_key(b, "cutoffs");
	json_text_plain(b, "[");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++) {
		json_text_plain(b, i == 0 ? "{" : ",{");
		json_member_number(b, "parts_per_million", entries[i].cutoff);
		json_member_number(b, "min_count", entries[i].min_count);
		json_member_number(b, "counters", entries[i].counts);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

static void
show_json_value_figures(struct buf *b, const struct figures *g)
{
	json_member_key(b, "values");
	json_text_plain(b, "{");
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		json_member_key(b, words_value_kind[k]);
		json_text_plain(b, "{");
		json_member_number(b, "sites", g->sites[k]);
		json_member_number(b, "values", g->values[k]);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "}");
}

static void
show_json_ids(struct buf *b, const struct buf *ids)
{
	json_member_key(b, "build_ids");
	json_text_plain(b, "[");
	for (size_t i = 0, start = 0; !ids->failed && i < ids->size; i++) {
		if (ids->data[i] != '\n')
			continue;
		json_text_plain(b, start == 0 ? "\"" : ",\"");
		buf_put(b, ids->data + start, i - start);
		json_text_plain(b, "\"");
		start = i + 1;
	}
	json_text_plain(b, "]");
}

static void
show_json_summary(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct figures *g,
    const struct heap_figures *heap, const struct summary_entry *entries,
    const struct buf *ids)
{
	(void)style;
	json_text_plain(b, "{");
	show_source_keys(b, &h->source);
	show_kind_keys(b, h);
	show_rows_json(b, g, SHOW_FUNCTIONS, SHOW_MAX_INTERNAL_COUNT);
	show_json_value_figures(b, g);
	show_rows_json(b, g, SHOW_BITMAP_BYTES, SHOW_BINARY_IDS);
	if (ids != NULL)
		show_json_ids(b, ids);
	json_member_number(b, "inputs", h->inputs == 0 ? 1 : h->inputs);
	if (heap != NULL)
		show_heap_rows_json(b, heap);
	show_data_json(b, g);
	if (entries != NULL)
		show_json_cutoffs(b, entries);
	json_text_plain(b, "}\n");
}

static void
show_json_demangled(struct buf *b, struct prof_span name)
{
	struct buf plain = { 0 };

	show_name(&plain, name, true);
	json_member_bytes(b, "demangled", "demangled_hex",
	    (struct prof_span){ plain.data, plain.size });
	if (plain.failed)
		b->failed = true;
	buf_free(&plain);
}

static void
show_json_function(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct prof_function *f, double share)
{
	(void)share;
	json_text_plain(b, "{");
	show_source_keys(b, &h->source);
	if (f->symbol.name.data != NULL)
		json_member_bytes(b, "name", "name_hex", f->symbol.name);
	else {
		json_member_key(b, "guid");
		json_text_id(b, f->symbol.guid);
	}
	if (style->demangle && f->symbol.name.data != NULL)
		show_json_demangled(b, f->symbol.name);
	json_member_key(b, "hash");
	json_text_id(b, f->hash);
	if (prof_is_pseudo(f))
		json_member_text(b, "pseudo",
		    f->counts[0] == PROF_COUNT_HOT ? "hot" : "warm");
	else
		json_member_number(b, "max_count", figures_max_count(f));
	json_member_number(b, "counters", f->counts_size);
	if (style->counts) {
		json_member_key(b, "counts");
		json_text_numbers(b, f->counts, f->counts_size);
	}
	if (style->values) {
		json_member_key(b, "values");
		values_put_json(b, f->values, NULL);
	}
	json_text_plain(b, "}\n");
}

static void
show_json_heading(struct buf *b, const struct show_style *style,
    const struct prof_header *h)
{
	(void)b;
	(void)style;
	(void)h;
}

const struct show_face show_json = { show_json_heading, show_json_function,
    show_json_summary };
