/* cmd/plan/plan.h - the verbs of prof-plan, and what several of them use */
#ifndef CMD_PLAN_PLAN_H
#define CMD_PLAN_PLAN_H

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "cmd/merge/run.h"
#include "plan/account.h"
#include "plan/plan.h"

struct input;

/* A plan and its text, which is mapped: unused pages are not read. */
struct part_plan {
	struct plan plan;
	struct input *in;
};

/* Opens a plan; to be closed on failure too. */
enum prof_status part_open_plan(struct cli *, const char *path,
    struct part_plan *);
void part_close_plan(struct part_plan *);

/* The sum of a part has what the plan says of all. */
void part_take_terms(const struct plan *, struct cli_merge_options *);

/* A part that is written to a file is packed, whatever its name is. */
void part_pack(struct cli *);

/* All zero: inputs are files. */
struct fetch {
	const char *command;		/* its $1 is the name of an input */
	FILE *pipe;			/* from the command, or NULL */
	struct prof_error err;		/* why the answer is none */
};

/*
 * Inputs of the program are what a shell prints that runs the command for each
 * name.  A command without $1 is a usage error.
 */
void fetch_set(struct cli *, struct fetch *, const char *command);
void fetch_free(struct fetch *);

struct plan_options {
	struct plan_split split;
	struct fetch fetch;		/* of create and part */
	struct plan_terms terms;	/* of create */
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
