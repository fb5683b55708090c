/*
 * archive.h - libarchive as a source of bytes
 *
 * An unpacker decompresses one stream, or returns the members of an archive one
 * after the other.
 */
#ifndef IO_ARCHIVE_H
#define IO_ARCHIVE_H

#include "prof.h"

#include "io/packing.h"

struct unpacker;

/* The source of the packed bytes. */
struct packed_source {
	prof_pull *pull;
	/* As lseek, -1 on failure; NULL if the bytes only come in order. */
	int64_t (*seek)(void *arg, int64_t offset, int whence);
	void *arg;
	/* Whether errors give offsets in these bytes. */
	bool has_offsets;
};

/*
 * All failures, of the source too, are set in *err, which must outlive the
 * unpacker.  NULL on failure.
 */
struct unpacker *unpacker_new(enum packing, const struct packed_source *,
    struct prof_error *err);

/*
 * The next member of an archive, or PROF_END.  *name is valid until the next
 * call.  PROF_FAIL if the member is no file with contents, or if the archive is
 * damaged; after damage, PROF_END follows.
 */
enum prof_status unpacker_next(struct unpacker *, const char **name);

/* When the member was modified, in seconds since 1970; 0 if it is not said. */
int64_t unpacker_time(const struct unpacker *);

/*
 * A prof_pull with the unpacker as its argument: the member's contents, or
 * those of the compressed stream.
 */
ssize_t unpacker_pull(void *unpacker, void *data, size_t size);

void unpacker_free(void *unpacker);	/* NULL is fine */

#endif
