/*
 * cmd/common/fetch.h - inputs that a command of the user reads (--fetch)
 *
 * A shell runs the command for each input.  One input is read at a time.
 */
#ifndef CMD_COMMON_FETCH_H
#define CMD_COMMON_FETCH_H

#include <stdio.h>

#include "prof.h"

struct buf;
struct cli;
struct input;

/* All zero: inputs are files. */
struct fetch {
	const char *command;		/* %s stands for the name of an input */
	char *script;			/* for a shell, whose $1 is the name */
	FILE *pipe;			/* from the command, or NULL */
	struct prof_error err;		/* why the answer is none */
};

/* Sets the command; a command without %s is a usage error. */
void fetch_set(struct cli *, struct fetch *, const char *command);

/*
 * Opens an input of the program: a file, or with --fetch what the command
 * prints for the name.  Such an input is bad if the command fails; the command
 * of the one before is ended.
 */
struct input *cli_open_input(struct cli *, const char *name,
    struct buf *memory);

void fetch_free(struct fetch *);

#endif
