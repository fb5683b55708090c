/*
 * zstd_read.h - zstd files as a source of bytes
 *
 * libarchive reads zstd too, but inflates to memory of its own, which would be
 * copied once more.
 */
#ifndef IO_ZSTD_READ_H
#define IO_ZSTD_READ_H

#include "prof.h"

struct zstd_reader;

/*
 * Pulls the packed bytes from the source.  All failures, of the source too, are
 * set in *err, which must outlive the reader.  NULL on failure.
 */
struct zstd_reader *zstd_reader_new(prof_pull *, void *arg,
    struct prof_error *err);

/* A prof_pull with the reader as its argument. */
ssize_t zstd_reader_pull(void *reader, void *data, size_t size);

void zstd_reader_free(struct zstd_reader *);	/* NULL is fine */

#endif
