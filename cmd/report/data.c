/*
 * The data of a page: the objects of prof-show --json, and those of traces.
 */
#include "config.h"

#include "base/json_member.h"
#include "cmd/common/profile_json.h"
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
	const struct heap_figures heap = report_heap_figures(&p->heap);
	const struct profile_figures f = { &p->header, &p->figures,
	    p->view == NULL ? NULL : &heap, entries, &p->ids };

	if (!summary_entries(&p->figures.summary, summary_cutoffs,
	    SUMMARY_CUTOFFS, entries))
		return false;
	json_member_key(b, "summary");
	profile_json_summary(b, &f);
	return true;
}

static void
report_functions_json(struct buf *b, const struct report_profile *p)
{
	json_member_key(b, "functions");
	json_text_plain(b, "[");
	for (size_t i = 0; i < p->top.size; i++) {
		json_text_plain(b, i == 0 ? "\n{" : ",\n{");
		profile_json_function(b, &p->top.entries[i]->function,
		    PROFILE_COUNTS | PROFILE_VALUES | PROFILE_CHANGED |
		    PROFILE_BITMAP);
		json_text_plain(b, "}");
	}
	json_text_plain(b, "]");
}

bool
report_profile_json(struct buf *b, const struct report_profile *p)
{
	json_text_plain(b, "{");
	if (!report_summary_json(b, p) || !report_thresholds_json(b, p))
		return false;
	report_functions_json(b, p);
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
		if (!report_heap_json(b, &p->heap, p->limit))
			return false;
	}
	json_text_plain(b, "}");
	return !b->failed;
}
