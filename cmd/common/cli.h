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

/*
 * Whether a profile with that head, and functions or none, goes with what the
 * program has taken before; asked before any of it is taken.
 */
typedef enum prof_status cli_check(void *arg, const struct prof_header *,
    bool functions, struct prof_error *);

/*
 * Takes a member instead of cli_read, which would give its records to fn.  *bad
 * is set if the member is what is wrong, and not what is done with it.
 */
struct input;
struct input_member;
typedef enum prof_status cli_take(void *arg, struct input *,
    const struct input_member *, bool *bad);

/* What the user is told: messages, progress, and the exit status. */
struct cli_report {
	FILE *messages;			/* NULL: standard error */
	bool muted;			/* no warnings: they will come again */
	bool unclean;			/* done, but the status is CLI_NO */
	uint64_t skipped;		/* members that are no profiles */
	struct cli_damage damage;
	struct cli_progress *progress;
};

struct cli {
	const char *name;		/* of the program */
	const char *usage;		/* --help prints it */
	struct cli_options options;
	struct cli_inputs inputs;
	struct cli_report report;
	struct cli_output output;
	struct prof_context *context;
	struct prof_error err;

	/* Of the program. */
	cli_check *check;		/* or NULL */
	void *check_arg;
	cli_take *take;			/* or NULL */
	void *take_arg;
	bool takes_all;			/* members that are no profiles too */
};

/* format is what is written unless --to names another, NULL for none. */
void cli_start(struct cli *, const char *name, const char *usage,
    const char *format);

struct input_member;

/*
 * Of the members of an archive: whether the user asked for it, and whether it
 * is no profile, and does not claim to be one by its name.
 */
bool cli_wants(const struct cli *, const struct input_member *);
bool cli_is_foreign(const struct input_member *);

/* Called with each record; what it returns other than PROF_OK ends cli_read. */
typedef enum prof_status cli_record(void *arg, const struct prof_record *,
    struct prof_error *);

/*
 * Reads every profile of every member of every input.  The source of a profile
 * is filled in.  On failure err is set.  Bad inputs are left out under
 * --keep-going (cmd/common/damage.h); then what fn refuses ends the run nevertheless.
 */
enum prof_status cli_read(struct cli *, cli_record *, void *arg);

/* The records of one reader, as cli_read gives them. */
enum prof_status cli_read_records(struct cli *, struct prof_reader *,
    cli_record *, void *arg);

/*
 * Prints err if status is PROF_FAIL, gives up the output if it was not
 * finished, frees everything, and returns the exit status.
 */
int cli_end(struct cli *, enum prof_status);

#endif
