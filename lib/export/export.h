/*
 * export/export.h - heap profiles in the formats of other tools, and gzip
 *
 * A format is a row of export_formats.  The bytes depend on the contexts and
 * the options alone, not on the format or the order of the input files.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "model/heap.h"

struct export_options {
	/* The weight; formats with several values begin with this one. */
	enum heap_value by;
	bool lines;		/* folded: file and line behind functions */
	const char *title;	/* svg: of the picture; NULL: "heap profile" */
	heap_name *name;	/* demangles names; NULL: names as stored */
	prof_warn *warn;	/* svg: called if rows are left out; or NULL */
	void *warn_arg;
};

/* Appends the whole file; PROF_E_MEMORY is the only failure. */
typedef enum prof_status export_write(struct buf *, const struct heap *,
    const struct export_options *, struct prof_error *);

struct export_format {
	const char *name;	/* for --format */
	const char *suffix;	/* of files, without the dot */
	bool gzipped;
	export_write *write;
};

extern const struct export_format export_formats[];
extern const size_t export_formats_size;

/* The format of that name, or NULL. */
const struct export_format *export_format_named(const char *name);

/* Appends the difference of two profiles, A and B, as a flame graph in SVG. */
enum prof_status export_svg_pair(struct buf *, const struct heap *a,
    const struct heap *b, const struct export_options *, struct prof_error *);

/* GZIP_FAST takes half the time and a fifth more bytes. */
enum gzip_effort { GZIP_USUAL, GZIP_FAST };

/* One gzip member without a name and with time 0.  NULL: no memory. */
struct gzip_stream;
struct gzip_stream *gzip_stream_new(enum gzip_effort);

/* Appends what the bytes become; the last piece ends the member. */
enum prof_status gzip_stream_put(struct gzip_stream *, struct buf *,
    struct prof_span, bool last, struct prof_error *);
void gzip_stream_free(struct gzip_stream *);

#endif
