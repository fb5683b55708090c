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
#include "export/export.h"
#include "ops/figures.h"
#include "ops/heap/view.h"
#include "ops/order/order.h"
#include "ops/top.h"
#include "prof.h"

/* Functions that a page shows without JavaScript. */
enum { REPORT_PLAIN_ROWS = 50 };

/* The data of a page: JSON, deflated as it is made.  All zero is empty. */
struct report_data {
	struct buf text;		/* that was not deflated yet */
	struct buf packed;
	struct gzip_stream *gzip;	/* NULL before the first bytes */
};

/* Deflates the text if there is much, or if it is the last. */
bool report_data_flush(struct report_data *, bool last);
void report_data_free(struct report_data *);

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
bool report_profile_json(struct report_data *, struct report_profile *);
bool report_profile_plain(struct buf *, const struct report_profile *);

/* Append the comparison of two profiles likewise. */
bool report_comparison_json(struct report_data *, const struct diff *);
bool report_comparison_plain(struct buf *, const struct diff *);

/*
 * Cells of a table in plain HTML.  The last cell of a row is a name, which the
 * caller appends between report_cell_name and report_cell_end, raw: the
 * latter makes it XML.
 */
void report_cell_number(struct buf *, uint64_t);
size_t report_cell_name(struct buf *);	/* where the name starts */
void report_cell_end(struct buf *, size_t start);

struct report_page {
	const char *title;
	struct prof_span plain;		/* HTML of all profiles */
	struct prof_span data;		/* gzipped JSON */
	/* Writes the buffer and empties it; false if that has failed. */
	bool (*flush)(void *arg, struct buf *);
	void *arg;
};

/* Appends the page; what is large is flushed.  False if that has failed. */
bool report_page_put(struct buf *, const struct report_page *);

/* The files of cmd/report/page, embedded at build time. */
/* The page; report_page_put places the part of that name at each @WORD@. */
extern const struct prof_span page_template;

/* What stands in its elements style and script. */
extern const struct prof_span page_style, page_script;

#endif
