/*
 * zstd_write.h - zstd with a window that spans profiles of 21 MB and more
 *
 * As `zstd --long=27`: the largest window that decompressors accept by default.
 * libarchive 3.6 cannot set the window.
 */
#ifndef IO_ZSTD_WRITE_H
#define IO_ZSTD_WRITE_H

#include "prof.h"

struct zstd_writer;

/* NULL on failure. */
struct zstd_writer *zstd_writer_new(prof_sink *, void *arg,
    struct prof_error *);

/* 0, or an errno value. */
int zstd_writer_put(struct zstd_writer *, const void *, size_t);
int zstd_writer_finish(struct zstd_writer *);

void zstd_writer_free(struct zstd_writer *);	/* NULL is fine */

#endif
