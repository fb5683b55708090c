/* Profiles and functions as prof-show --json prints them. */
#include "config.h"

#include "base/json_text.h"
#include "cmd/print/demangle.h"
#include "cmd/print/figure_rows.h"
#include "cmd/print/json_members.h"
#include "cmd/print/profile_json.h"
#include "format/values_json.h"
#include "model/record.h"

static void
profile_json_cutoffs(struct buf *b, const struct summary_entry *entries)
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
profile_json_value_figures(struct buf *b, const struct figures *g)
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
profile_json_ids(struct buf *b, const struct buf *ids)
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

void
profile_json_summary(struct buf *b, const struct profile_figures *p)
{
	const struct figures *g = p->figures;
	const struct prof_header *h = p->header;

	json_text_plain(b, "{");
	show_source_keys(b, &h->source);
	show_kind_keys(b, h);
	show_rows_json(b, g, SHOW_FUNCTIONS, SHOW_MAX_INTERNAL_COUNT);
	profile_json_value_figures(b, g);
	show_rows_json(b, g, SHOW_BITMAP_BYTES, SHOW_BINARY_IDS);
	if (p->ids != NULL)
		profile_json_ids(b, p->ids);
	json_member_number(b, "inputs", h->inputs == 0 ? 1 : h->inputs);
	if (p->heap != NULL)
		show_heap_rows_json(b, p->heap);
	show_data_json(b, g);
	if (p->entries != NULL)
		profile_json_cutoffs(b, p->entries);
	json_text_plain(b, "}");
}

/* With `changed`, a demangled name that equals the stored one is left out. */
static void
profile_json_demangled(struct buf *b, struct prof_span name, bool changed)
{
	struct buf plain = { 0 };
	struct prof_span made;

	show_name(&plain, name, true);
	made = buf_span(&plain);
	if (!changed || !prof_span_equal(made, name))
		json_member_bytes(b, "demangled", "demangled_hex", made);
	if (plain.failed)
		b->failed = true;
	buf_free(&plain);
}

void
profile_json_function(struct buf *b, const struct prof_function *f,
    unsigned parts)
{
	if (f->symbol.name.data != NULL)
		json_member_bytes(b, "name", "name_hex", f->symbol.name);
	else {
		json_member_key(b, "guid");
		json_text_id(b, f->symbol.guid);
	}
	if ((parts & (PROFILE_DEMANGLED | PROFILE_CHANGED)) != 0 &&
	    f->symbol.name.data != NULL)
		profile_json_demangled(b, f->symbol.name,
		    (parts & PROFILE_CHANGED) != 0);
	json_member_key(b, "hash");
	json_text_id(b, f->hash);
	if (prof_is_pseudo(f))
		json_member_text(b, "pseudo",
		    f->counts[0] == PROF_COUNT_HOT ? "hot" : "warm");
	else
		json_member_number(b, "max_count", figures_max_count(f));
	json_member_number(b, "counters", f->counts_size);
	if ((parts & PROFILE_COUNTS) != 0) {
		json_member_key(b, "counts");
		json_text_numbers(b, f->counts, f->counts_size);
	}
	if ((parts & PROFILE_VALUES) != 0) {
		json_member_key(b, "values");
		values_put_json(b, f->values);
	}
	if ((parts & PROFILE_BITMAP) != 0 && f->bitmap.size != 0) {
		json_member_key(b, "bitmap");
		json_text_hex(b, f->bitmap);
	}
}
