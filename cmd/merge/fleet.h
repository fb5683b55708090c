/*
 * cmd/merge/fleet.h - prof-merge --plan: a shard of a plan, or parts of it
 *
 * Chooses the inputs of the run before it, and writes the account of the sum
 * behind the first line of the output.
 */
#ifndef CMD_MERGE_FLEET_H
#define CMD_MERGE_FLEET_H

#include "base/arena.h"
#include "cmd/common/fetch.h"
#include "cmd/merge/part.h"
#include "cmd/merge/run.h"

/* An input of the shard about which the plan says more than a file's size. */
struct fleet_input {
	uint64_t number;
	const char *member;		/* NULL: the file */
	uint64_t size;
	bool has_digest;
	uint8_t digest[SHA256_SIZE];
	bool seen;
};

/* A file of the shard, and what the plan says of it, or of its members. */
struct fleet_file {
	const char *path;
	size_t first, size;		/* of the inputs, in order */
	bool opened;			/* the file was looked into */
	bool read;			/* the file has a profile, or is bad */
	struct prof_error err;		/* why members are missing, if known */
};

struct fleet {
	/* From options. */
	const char *path;		/* of the plan; NULL: none */
	uint64_t shard;			/* from 1; 0: parts are merged */
	bool partial;			/* parts of some shards will do */
	struct fetch fetch;		/* reads the inputs of a shard */

	struct cli *cli;
	struct part_plan plan;
	struct arena arena;		/* of the names of a shard */
	struct fleet_file *files;
	size_t files_size, files_room;
	struct fleet_input *inputs;
	size_t inputs_size, inputs_room;
	struct cli_merge_choice choose;
	struct part_choice choice;
	struct account account;		/* of a shard */
};

/*
 * Reads the plan, and makes its shard, or the parts among the operands, the
 * inputs of the run.
 */
enum prof_status fleet_begin(struct fleet *, struct cli *,
    struct cli_merge_options *);

void fleet_free(struct fleet *);

#endif
