/*
 * zstd_read.h - zstd files as a source of bytes
 *
 * Beside libarchive, which inflates to memory of its own, from where the bytes
 * must be copied.
 */
#ifndef IO_ZSTD_READ_H
#define IO_ZSTD_READ_H

#include "prof.h"

struct zstd_reader;

/*
 * Pulls the packed bytes from the source.  All failures are set in *err, which
 * must outlive it, as those of the source are.  NULL on failure.
 */
struct zstd_reader *zstd_reader_new(prof_pull *, void *arg,
    struct prof_error *err);

/* A prof_pull with the reader as its argument. */
ssize_t zstd_reader_pull(void *reader, void *data, size_t size);

void zstd_reader_free(struct zstd_reader *);	/* NULL is fine */

#endif
