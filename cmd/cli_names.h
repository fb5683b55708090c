/* cli_names.h - names of inputs that come from lists and folders */
#ifndef CMD_CLI_NAMES_H
#define CMD_CLI_NAMES_H

#include "cli.h"

/*
 * Adds the inputs that a list names, a line each: FILE or WEIGHT,FILE.  They end
 * with NUL if -0 was given before.  "-" is a list on standard input.  Exits if
 * it cannot be read.
 */
void cli_names_list(struct cli *, const char *list);

/* Puts the regular files below folders, sorted, in the place of the folders. */
void cli_names_folders(struct cli *);

void cli_names_free(struct cli_names *);	/* NULL is fine */

#endif
