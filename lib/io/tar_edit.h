/*
 * tar_edit.h - copies a tar archive and replaces contents of members
 *
 * Everything else is copied byte for byte: headers with owner, mode, times and
 * attributes, links, holes, order and padding.  In the header of a replaced
 * member, size and checksum change.
 *
 *	while ((status = tar_edit_next(t, &member)) == PROF_OK) {
 *		look at tar_edit_contents(t, 8, &span);
 *		perhaps tar_edit_replace(t, other);
 *	}
 */
#ifndef IO_TAR_EDIT_H
#define IO_TAR_EDIT_H

#include "prof.h"

struct tar_edit;

struct tar_member {
	const char *name;
	uint64_t size;
	bool plain;		/* a regular file without holes */
};

/*
 * Pulls the old archive, gives the new one to the sink.  All failures are set
 * in *err, which must outlive it; an offset is one of the old archive, and of a
 * failure of the source it only says that there was one.  NULL on failure.
 */
struct tar_edit *tar_edit_new(prof_pull *, void *pull_arg, prof_sink *,
    void *sink_arg, struct prof_error *err);

/*
 * The next member, or PROF_END when all is copied.  The name is valid until the
 * next call.
 */
enum prof_status tar_edit_next(struct tar_edit *, struct tar_member *);

/*
 * The first bytes of a plain member, `wanted` ones or all if there are fewer;
 * valid until the next call for this edit.
 */
enum prof_status tar_edit_contents(struct tar_edit *, uint64_t wanted,
    struct prof_span *);

/* Replaces the contents of the member; the next call must be tar_edit_next. */
enum prof_status tar_edit_replace(struct tar_edit *, struct prof_span);

void tar_edit_free(struct tar_edit *);	/* NULL is fine */

#endif
