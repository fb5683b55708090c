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

/* Pushes what is buffered to the file: for a reader at the other end. */
int output_flush(struct output *);

/*
 * A file that is renamed into place gets mode and owner of that one, and its
 * times if they are asked for.
 */
void output_like(struct output *, const struct stat *, bool times);

/* The path that it will have, with links followed; NULL if it has it now. */
const char *output_target(const struct output *);

/*
 * All of output_commit that may fail for long but the renaming.  The output is
 * good for output_commit or output_discard afterwards.
 */
enum prof_status output_finish_name(struct output *, struct prof_error *);

/*
 * Makes the file what it shall be: flushed, synced, renamed into place with the
 * mode of the file it replaces, or by umask.  Standard output is flushed and
 * closed, and a failure there is reported.  The output is freed either way.
 */
enum prof_status output_commit(struct output *, struct prof_error *);

/*
 * Forgets the file; the one that was there before is untouched.  What went to
 * standard output so far is flushed.  NULL is fine.
 */
void output_discard(struct output *);

/*
 * Removes the temporary files of all open outputs; async-signal-safe, for
 * handlers of SIGINT, SIGTERM and SIGHUP.
 */
void output_cleanup_on_signal(void);

#endif
