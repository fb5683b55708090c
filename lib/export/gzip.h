/* export/gzip.h - gzip */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include "base/bytes.h"
#include "prof.h"

/* GZIP_FAST takes half the time and a tenth more bytes. */
enum gzip_effort { GZIP_USUAL, GZIP_FAST };

/* Appends the bytes as one gzip member without a name and with time 0. */
enum prof_status export_gzip(struct buf *, struct prof_span, enum gzip_effort,
    struct prof_error *);

#endif
