/*
 * cmd/common/fetch.h - inputs that a command of the user reads (--fetch)
 *
 * A child process, started before the sandbox, runs the command for each input
 * and passes on what it prints, so that this process still starts no program.
 * One input is read at a time.
 */
#ifndef CMD_COMMON_FETCH_H
#define CMD_COMMON_FETCH_H

#include <sys/types.h>

#include "prof.h"

struct buf;
struct cli;
struct input;

/* All zero: inputs are files. */
struct fetch {
	const char *command;		/* %s stands for the name of an input */
	char *script;			/* for a shell, whose $1 is the name */
	bool started;
	int requests, answers;		/* pipes to and from the child */
	uint32_t left;			/* bytes of the answer's frame */
	bool open;			/* the answer has not ended */
	struct prof_error err;		/* why the answer is none */
};

/* Sets the command; a command without %s is a usage error. */
void fetch_set(struct cli *, struct fetch *, const char *command);

/* Starts the child process; before the sandbox and any thread. */
void fetch_start(const struct cli *, struct fetch *);

/*
 * Opens an input of the program: a file, or with --fetch what the command
 * prints for the name.  Such an input is bad if the command fails; the rest of
 * the one before is passed over.
 */
struct input *cli_open_input(struct cli *, const char *name,
    struct buf *memory);

/* The child process ends once the last request is served. */
void fetch_free(struct fetch *);

#endif
