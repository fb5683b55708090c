/*
 * temporary.h - the one owner of temporary files
 *
 * A temporary file has no name where the file system permits that (O_TMPFILE):
 * nothing remains of it, however the program ends.  Otherwise it is called
 * ".NAME.XXXXXXXX", and its name is in a table until it is renamed or removed.
 *
 * A program holds a lock (flock) on its file.  One that was left behind, by a
 * program that was killed, has none: the next run for the same NAME removes it.
 */
#ifndef IO_TEMPORARY_H
#define IO_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * A new file without a name in $TMPDIR, or /tmp: open for reading and writing,
 * closed on exec.  -1 with errno set.
 */
int temporary_open(void);

/* $TMPDIR, or /tmp. */
const char *temporary_folder(void);

/* A file that is written beside another one, whose name it will get. */
struct temporary {
	int fd;				/* read and write, locked; the owner
					 * closes it, after the rename */
	char *path;			/* of the file, or of its future link */
	bool named;			/* path exists, and is in the table */
	unsigned tag;			/* number of the first name to try */
};

/* Length of the folder part of a path, with its slash. */
size_t path_folder_size(const char *path);

/*
 * Creates a file in the folder of target, whose last part is its name.  0, or
 * an errno value; EMFILE also if the table of names is full.
 */
int temporary_create(struct temporary *, const char *target, mode_t mode);

/*
 * Gives the file a name if it has none; its fd must be open.  0 or errno.  The
 * name is that of path unless another file has it.
 */
int temporary_link(struct temporary *);

/*
 * Renames the file to a name that must not exist: EEXIST if it does.  0 or
 * errno; the path is freed if the file has got the name.
 */
int temporary_publish(struct temporary *, const char *target);

/*
 * temporary_release frees the path after the file was renamed;
 * temporary_discard removes the file too.  fd stays open.
 */
void temporary_release(struct temporary *);
void temporary_discard(struct temporary *);

/*
 * Removes all files in the table; async-signal-safe, for handlers of signals
 * and of exit.  The library installs none itself.
 */
void temporary_remove_all(void);

/*
 * Whether the last part of a path is a name that this library gives to
 * temporary files: ".NAME.XXXXXXXX" (hexadecimal digits).
 */
bool temporary_is_name(const char *path);

/* Whether to go on as on file systems without O_TMPFILE; for tests. */
void temporary_use_names(bool);

#endif
