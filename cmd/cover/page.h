/* cmd/cover/page.h - coverage as one HTML page */
#ifndef CMD_COVER_PAGE_H
#define CMD_COVER_PAGE_H

#include "cover/report.h"

struct cover_page_options {
	const char *title;
	bool source_less;		/* counts only */
	/*
	 * The lines of a path that a patch has: sorted ranges, up to *end,
	 * which do not overlap.  NULL: there is no patch.
	 */
	const struct cover_range *(*changed)(const void *arg, uint32_t path,
	    const struct cover_range **end);
	const void *arg;
};

/* Writes the page.  Sources that cannot be read are left out. */
enum prof_status cover_page_write(const struct cover_report *,
    const struct cover_page_options *, prof_sink *, void *arg,
    struct prof_error *);

/*
 * The bytes of a source, by its name as mapped or else where it was compiled.
 * False if it cannot be read, or is no file.
 */
bool cover_read_source(const struct cover *, uint32_t path, struct buf *);

/* The files of cmd/cover/page, embedded at build time. */
extern const struct prof_span cover_style, cover_script;

#endif
