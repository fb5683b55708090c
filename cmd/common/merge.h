/* cmd/common/merge.h - the run that prof-merge and prof-index share */
#ifndef CMD_COMMON_MERGE_H
#define CMD_COMMON_MERGE_H

#include "cmd/common/cli.h"
#include "ops/limit.h"
#include "merge/merge.h"

struct cli_merge_options {
	bool consume;			/* remove what was merged */
	bool group;			/* by binary ids; output is a folder */
	struct merge_output output;
	struct merge_factor scale;	/* of all inputs */
	struct limit limit;
	uint64_t buffer;		/* bytes in memory; 0: any */
};

/* Merges all inputs into the output and ends: the exit status. */
int cli_merge(struct cli *, struct cli_merge_options *);

#endif
