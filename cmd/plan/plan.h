/* cmd/plan/plan.h - the verbs of prof-plan and their options */
#ifndef CMD_PLAN_PLAN_H
#define CMD_PLAN_PLAN_H

#include "cmd/common/cli.h"
#include "cmd/common/fetch.h"
#include "cmd/merge/run.h"
#include "cmd/plan/accounts.h"

struct plan_options {
	struct plan_split split;
	struct fetch fetch;		/* of create and part */
	struct plan_terms terms;	/* of create */
	bool members, digests;		/* of create */
	uint64_t shard;			/* of show and part; 0: all */
	bool json, missing;		/* of show and status; of status */
	bool partial;			/* of merge: not all shards */
	struct cli_merge_options merge;	/* of part and merge */
};

/* Each runs one verb, ends the program's work and returns its exit status. */
int plan_create(struct cli *, const struct plan_options *);
int plan_show(struct cli *, const struct plan_options *, const char *plan);
int plan_part(struct cli *, struct plan_options *, const char *plan);
int plan_status(struct cli *, const struct plan_options *, const char *plan);
int plan_merge(struct cli *, struct plan_options *, const char *plan);
int plan_clean(struct cli *, const char *plan, const char *result);

#endif
