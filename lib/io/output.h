/* output.h - output files that appear whole or not at all */
#ifndef IO_OUTPUT_H
#define IO_OUTPUT_H

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

/* A prof_sink with the output as its argument. */
int output_write(void *output, const void *data, size_t size);

/* Writes buffered bytes to the file, for a reader that waits for them. */
int output_flush(struct output *);

/*
 * The file renamed into place will get mode and owner of *stat, and its times
 * if `times` is set.
 */
void output_like(struct output *, const struct stat *, bool times);

/* The final path, with links followed; NULL if it is written in place. */
const char *output_target(const struct output *);

/*
 * Does all of output_commit that is slow or likely to fail, except renaming.
 * output_commit or output_discard must follow.
 */
enum prof_status output_finish_name(struct output *, struct prof_error *);

/*
 * Flushes and syncs the file and renames it into place, with the mode of the
 * file it replaces or by umask.  Standard output is flushed and closed.  The
 * output is freed, after failure too.
 */
enum prof_status output_commit(struct output *, struct prof_error *);

/*
 * Removes the unfinished file; a file at its path stays unchanged.  Standard
 * output is flushed.  NULL is fine.
 */
void output_discard(struct output *);

/*
 * Removes the temporary files of all open outputs; async-signal-safe, for
 * handlers of SIGINT, SIGTERM and SIGHUP.
 */
void output_cleanup_on_signal(void);

#endif
