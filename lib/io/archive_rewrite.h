/*
 * archive_rewrite.h - a tar archive written again, with other contents of some
 * members
 *
 * Names, order, owners, modes, times, attributes, links and holes of members
 * stay, as far as libarchive reads and writes them.  The new archive has the
 * pax format, with extended headers for what ustar cannot hold.
 *
 *	while ((status = archive_rewrite_next(w, &member)) == PROF_OK) {
 *		look at archive_rewrite_contents(w, 8, &span);
 *		perhaps archive_rewrite_replace(w, other);
 *	}
 */
#ifndef IO_ARCHIVE_REWRITE_H
#define IO_ARCHIVE_REWRITE_H

#include "io/packing.h"
#include "prof.h"

struct archive_rewrite;

struct archive_rewrite_member {
	const char *name;
	uint64_t size;
	bool plain;		/* a regular file without holes */
};

/* Where the new archive goes; sink NULL: nowhere. */
struct archive_rewrite_target {
	prof_sink *sink;
	void *arg;
	enum packing packing;	/* compresses it */
	/* That sparse members may have together: a hole takes no bytes. */
	uint64_t sparse_max;
};

/*
 * Pulls the old archive, which is not compressed.  All failures are set in
 * *err, which must outlive the rewrite.  NULL on failure.
 */
struct archive_rewrite *archive_rewrite_new(prof_pull *, void *pull_arg,
    const struct archive_rewrite_target *, struct prof_error *err);

/*
 * The next member, or PROF_END once the new archive is complete.  The name is
 * valid until the next call.
 */
enum prof_status archive_rewrite_next(struct archive_rewrite *,
    struct archive_rewrite_member *);

/*
 * The first bytes of a plain member, `wanted` ones or all if there are fewer;
 * valid until the next call for this rewrite.
 */
enum prof_status archive_rewrite_contents(struct archive_rewrite *,
    uint64_t wanted, struct prof_span *);

/* Replaces the contents of the member; archive_rewrite_next must follow. */
enum prof_status archive_rewrite_replace(struct archive_rewrite *,
    struct prof_span);

void archive_rewrite_free(struct archive_rewrite *);	/* NULL is fine */

#endif
