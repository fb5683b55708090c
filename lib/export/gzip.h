/* export/gzip.h - gzip */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include "base/bytes.h"
#include "prof.h"

/* GZIP_FAST takes half the time and a fifth more bytes. */
enum gzip_effort { GZIP_USUAL, GZIP_FAST };

/* Appends the bytes as one gzip member without a name and with time 0. */
enum prof_status export_gzip(struct buf *, struct prof_span, enum gzip_effort,
    struct prof_error *);

/* The same piece by piece; NULL: no memory. */
struct gzip_stream;
struct gzip_stream *gzip_stream_new(enum gzip_effort);

/* Appends what the bytes become; the last piece ends the member. */
enum prof_status gzip_stream_put(struct gzip_stream *, struct buf *,
    struct prof_span, bool last, struct prof_error *);
void gzip_stream_free(struct gzip_stream *);	/* NULL is fine */

#endif
