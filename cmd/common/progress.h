/*
 * cmd/common/progress.h - how far a run is, on standard error
 *
 * A line for people, if standard error is a terminal and the run takes longer
 * than a second, or lines of JSON for programs (--progress json).  At most one
 * a second, and none of them changes what is written.
 */
#ifndef CMD_COMMON_PROGRESS_H
#define CMD_COMMON_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "prof.h"

struct cli;
struct input;

enum cli_progress_form {
	CLI_PROGRESS_PEOPLE, CLI_PROGRESS_JSON, CLI_PROGRESS_NONE
};

struct cli_progress {
	enum cli_progress_form form;
	bool begun;
	bool shown;			/* a line to be cleared */
	uint64_t inputs;		/* done */
	uint64_t total;			/* of them; 0: not known */
	uint64_t bytes;			/* of those that are done */
	uint64_t functions, records;
	const struct input *input;	/* being read, or NULL */
	struct timespec start, last;
};

void cli_progress_begin(struct cli *);

/* An input is begun, or done. */
void cli_progress_input(struct cli *, const struct input *);
void cli_progress_done(struct cli *);

/* A record was read; looks at the clock now and then. */
void cli_progress_record(struct cli *, const struct prof_record *);

/* Makes room for a message. */
void cli_progress_clear(const struct cli *);

/* The last line of JSON, if the run is done. */
void cli_progress_end(struct cli *, bool done);

#endif
