/*
 * cmd/common/progress.h - how far a run is, on standard error
 *
 * A line for people, if standard error is a terminal and the run takes longer
 * than a second.  It does not change what is written.
 */
#ifndef CMD_COMMON_PROGRESS_H
#define CMD_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "prof.h"

struct cli;
struct input;

struct cli_progress {
	bool silent;
	bool begun;
	bool shown;			/* the terminal has a progress line */
	uint64_t inputs;		/* inputs that are done */
	uint64_t total;			/* number of all inputs, 0: unknown */
	uint64_t bytes;			/* of the inputs that are done */
	uint64_t functions, records;
	const struct input *input;	/* being read, or NULL */
	struct timespec start, last;
};

void cli_progress_begin(struct cli *);

/* Called when an input begins, and when its last record was read. */
void cli_progress_input(struct cli *, const struct input *);
void cli_progress_done(struct cli *);

/* Called for each record; updates the line about once a second. */
void cli_progress_record(struct cli *, const struct prof_record *);

/* The same, for so many functions that come without a record. */
void cli_progress_functions(struct cli *, uint64_t functions);

/* Clears the line before a message is printed. */
void cli_progress_clear(const struct cli *);

#endif
