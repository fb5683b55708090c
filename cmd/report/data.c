/*
 * The data of a page: the objects of prof-show --json, and those of traces.
 */
#include "config.h"

#include "base/json_text.h"
#include "cmd/print/profile_json.h"
#include "cmd/report/report.h"

/* The name, or the guid where no string can hold the name. */
static void
report_symbol_json(struct buf *b, const struct prof_symbol *s)
{
	if (s->name.data != NULL && json_text_fits(s->name))
		json_text_string(b, s->name);
	else
		json_text_id(b, prof_symbol_guid(s));
}

void
report_trace_json(struct buf *b, const struct prof_trace *t)
{
	json_text_plain(b, "{");
	json_member_number(b, "weight", t->weight);
	json_member_key(b, "functions");
	json_text_plain(b, "[");
	for (size_t i = 0; i < t->size; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		report_symbol_json(b, &t->functions[i]);
	}
	json_text_plain(b, "]}");
}

static void
report_order_json(struct buf *b, const struct order *order)
{
	json_text_plain(b, "[");
	for (size_t i = 0; i < order_size(order); i++) {
		const struct prof_symbol s = order_get(order, i).symbol;

		json_text_plain(b, i == 0 ? "" : ",");
		report_symbol_json(b, &s);
	}
	json_text_plain(b, "]");
}

/* The smallest counters that are hot, and the largest that are cold. */
static bool
report_thresholds_json(struct buf *b, const struct report_profile *p)
{
	struct summary_thresholds t;

	if (!summary_thresholds(&p->figures.summary, &t))
		return false;
	json_member_key(b, "thresholds");
	json_text_plain(b, "{");
	json_member_number(b, "hot", t.hot);
	json_member_number(b, "cold", t.cold);
	json_text_plain(b, "}");
	return true;
}

static bool
report_summary_json(struct buf *b, const struct report_profile *p)
{
	struct summary_entry entries[SUMMARY_CUTOFFS];
	const struct heap_figures heap = heap_figures_of(&p->heap, false);
	const struct profile_figures f = { &p->header, &p->figures,
	    p->view == NULL ? NULL : &heap, entries, &p->ids };

	if (!summary_entries(&p->figures.summary, summary_cutoffs,
	    SUMMARY_CUTOFFS, entries))
		return false;
	json_member_key(b, "summary");
	profile_json_summary(b, &f);
	return true;
}

/* One number of each function, for a page that reads the functions later. */
enum report_column { COLUMN_SUM, COLUMN_MAX, COLUMN_ENTRIES, COLUMN_COUNTERS,
	COLUMNS };

static uint64_t
report_column_value(const struct top_entry *e, enum report_column column)
{
	switch (column) {
	case COLUMN_SUM: return e->sum;
	case COLUMN_MAX: return e->max;
	case COLUMN_COUNTERS: return e->counts_size;
	default: return top_is_pseudo(e) ? 0 : e->entries;
	}
}

static bool
report_columns_json(struct report_data *d, const struct top *t)
{
	static const char *const keys[COLUMNS] = {
		[COLUMN_SUM] = "sum", [COLUMN_MAX] = "max",
		[COLUMN_ENTRIES] = "entries", [COLUMN_COUNTERS] = "counters",
	};
	struct buf *b = &d->text;

	json_member_key(b, "columns");
	json_text_plain(b, "{");
	for (int column = 0; column < COLUMNS; column++) {
		json_member_key(b, keys[column]);
		json_text_plain(b, "[");
		for (size_t i = 0; i < t->size; i++) {
			json_text_plain(b, i == 0 ? "" : ",");
			json_text_number(b, report_column_value(t->entries[i],
			    (enum report_column)column));
		}
		json_text_plain(b, "]");
		if (!report_data_flush(d, false))
			return false;
	}
	json_text_plain(b, "}");
	return true;
}

/* [rank, class] of functions with pseudo counts, of which there are few. */
static void
report_pseudo_json(struct buf *b, const struct top *t)
{
	bool any = false;

	json_member_key(b, "pseudo");
	json_text_plain(b, "[");
	for (size_t i = 0; i < t->size; i++) {
		const struct top_entry *e = t->entries[i];

		if (!top_is_pseudo(e))
			continue;
		json_text_plain(b, any ? ",[" : "[");
		any = true;
		json_text_number(b, i);
		json_text_plain(b, e->entries == PROF_COUNT_HOT ?
		    ",\"hot\"]" : ",\"warm\"]");
	}
	json_text_plain(b, "]");
}

enum { TALLIES = 65 };

/* How many counters are 0, and how many from 2^(i-1) to 2^i - 1. */
static void
report_tallies_json(struct buf *b, struct top *t)
{
	uint64_t tallies[TALLIES] = { 0 };

	for (size_t i = 0; i < t->size; i++) {
		const struct prof_function *f = top_function(t,
		    t->entries[i]);

		for (size_t k = 0; k < f->counts_size && !prof_is_pseudo(f);
		    k++)
			tallies[f->counts[k] == 0 ? 0 :
			    64 - __builtin_clzll(f->counts[k])]++;
	}
	json_member_key(b, "tallies");
	json_text_numbers(b, tallies, TALLIES);
}

/* Each function is a line, which the page finds without reading all. */
static bool
report_functions_json(struct report_data *d, struct report_profile *p)
{
	struct buf *b = &d->text;

	if (!report_columns_json(d, &p->top))
		return false;
	report_pseudo_json(b, &p->top);
	report_tallies_json(b, &p->top);
	json_member_key(b, "functions");
	json_text_plain(b, "[");
	for (size_t i = 0; i < p->top.size; i++) {
		json_text_plain(b, i == 0 ? "\n{" : ",\n{");
		profile_json_function(b, top_function(&p->top,
		    p->top.entries[i]), PROFILE_COUNTS | PROFILE_VALUES |
		    PROFILE_CHANGED | PROFILE_BITMAP);
		json_text_plain(b, "}");
		if (!report_data_flush(d, false))
			return false;
	}
	json_text_plain(b, p->top.size == 0 ? "]" : "\n]");
	return true;
}

bool
report_profile_json(struct report_data *d, struct report_profile *p)
{
	struct buf *b = &d->text;

	json_text_plain(b, "{");
	if (!report_summary_json(b, p) || !report_thresholds_json(b, p) ||
	    !report_functions_json(d, p))
		return false;
	if (p->order != NULL) {
		json_member_key(b, "traces");
		json_text_plain(b, "[");
		buf_put(b, p->traces.data, p->traces.size);
		json_text_plain(b, "]");
		json_member_key(b, "order");
		report_order_json(b, p->order);
	}
	if (p->view != NULL) {
		json_member_key(b, "heap");
		if (!report_heap_json(d, &p->heap, p->limit))
			return false;
	}
	json_text_plain(b, "}");
	return !b->failed;
}
