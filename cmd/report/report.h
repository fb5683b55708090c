/*
 * cmd/report/report.h - a report: profiles as one HTML page
 *
 * Each profile that ends becomes a JSON object of the page's data, and plain
 * HTML for those who read the page without JavaScript.  So does the comparison
 * of two profiles.
 */
#ifndef CMD_REPORT_REPORT_H
#define CMD_REPORT_REPORT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "cmd/compare/compare.h"
#include "cmd/page/page.h"
#include "ops/figures.h"
#include "ops/heap/view.h"
#include "ops/order/order.h"
#include "ops/top.h"
#include "prof.h"

/* Functions that a page shows without JavaScript. */
enum { REPORT_PLAIN_ROWS = 50 };

/* All zero before the first profile. */
struct report_profile {
	struct prof_header header;	/* copied to the arena */
	struct arena arena;
	struct figures figures;
	struct top top;			/* functions by share */
	struct buf ids;			/* hex digits, a build id a line */
	struct buf traces;		/* JSON, with commas between */
	struct order *order;		/* NULL unless there are traces */
	struct heap_view *view;		/* NULL without heap records */
	struct heap heap;		/* of the view, at the end */
	const struct heap_names *names;	/* for frames without name */
	size_t limit;			/* functions, contexts; SIZE_MAX: all */
	unsigned threads;
};

/* The record is the header of the profile. */
enum prof_status report_profile_begin(struct report_profile *,
    const struct prof_record *, struct prof_error *);
enum prof_status report_profile_add(struct report_profile *,
    const struct prof_record *, struct prof_error *);

/* Sorts functions and contexts, which the JSON and HTML functions rely on. */
enum prof_status report_profile_end(struct report_profile *,
    struct prof_error *);
void report_profile_free(struct report_profile *);	/* all is zero then */

/* Append the profile as a JSON object, and as HTML.  False: no memory. */
bool report_profile_json(struct page_data *, struct report_profile *);
bool report_profile_plain(struct buf *, const struct report_profile *);

/* Append the comparison of two profiles likewise. */
bool report_comparison_json(struct page_data *, const struct diff *);
bool report_comparison_plain(struct buf *, const struct diff *);

/* The files of cmd/report/page, embedded at build time. */
extern const struct prof_span report_style, report_script;

#endif
