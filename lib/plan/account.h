/*
 * plan/account.h - of which shards of a plan a part is, and which inputs of
 * them were bad
 *
 * An account is a record `part` behind the first line of a stream, then a
 * record `bad` for each bad input, sorted by their bytes (prof-stream(5)).  If
 * no input was used, there is no profile, and the part is the account alone.
 */
#ifndef PLAN_ACCOUNT_H
#define PLAN_ACCOUNT_H

#include "base/bytes.h"
#include "base/digests.h"
#include "prof.h"

/* Shards from the first to the last, counted from 1. */
struct account_range {
	uint64_t first, last;
};

/* All zero is empty. */
struct account {
	uint8_t plan[SHA256_SIZE];
	struct account_range *shards;	/* in order, with gaps between them */
	size_t size, room;
	uint64_t inputs;		/* that were planned */
	uint64_t used, bad;		/* files and members of archives */
	bool alone;			/* there is no profile */
	struct buf lines;		/* of bad inputs */
};

/* Appends the account: its record, and a line for each bad input. */
void account_put(struct buf *, const struct account *);

/* The lines of bad inputs in the order of their bytes; false: no memory. */
bool account_sort(struct account *);

/*
 * Reads the record `part`; PROF_E_FORMAT if the line is something else.  The
 * lines of a->bad bad inputs follow it, for account_add_line.
 */
enum prof_status account_read(struct account *, struct prof_span line,
    struct prof_error *);
enum prof_status account_add_line(struct account *, struct prof_span line,
    struct prof_error *);

/* The file that a line of a bad input names; the span is in the arena. */
struct arena;
enum prof_status account_file(struct prof_span line, struct arena *,
    struct prof_span *file, struct prof_error *);

/* How many shards it holds. */
uint64_t account_shards(const struct account *);

/* A walk over the shards, in order: all zero but the account before it. */
struct account_walk {
	const struct account *account;
	size_t range;
	uint64_t shard;			/* from 1, once there is one */
};

/* Goes on to the next shard; false behind the last. */
bool account_next(struct account_walk *);

void account_free(struct account *);

#endif
