/*
 * io/folder_walk.h - the files in and below a folder
 *
 * Entries of a folder come in the order of their bytes, a folder's files where
 * its name is.  Links are no files, and are followed for the folder that was
 * named only; a folder that is mounted again below itself is entered once.  The
 * names of each folder on the way are held, and no descriptor.
 */
#ifndef IO_FOLDER_WALK_H
#define IO_FOLDER_WALK_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/bytes.h"

struct folder_entry {
	const char *name;
	bool folder;
};

/* A folder on the way to the file at hand. */
struct folder_level {
	struct arena names;
	struct folder_entry *entries;
	size_t size, room, next;
	size_t path;			/* bytes of its path, with the slash */
	dev_t device;
	ino_t number;
};

/* All zero is no walk. */
struct folder_walk {
	struct folder_level *levels;
	size_t depth, room;
	struct buf path;		/* of the entry at hand */
};

/* Whether the path names a folder, or a link to one. */
bool path_is_folder(const char *path);

/* Begins a walk: 0, or an errno value. */
int folder_walk_begin(struct folder_walk *, const char *folder);

/*
 * The path of the next file, or NULL behind the last; valid until the next
 * call.  If that fails, an errno value, and *path is what could not be read.
 */
int folder_walk_next(struct folder_walk *, const char **path);

void folder_walk_end(struct folder_walk *);

#endif
