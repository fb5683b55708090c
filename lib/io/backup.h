/* backup.h - a file that is kept under a second name */
#ifndef IO_BACKUP_H
#define IO_BACKUP_H

#include <limits.h>

#include "io/rewrite.h"

struct backup {
	char path[PATH_MAX];
	bool made;		/* it was not there before */
};

/*
 * Gives the file at path, which is what was read, the name path + suffix too:
 * a link, or a copy where there can be none.
 */
enum prof_status backup_make(struct backup *, const struct rewrite *read,
    const char *path, const char *suffix, struct prof_error *);

/* Takes the second name away if it was made. */
void backup_undo(const struct backup *);

#endif
