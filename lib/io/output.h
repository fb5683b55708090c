/* output.h - output files that appear whole or not at all */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

#include <limits.h>

#include "io/packing.h"
#include "prof.h"

struct output;
struct stat;

/*
 * path NULL or "-" is standard output, which is refused if it is a terminal and
 * binary is set.  Another path that names a regular file, or nothing, is
 * written under a temporary name in the same folder; a device or pipe is
 * written as it is.  NULL on failure.
 */
struct output *output_open(const char *path, bool binary, struct prof_error *);

/*
 * Compresses all bytes from here on, which must be the first ones.  packing is
 * that of a stream.
 */
enum prof_status output_compress(struct output *, enum packing,
    struct prof_error *);

/* A prof_sink with the output as its argument. */
int output_write(void *output, const void *data, size_t size);

/*
 * Writes buffered bytes to the file, for a reader that waits for them.  Those
 * in a compressor stay there.
 */
int output_flush(struct output *);

/*
 * The file renamed into place will get mode and owner of *stat, and its times
 * if `times` is set.
 */
void output_like(struct output *, const struct stat *, bool times);

/* The final path, with links followed; NULL if it is written in place. */
const char *output_target(const struct output *);

/* The errno value of the first write that failed, or 0. */
int output_error(const struct output *);

/*
 * Does all of output_commit that is slow or likely to fail: the file is written
 * and synced, but may have no name yet.  output_commit or output_discard must
 * follow.
 */
enum prof_status output_finish(struct output *, struct prof_error *);

/* The state of the new file; false if the output is written in place. */
bool output_new_file(const struct output *, struct stat *);

/*
 * Flushes and syncs the file and renames it into place, with the mode of the
 * file it replaces or by umask.  Standard output is flushed and closed.  The
 * output is freed, after failure too.  If only the sync of the folder failed,
 * the new file is in place, and the reason says so.
 */
enum prof_status output_commit(struct output *, struct prof_error *);

/* The same, but fails with EEXIST if there is a file of that name by then. */
enum prof_status output_commit_exclusive(struct output *, struct prof_error *);

/*
 * Removes the unfinished file; a file at its path stays unchanged.  Standard
 * output is flushed.  NULL is fine.
 */
void output_discard(struct output *);

/*
 * The path that output_open writes to: symbolic links of the last part are
 * followed, whose target may not exist yet.  0 or an errno value.
 */
int output_resolve(const char *path, char target[PATH_MAX]);

/*
 * Sync a file, and the folder that a path is in; -1 with errno set.  A file
 * system that cannot sync, which EINVAL tells, is no failure.
 */
int output_sync_file(int fd);
int output_sync_folder(const char *path);

#endif
