/*
 * cmd/page/page.h - a page of data for a browser, which asks for nothing else
 *
 * A program gives its data, its style and script, and plain HTML for those who
 * read the page without JavaScript.
 */
#ifndef CMD_PAGE_PAGE_H
#define CMD_PAGE_PAGE_H

#include "base/bytes.h"
#include "export/export.h"

/* The data of a page, which are deflated piece by piece.  All zero is empty. */
struct page_data {
	struct buf text;		/* that was not deflated yet */
	struct buf packed;		/* members of gzip */
	enum gzip_effort effort;
	struct gzip_stream *gzip;	/* NULL before the first bytes */
};

/*
 * Deflates the text if there is much, or if it is the last: then the next text
 * begins a member of its own.  False if out of memory.
 */
bool page_data_flush(struct page_data *, bool last);
void page_data_free(struct page_data *);

/*
 * Cells of a table in plain HTML.  The last cell of a row is a name, which the
 * caller appends between page_cell_name and page_cell_end, raw: the latter
 * makes it XML.
 */
void page_cell_number(struct buf *, uint64_t);
size_t page_cell_name(struct buf *);	/* where the name starts */
void page_cell_end(struct buf *, size_t start);

struct page {
	const char *title;
	struct prof_span style, script;	/* what stands in these elements */
	struct prof_span plain;		/* HTML */
	struct prof_span data;		/* packed */
	/* Writes the buffer and empties it; false if that has failed. */
	bool (*flush)(void *arg, struct buf *);
	void *arg;
};

/* Appends the page; what is large is flushed.  False if that has failed. */
bool page_put(struct buf *, const struct page *);

/*
 * cmd/page/page.html, embedded at build time: page_put places the part of that
 * name at each @WORD@.
 */
extern const struct prof_span page_template;

#endif
