/*
 * cmd/report/report.h - a report: profiles as one HTML page
 *
 * Each profile that ends becomes a JSON object of the page's data, and plain
 * HTML for those who read the page without JavaScript.
 */
#ifndef CMD_REPORT_REPORT_H
#define CMD_REPORT_REPORT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "ops/figures.h"
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
	size_t limit;			/* functions; SIZE_MAX: all */
	unsigned threads;
};

/* False if out of memory. */
bool report_profile_begin(struct report_profile *, const struct prof_header *);
enum prof_status report_profile_add(struct report_profile *,
    const struct prof_record *, struct prof_error *);

/* Sorts what was added, before one of the next two is called. */
enum prof_status report_profile_end(struct report_profile *,
    struct prof_error *);
void report_profile_free(struct report_profile *);

/* Appends a trace as a JSON object. */
void report_trace_json(struct buf *, const struct prof_trace *);

/* Append the profile as a JSON object, and as HTML.  False: no memory. */
bool report_profile_json(struct buf *, const struct report_profile *);
bool report_profile_plain(struct buf *, const struct report_profile *);

struct report_page {
	const char *title;
	struct prof_span plain;		/* HTML of all profiles */
	struct prof_span data;		/* gzipped JSON */
};

/* Appends the page. */
void report_page_put(struct buf *, const struct report_page *);

#endif
