/*
 * plan/plan.h - the plan of a fleet (prof-plan(1)): inputs in shards
 *
 * The inputs are in the order of their paths, each once, and a shard is a run
 * of them, so that the same inputs make the same plan.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/bytes.h"
#include "base/sha256.h"
#include "prof.h"

enum { PLAN_VERSION = 1 };

struct plan_input {
	struct prof_span path;		/* any bytes but NUL */
	uint64_t size;			/* bytes */
};

/* How inputs are split; the members that are not wanted are 0. */
struct plan_split {
	uint64_t shards;		/* so many, of similar size */
	uint64_t count;			/* inputs in each, at most */
	uint64_t bytes;			/* in each, at most, or one input */
};

struct plan_shard {
	uint64_t inputs, bytes;
	size_t offset;			/* of its first input in the text */
	uint64_t line;
};

/* All zero is no plan. */
struct plan {
	struct prof_span text;		/* borrowed */
	uint8_t digest[SHA256_SIZE];
	uint64_t inputs, bytes;		/* of all shards */
	struct plan_shard *shards;	/* that of shard 1 first */
	size_t size, room;
};

/* Sorts inputs by path; the index of one that is there twice, or n. */
size_t plan_sort(struct plan_input *, size_t n);

/*
 * Splits sorted inputs: shard i ends before input ends[i]; ends is for free().
 * PROF_E_LIMIT if there are more shards than inputs.
 */
enum prof_status plan_split(const struct plan_input *, size_t n,
    const struct plan_split *, size_t **ends, size_t *shards,
    struct prof_error *);

/* Writes a plan, in pieces of whole lines. */
enum prof_status plan_write(const struct plan_input *, const size_t *ends,
    size_t shards, prof_sink *, void *arg, struct prof_error *);

/*
 * Reads a whole plan but the lines of its inputs, which are counted.
 * PROF_E_CORRUPT with the line for what is no plan, or not whole.
 */
enum prof_status plan_read(struct plan *, struct prof_span text,
    struct prof_error *);

/* Called with each input of a shard; the path ends with NUL behind its size. */
typedef enum prof_status plan_take(void *arg, const struct plan_input *,
    struct prof_error *);

/* The inputs of a shard, from 0. */
enum prof_status plan_each(const struct plan *, size_t shard, plan_take *,
    void *arg, struct prof_error *);

void plan_free(struct plan *);

#endif
