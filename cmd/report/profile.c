/* One profile of a report: from its records to JSON and to plain HTML. */
#include "config.h"

#include "cmd/report/report.h"
#include <stdlib.h>
#include "base/numbers.h"
#include "base/error.h"
#include "base/json_text.h"
#include "cmd/print/print.h"
#include "model/mib.h"
#include "model/record.h"
#include "ops/heap/view.h"

/*
 * The heap of a profile: contexts as prof-show --heap --json --stacks --hot has
 * them, but for their frames, which are numbers; and plain HTML of the sites.
 */

static uint64_t
context_bytes(const struct heap_context *c)
{
	return c->info.value[heap_fields[HEAP_BYTES]];
}

/* Contexts with most bytes come first, equal ones in the order of arrival. */
static int
compare_contexts(const void *a, const void *b)
{
	const struct heap_context *const *x = a, *const *y = b;
	int by = compare_u64(context_bytes(*y), context_bytes(*x));

	return by != 0 ? by : (*x > *y) - (*x < *y);
}

static void
heap_context_json(struct buf *b, const struct heap_context *c)
{
	json_text_plain(b, "{");
	json_member_text(b, "class",
	    show_heap_classes[heap_classify(&c->info, false)].key);
	json_member_number(b, "site", c->site);
	json_member_key(b, "frames");
	json_text_plain(b, "[");
	for (size_t i = 0; i < c->size; i++) {
		json_text_plain(b, i == 0 ? "" : ",");
		json_text_number(b, c->frames[i]);
	}
	json_text_plain(b, "]");
	mib_put_info(b, &c->info);
	json_text_plain(b, "}");
}

static bool
heap_contexts_json(struct page_data *d, const struct heap *h, size_t limit)
{
	struct buf *b = &d->text;
	bool done = true;
	const size_t n = h->contexts_size;
	const struct heap_context **sorted = calloc(n + 1, sizeof(*sorted));

	if (sorted == NULL)
		return false;
	for (size_t i = 0; i < n; i++)
		sorted[i] = &h->contexts[i];
	qsort(sorted, n, sizeof(*sorted), compare_contexts);
	json_member_key(b, "contexts");
	json_text_plain(b, "[");
	for (size_t i = 0; i < n && i < limit && done; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		heap_context_json(b, sorted[i]);
		done = page_data_flush(d, false);
	}
	json_text_plain(b, "]");
	free(sorted);
	return done;
}

static bool
report_heap_json(struct page_data *d, const struct heap *h, size_t limit)
{
	struct buf *b = &d->text;

	json_text_plain(b, "{");
	json_member_key(b, "frames");
	json_text_plain(b, "[");
	for (size_t i = 0; i < h->frames_size; i++) {
		json_text_plain(b, i == 0 ? "\n" : ",\n");
		heap_frame_json(b, h, (uint32_t)i, true);
	}
	json_text_plain(b, "]");
	if (!heap_contexts_json(d, h, limit))
		return false;
	json_text_plain(b, "}");
	return !b->failed;
}

static void
plain_site(struct buf *b, const struct heap *h, const struct heap_site *s)
{
	size_t start;

	buf_text(b, "<tr>");
	page_cell_number(b, s->figures.values[HEAP_BYTES]);
	page_cell_number(b, s->figures.values[HEAP_COUNT]);
	page_cell_number(b, s->figures.contexts);
	start = page_cell_name(b);
	if (s->frame != HEAP_NO_FRAME)
		heap_put_name(b, h, &h->frames[s->frame], show_demangled);
	page_cell_end(b, start);
}

static bool
report_heap_plain(struct buf *b, const struct heap *h)
{
	struct heap_sites sites;
	bool done = heap_sites_make(&sites, h, HEAP_BYTES, false);

	if (done && sites.size != 0) {
		buf_text(b, "<table class=\"plain\">\n<thead><tr>"
		    "<th>bytes</th><th>allocations</th><th>contexts</th>"
		    "<th class=\"name\">site</th></tr></thead>\n<tbody>\n");
		for (size_t i = 0; i < sites.size && i < REPORT_PLAIN_ROWS;
		    i++)
			plain_site(b, h, &sites.sites[i]);
		buf_text(b, "</tbody>\n</table>\n");
	}
	heap_sites_free(&sites);
	return done && !b->failed;
}

