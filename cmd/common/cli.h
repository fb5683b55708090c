/*
 * cmd/common/cli.h - the state of a program, from its start to its exit status
 *
 * A program parses its own options beside those of options.h, reads its inputs
 * with a function of pipeline.h, writes with those of output.h, and ends with
 * cli_end.
 */
#ifndef CMD_COMMON_CLI_H
#define CMD_COMMON_CLI_H

#include <stdio.h>

#include "cmd/common/damage.h"
#include "cmd/common/inputs.h"
#include "cmd/common/messages.h"
#include "cmd/common/options.h"
#include "cmd/common/output.h"
#include "cmd/common/progress.h"
#include "prof.h"

/* As grep, cmp and diff: done; done, but the answer is no; trouble. */
enum { CLI_DONE, CLI_NO, CLI_TROUBLE };

/* What the user is told: messages, progress, and the exit status. */
struct cli_report {
	FILE *messages;			/* NULL: standard error */
	bool muted;			/* no warnings: they will come again */
	bool unclean;			/* done; the status is CLI_NO */
	bool trouble;			/* done; the status is CLI_TROUBLE */
	uint64_t skipped;		/* files and members: no profiles */
	uint64_t passed;		/* functions, not read: see prefixes */
	struct cli_damage damage;
	struct cli_progress *progress;
};

struct cli {
	const char *name;		/* of the program */
	const struct cli_program *program;
	struct cli_options options;
	struct cli_inputs inputs;
	struct cli_report report;
	struct cli_output output;
	struct prof_context *context;
	struct prof_error err;
};

void cli_start(struct cli *, const struct cli_program *);

/*
 * Prints err if status is PROF_FAIL, gives up the output if it was not
 * finished, frees everything, and returns the exit status.
 */
int cli_end(struct cli *, enum prof_status);

#endif
