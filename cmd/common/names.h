/* cmd/common/names.h - lists of names, and the inputs that the user named */
#ifndef CMD_COMMON_NAMES_H
#define CMD_COMMON_NAMES_H

#include "cmd/common/cli.h"

/* Called with a line of a list, which ends with NUL behind its size. */
typedef void cli_line(void *arg, const char *line, size_t size);

/*
 * Reads a list: lines that are not empty, without their end.  They end with NUL
 * if -0 was given before.  "-" is standard input.  Exits if it cannot be read.
 */
void cli_lines(const struct cli *, const char *list, cli_line *, void *arg);

/* Adds the inputs that a list names, a line each: FILE or WEIGHT,FILE. */
void cli_names_list(struct cli *, const char *list);

void cli_names_free(struct cli_names *);	/* NULL is fine */

#endif