/*
 * The data of a page: the objects of prof-show --json, and those of traces.
 */

/* The name, or the guid where no string can hold the name. */
static void
report_symbol_json(struct buf *b, const struct prof_symbol *s)
{
	if (s->name.data != NULL && json_text_fits(s->name))
		json_text_string(b, s->name);
	else
		json_text_id(b, prof_symbol_guid(s));
}

static void
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
	case COLUMN_COUNTERS: return e->function.counts_size;
	default: return top_is_pseudo(e) ? 0 : e->entries;
	}
}

static bool
report_columns_json(struct page_data *d, const struct top *t)
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
		if (!page_data_flush(d, false))
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
report_tallies_json(struct buf *b, const struct top *t)
{
	uint64_t tallies[TALLIES] = { 0 };

	for (size_t i = 0; i < t->size; i++) {
		const struct prof_function *f = &t->entries[i]->function;

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
report_functions_json(struct page_data *d, struct report_profile *p)
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
		profile_json_function(b, p->header.level,
		    &p->top.entries[i]->function, PROFILE_COUNTS |
		    PROFILE_VALUES | PROFILE_CHANGED | PROFILE_BITMAP);
		json_text_plain(b, "}");
		if (!page_data_flush(d, false))
			return false;
	}
	json_text_plain(b, p->top.size == 0 ? "]" : "\n]");
	return true;
}

bool
report_profile_json(struct page_data *d, struct report_profile *p)
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

/*
 * The part of a page that needs no JavaScript: totals, the first functions.
 * Foreign text is made XML before it is appended to the page.
 */

static void
plain_heading(struct buf *b, const struct report_profile *p)
{
	size_t start;

	buf_text(b, "<section class=\"profile\">\n<h2>");
	start = b->size;
	show_source(b, &p->header.source);
	markup_xml(b, start);
	buf_text(b, "</h2>\n<p>");
	start = b->size;
	show_kind(b, &p->header);
	markup_xml(b, start);
	buf_text(b, "</p>\n");
}

static void
plain_totals(struct buf *b, const struct report_profile *p)
{
	size_t start;

	buf_text(b, "<pre class=\"totals\">");
	start = b->size;
	if (p->header.kind != PROF_MEMPROF || p->figures.functions != 0)
		show_rows_people(b, &p->figures, SHOW_FUNCTIONS,
		    SHOW_BINARY_IDS);
	if (p->view != NULL) {
		const struct heap_figures sum = heap_figures_of(&p->heap,
		    false);

		show_heap_rows_people(b, &sum);
	}
	markup_xml(b, start);
	buf_text(b, "</pre>\n");
}

static void
plain_share(struct buf *b, double sum, double total)
{
	show_print(b, "<td>%.2f%%</td>", total == 0 ? 0 : 100 * sum / total);
}

static void
plain_function(struct buf *b, const struct report_profile *p,
    const struct top_entry *e, const char *class)
{
	size_t start;

	show_print(b, "<td class=\"%s\">%s</td>", class, class);
	page_cell_number(b, e->max);
	page_cell_number(b, e->function.counts_size);
	start = page_cell_name(b);
	show_function_name(b, p->header.level, &e->function, true);
	page_cell_end(b, start);
}

