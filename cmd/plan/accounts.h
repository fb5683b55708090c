/* cmd/plan/accounts.h - plans and accounts, from files */
#ifndef CMD_PLAN_ACCOUNTS_H
#define CMD_PLAN_ACCOUNTS_H

#include "base/bytes.h"
#include "plan/account.h"
#include "plan/plan.h"

struct cli;
struct cli_merge_options;
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

/*
 * Reads the account of a part, and no more of the file than that.
 * PROF_E_FORMAT for what is no part, PROF_E_MISMATCH for one of another plan.
 */
enum prof_status part_read_account(struct cli *, const char *path,
    const struct plan *, struct account *);

/* Which parts count: each shard is of one part at most. */
struct part_choice {
	struct part {
		char *path;		/* for free() */
		struct account account;
		bool chosen;
	} *parts;			/* the largest, by shards, first */
	size_t size, room;
	size_t *owner;		/* of each shard: a part from 1, or 0 */
	struct account all;		/* of the chosen parts */
};

/* Adds a part; the account is the choice's from now on. */
enum prof_status part_add(struct part_choice *, const char *path,
    struct account *, struct prof_error *);

/*
 * Chooses, and calls skip with each part whose shards are in others already.
 * PROF_E_MISMATCH, with *at set, for a part that only overlaps others.
 */
typedef void part_skip(void *arg, const struct part *, const struct part *in);
enum prof_status part_choose(struct part_choice *, const struct plan *,
    part_skip *, void *arg, const char **at, struct prof_error *);

/* Appends the shards without a part: "3, 7-9"; nothing if there are none. */
void part_put_missing(const struct part_choice *, const struct plan *,
    struct buf *);

void part_choice_free(struct part_choice *);

#endif
