/* cmd/merge/run.h - the run that prof-merge and prof-index share */
#ifndef CMD_MERGE_RUN_H
#define CMD_MERGE_RUN_H

#include "cmd/common/pipeline.h"
#include "plan/account.h"
#include "merge/merge.h"

/* How a plan chooses members of its inputs. */
struct cli_merge_choice {
	void *arg;
	cli_classify *classify;
	/* Called after all inputs; err of the cli is set on failure. */
	enum prof_status (*settle)(void *arg);
};

/* What each sum is to have, whatever its inputs are. */
struct merge_terms {
	struct merge_trace_limits traces;
	enum prof_level level;		/* of functions; unknown: any */
};

struct cli_merge_options {
	const struct cli_merge_choice *choice;	/* NULL: all members count */
	bool group;			/* by binary ids; output is a folder */
	struct merge_output output;
	struct merge_terms terms;
	uint64_t buffer;		/* bytes in memory; 0: any */
	/* For the report, in place of the accounts of inputs; or NULL. */
	const struct account *account;
};

/* A row of programs whose run has these options as its member merge. */
#define MERGE_LEVEL_ROW(type, path) \
	{ 0, "level", "LEVEL", \
	    "functions of another level are bad: ir or frontend", \
	    CLI_SETS_WORD(type, path, "ir", "frontend"), \
	    .value = PROF_LEVEL_IR }

/*
 * Of programs whose run begins with its options of a merge.  A level is one of
 * these options, too.
 */
extern const struct cli_option cli_merge_rows[];

/* Merges all inputs into the output and ends: the exit status. */
int cli_merge(struct cli *, struct cli_merge_options *);

#endif