static void
plain_functions(struct buf *b, const struct report_profile *p,
    const struct summary_thresholds *thresholds)
{
	static const char *const classes[] = {
		[SUMMARY_HOT] = "hot", [SUMMARY_WARM] = "warm",
		[SUMMARY_COLD] = "cold",
	};
	double sum = 0;

	buf_text(b, "<table class=\"plain\">\n<thead><tr><th>share</th>"
	    "<th>running</th><th>class</th><th>largest</th>"
	    "<th>counters</th><th class=\"name\">function</th></tr></thead>\n"
	    "<tbody>\n");
	for (size_t i = 0; i < p->top.size && i < REPORT_PLAIN_ROWS; i++) {
		const struct top_entry *e = p->top.entries[i];

		sum += (double)e->sum;
		buf_text(b, "<tr>");
		plain_share(b, (double)e->sum, p->top.total);
		plain_share(b, sum, p->top.total);
		plain_function(b, p, e,
		    classes[summary_classify(thresholds, e->max)]);
	}
	buf_text(b, "</tbody>\n</table>\n");
}

bool
report_profile_plain(struct buf *b, const struct report_profile *p)
{
	struct summary_thresholds thresholds;

	if (!summary_thresholds(&p->figures.summary, &thresholds))
		return false;
	plain_heading(b, p);
	plain_totals(b, p);
	if (p->top.size != 0)
		plain_functions(b, p, &thresholds);
	if (p->view != NULL && !report_heap_plain(b, &p->heap))
		return false;
	buf_text(b, "</section>\n");
	return !b->failed;
}

/* One profile of a report, from its records. */

enum prof_status
report_profile_begin(struct report_profile *p, const struct prof_record *r,
    struct prof_error *err)
{
	const struct prof_header *h = &r->u.profile;

	/* Forgets the profile before. */
	arena_reset(&p->arena);
	p->header = *h;
	figures_free(&p->figures);
	top_clear(&p->top);
	p->top.order = TOP_SHARE;
	p->top.limit = p->limit;
	p->top.values = true;
	p->ids.size = p->traces.size = 0;
	order_free(p->order);
	p->order = NULL;
	heap_view_free(p->view);
	p->view = NULL;
	p->heap = (struct heap){ .contexts_size = 0 };
	if ((h->kind != PROF_INSTR &&
	    (p->view = heap_view_new(false)) == NULL) ||
	    ((h->flags & PROF_TEMPORAL) != 0 &&
	    (p->order = order_new()) == NULL) ||
	    !record_copy(&p->arena, PROF_REC_PROFILE, &p->header))
		return err_memory(err);
	/* The view numbers its profiles by their headers. */
	return p->view == NULL ? PROF_OK : heap_view_add(p->view, r, err);
}

enum prof_status
report_profile_add(struct report_profile *p, const struct prof_record *r,
    struct prof_error *err)
{
	if (r->kind == PROF_REC_BINARY) {
		digits_append_hex(&p->ids, r->u.build_id);
		buf_u8(&p->ids, '\n');
	}
	if (r->kind == PROF_REC_TRACE) {
		json_text_plain(&p->traces, p->traces.size == 0 ? "" : ",");
		report_trace_json(&p->traces, &r->u.trace);
	}
	if (p->ids.failed || p->traces.failed ||
	    !figures_add(&p->figures, &p->header, r) ||
	    (r->kind == PROF_REC_FUNCTION &&
	    !top_add(&p->top, &r->u.function)))
		return err_memory(err);
	if (p->view != NULL && heap_view_add(p->view, r, err) != PROF_OK)
		return PROF_FAIL;
	return p->order == NULL ? PROF_OK : order_add(p->order, r, err);
}

enum prof_status
report_profile_end(struct report_profile *p, struct prof_error *err)
{
	top_sort(&p->top, TOP_SHARE);
	if (p->view != NULL) {
		heap_view_name(p->view, p->names);
		p->heap = heap_view_get(p->view);
	}
	return p->order == NULL ? PROF_OK :
	    order_run(p->order, 0, p->threads, err);
}

void
report_profile_free(struct report_profile *p)
{
	arena_free(&p->arena);
	figures_free(&p->figures);
	top_clear(&p->top);
	buf_free(&p->ids);
	buf_free(&p->traces);
	order_free(p->order);
	heap_view_free(p->view);
	*p = (struct report_profile){ .limit = 0 };
}
