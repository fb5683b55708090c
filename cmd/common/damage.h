/*
 * cmd/common/damage.h - bad inputs: where a run stops, or what it leaves out
 *
 * Without --keep-going the first bad input ends the run.  With it, an input is
 * read once and checked before any record is used, so that an input that is
 * left out does not change the output.
 */
#ifndef CMD_COMMON_DAMAGE_H
#define CMD_COMMON_DAMAGE_H

#include <stdio.h>
#include <sys/stat.h>

#include "merge/merge.h"
#include "prof.h"

struct buf;
struct cli;

/* Sums over records; counts saturate. */
struct cli_tally {
	uint64_t functions, contexts, counts;
};

void cli_tally_add(struct cli_tally *, const struct prof_record *);
void cli_tally_join(struct cli_tally *, const struct cli_tally *);

/* Losses of a sum, in the order of the words of --fail-on. */
enum { CLI_OVERFLOW = 1, CLI_MISMATCH = 2 };

struct cli_damage {
	/* Set from options. */
	bool keep_going;
	bool prints_nothing;		/* standard output is the report's */
	bool limited, percent;		/* --keep-going=N */
	uint64_t max_bad;		/* inputs, or percents of them */
	unsigned fail_on;		/* losses that are trouble, in bits */
	const char *report;		/* file, "-" or NULL */
	struct buf *account;		/* gets a record `bad` each, or NULL */

	/* State of the run; an input is a file or a member of an archive. */
	FILE *stream;			/* the open report */
	int error;			/* errno of writing it, or 0 */
	bool flushed;			/* with the line of totals */
	bool regular;			/* which is a file: its state */
	struct stat stat;
	uint64_t used, bad;
	struct cli_tally kept, lost;	/* lost: as far as it could be read */
	bool summed;			/* a sum was made, with these losses */
	struct merge_losses losses;
};

/*
 * Exits if the report (NULL: none) would replace an input that was named, the
 * output, or another file that is not a report.
 */
void cli_check_report(const struct cli *, const char *report);

/* Whether the path leads to the open report. */
bool cli_is_report(const struct cli *, const char *path);

/* Opens the report, if there is to be one; exits if that fails. */
void cli_damage_begin(struct cli *);

/*
 * Called when the current input failed with the cli's err; `lost` counts the
 * records read from it.  PROF_OK if the run goes on: then err was printed and
 * reported, and is empty.
 */
enum prof_status cli_damage_skip(struct cli *, const struct cli_tally *lost);

/*
 * The same without --keep-going, in a program that has shown the records before
 * the failure and shows other inputs too: the exit status will be CLI_TROUBLE.
 * False if the run has to end.
 */
bool cli_damage_pass(struct cli *);

/*
 * Writes the lines of an account (plan/account.h) to the report, if there is
 * one, as lines of a report: without their kinds of record.
 */
void cli_damage_report_account(struct cli *, const struct buf *lines);

/* Called after all inputs: PROF_FAIL with err if too many were bad. */
enum prof_status cli_damage_settle(struct cli *);

/* Adds the losses of a sum: PROF_FAIL with err if --fail-on refuses them. */
enum prof_status cli_damage_sum(struct cli *, const struct merge_losses *);

/*
 * Called before outputs are put in place: writes the line of totals.  PROF_FAIL
 * with err if the report cannot be written.
 */
enum prof_status cli_damage_flush(struct cli *);

/*
 * Reports the error that ended the run, if there is one, and closes the report.
 * False, after a message, if the report cannot be written.
 */
bool cli_damage_end(struct cli *, const struct prof_error *);

#endif
