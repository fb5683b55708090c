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

/* Sets the command; a usage error unless it has a %s. */
void fetch_set(struct cli *, struct fetch *, const char *command);

/* Starts the child process; before the sandbox and any thread. */
void fetch_start(const struct cli *, struct fetch *);

/*
 * An input with what the command prints for the name; it is bad if the command
 * fails.  What is left of the input before is passed over.
 */
struct input *fetch_open(struct fetch *, const char *name, uint64_t max_size,
    struct buf *memory, struct prof_error *);

/* The child process ends when it has served what was asked. */
void fetch_free(struct fetch *);

#endif
