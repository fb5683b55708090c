/*
 * gunzip.h - gzip files as a source of bytes
 *
 * Beside libarchive, because that does not compare the checksums at the end of
 * gzip data (3.6; a changed byte often inflates without complaint).
 */
#ifndef IO_GUNZIP_H
#define IO_GUNZIP_H

#include "prof.h"

struct gunzip;

/*
 * Pulls the packed bytes from the source.  All failures are set in *err, which
 * must outlive it, as those of the source are.  NULL on failure.
 */
struct gunzip *gunzip_new(prof_pull *, void *arg, struct prof_error *err);

/* A prof_pull with the gunzip as its argument. */
ssize_t gunzip_pull(void *gunzip, void *data, size_t size);

void gunzip_free(struct gunzip *);	/* NULL is fine */

#endif
