/*
 * cmd/common/fleet.h - prof-merge --plan: a shard of a plan, or parts of it
 *
 * Chooses the inputs of the run before it, and writes the account of the sum
 * behind the first line of the output.
 */
#ifndef CMD_COMMON_FLEET_H
#define CMD_COMMON_FLEET_H

#include "base/arena.h"
#include "cmd/common/part.h"
#include "cmd/common/running.h"

struct fleet {
	/* From options. */
	const char *path;		/* of the plan; NULL: none */
	uint64_t shard;			/* from 1; 0: parts are merged */
	bool partial;			/* parts of some shards will do */

	struct cli *cli;
	struct part_plan plan;
	struct arena arena;		/* of the paths of a shard */
	struct part_choice choice;
	struct account account;		/* of a shard */
	struct running_mark mark;	/* of the task of a shard */
};

/*
 * Reads the plan, and makes its shard, or the parts among the operands, the
 * inputs of the run.
 */
enum prof_status fleet_begin(struct fleet *, struct cli *);

void fleet_free(struct fleet *);

#endif
