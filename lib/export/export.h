/*
 * export/export.h - heap profiles in the formats of other tools, and gzip
 *
 * The bytes depend on the contexts and the options alone, not on the format or
 * the order of the input files.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "model/heap.h"

struct export_options {
	/* The weight; formats with several values begin with this one. */
	enum heap_value by;
	bool lines;		/* folded: file and line behind functions */
	heap_name *name;	/* demangles names; NULL: names as stored */
};

/* Appends the whole file; PROF_E_MEMORY is the only failure. */
typedef enum prof_status export_write(struct buf *, const struct heap *,
    const struct export_options *, struct prof_error *);

/*
 * Folded stacks as flamegraph.pl reads them; pprof's protocol buffer, gzipped,
 * which a build without protobuf-c refuses.
 */
export_write export_folded, export_pprof;

/*
 * Appends bytes as text for strings that must be UTF-8 and fit a line.  Control
 * characters become \xNN; so do all bytes from 0x80 if the whole is not UTF-8.
 */
void export_text(struct buf *, struct prof_span);

/* Appends what heap_put_name gives for a frame, as export_text. */
void export_name(struct buf *, const struct heap *, uint32_t frame,
    heap_name *);

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
