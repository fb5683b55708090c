/* io/zstd.h - zstd files as a source and as a sink of bytes */
#ifndef IO_ZSTD_H
#define IO_ZSTD_H

#include "prof.h"

/*
 * libarchive reads zstd too, but inflates to memory of its own, which would be
 * copied once more.
 */
struct zstd_reader;

/*
 * Pulls the packed bytes from the source.  All failures, of the source too, are
 * set in *err, which must outlive the reader.  NULL on failure.
 */
struct zstd_reader *zstd_reader_new(prof_pull *, void *arg,
    struct prof_error *err);

/* A prof_pull with the reader as its argument. */
ssize_t zstd_reader_pull(void *reader, void *data, size_t size);

void zstd_reader_free(void *reader);	/* NULL is fine */

/*
 * As `zstd --long=27`: a window that spans profiles of 21 MB and more, the
 * largest that decompressors accept by default.  libarchive 3.6 cannot set it.
 */
struct zstd_writer;

/* NULL on failure. */
struct zstd_writer *zstd_writer_new(prof_sink *, void *arg,
    struct prof_error *);

/* 0, or an errno value. */
int zstd_writer_put(struct zstd_writer *, const void *, size_t);
int zstd_writer_finish(struct zstd_writer *);

void zstd_writer_free(struct zstd_writer *);	/* NULL is fine */

#endif
