/* export/gzip.h - gzip */
#ifndef EXPORT_GZIP_H
#define EXPORT_GZIP_H

#include "base/bytes.h"
#include "prof.h"

/* Appends the bytes as one gzip member without a name and with time 0. */
enum prof_status export_gzip(struct buf *, struct prof_span,
    struct prof_error *);

#endif
