/*
 * cmd/merge/reading.h - adds the records of all inputs to the sums of a run
 *
 * Several threads read an input each, or one input is read after the other.
 * Functions pass the limit of counts (--max-count) on their way.
 */
#ifndef CMD_MERGE_READING_H
#define CMD_MERGE_READING_H

#include "cmd/merge/passed_accounts.h"
#include "cmd/merge/repeats.h"
#include "cmd/merge/spill.h"

struct merge_run {
	struct cli *cli;
	struct cli_merge_options *options;
	struct merge *sum;
	struct merge *subtracted;	/* subtracted from the sum, or NULL */
	struct groups *groups;		/* in place of both, or NULL */
	struct cli_spill spill;
	struct passed_accounts accounts;
	struct repeats repeats;		/* unless a plan chooses members */
	struct merge_serial *serial;	/* while inputs are read in turn */
};

/* Reads all inputs: sum and subtracted are then complete. */
enum prof_status merge_run_read(struct merge_run *);

#endif
