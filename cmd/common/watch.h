/*
 * cmd/common/watch.h - --watch: files of a folder as they appear in it
 *
 * A file is read when its writer has closed it, or when it was renamed into the
 * folder; files that are there at the start are read if no program has them
 * open for writing.  Each name is read once; names that begin with a dot, as
 * temporary files of most programs have, are not read.
 */
#ifndef CMD_COMMON_WATCH_H
#define CMD_COMMON_WATCH_H

#include "prof.h"

struct cli;
struct watch;

/*
 * --until: a number of files, or a time with s, m or h behind it.  Exits if it
 * is neither.
 */
void cli_watch_until(struct cli *, const char *argument);

/* Begins to watch; exits if the folder cannot be watched. */
void cli_watch_begin(struct cli *);

/*
 * The path of the next file, valid until the next call.  PROF_END after the
 * limit of --until, or after SIGINT, SIGTERM or SIGHUP: these signals end the
 * watch, and the output is written.
 */
enum prof_status cli_watch_next(struct cli *, const char **path);

void cli_watch_free(struct watch *);	/* NULL is fine */

#endif
