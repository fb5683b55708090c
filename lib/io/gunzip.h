/*
 * gunzip.h - gzip files as a source of bytes
 *
 * libarchive 3.6 reads gzip too, but does not verify the checksum at the end,
 * so that damaged bytes would often pass.
 */
#ifndef IO_GUNZIP_H
#define IO_GUNZIP_H

#include "prof.h"

struct gunzip;

/*
 * Pulls the packed bytes from the source.  All failures, of the source too, are
 * set in *err, which must outlive the gunzip.  NULL on failure.
 */
struct gunzip *gunzip_new(prof_pull *, void *arg, struct prof_error *err);

/* A prof_pull with the gunzip as its argument. */
ssize_t gunzip_pull(void *gunzip, void *data, size_t size);

void gunzip_free(struct gunzip *);	/* NULL is fine */

#endif
