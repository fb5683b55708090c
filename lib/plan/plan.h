/*
 * plan/plan.h - the plan of a fleet (prof-plan(1)): inputs in shards
 *
 * The inputs are in the order of their paths, each once, and a shard is a run
 * of them, so that the same inputs make the same plan.  The text is a head, a
 * line of terms if there are any, a line for each shard, then the lines of
 * inputs.  The head has the digest of terms and shards, and shards have the
 * digests of their inputs: a shard is read, and checked, without the inputs of
 * others.
 */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "base/bytes.h"
#include "base/digests.h"
#include "prof.h"

enum { PLAN_VERSION = 1 };

struct plan_input {
	struct prof_span path;		/* any bytes but NUL */
	bool fetched;			/* the path is a name for --fetch */
	uint64_t size;			/* of the file, in bytes; 0: fetched */
};

/* How inputs are split; the members that are not wanted are 0. */
struct plan_split {
	uint64_t shards;		/* so many, of similar size */
	uint64_t count;			/* inputs in each, at most */
	uint64_t bytes;			/* in each, at most, or one input */
};

/* What all tasks of the plan have to do alike; all zero says nothing. */
struct plan_terms {
	bool sampled;			/* not all traces are kept */
	uint64_t max_traces;		/* if so, so many, up to 2^32-1 */
	uint64_t max_trace_length;	/* functions of each; 0: any number */
	enum prof_level level;		/* of profiles of functions, or any */
};

struct plan_shard {
	uint64_t inputs, bytes;
	size_t offset, length;		/* of its inputs in the text */
	uint64_t line;			/* before that of its first input */
	uint8_t digest[SHA256_SIZE];	/* of the lines of its inputs */
};

/* All zero is no plan. */
struct plan {
	struct prof_span text;		/* borrowed */
	uint8_t digest[SHA256_SIZE];
	struct plan_terms terms;
	uint64_t inputs, bytes;		/* of all shards */
	size_t head;			/* lines before those of shards */
	struct plan_shard *shards;	/* that of shard 1 first */
	size_t size, room;
};

/* Sorts inputs by path; returns the index of one that is there twice, or n. */
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
    size_t shards, const struct plan_terms *, prof_sink *, void *arg,
    struct prof_error *);

/*
 * Reads head and shards of a plan, and touches no lines of inputs.
 * PROF_E_CORRUPT with the line for what is no plan, or not whole.
 */
enum prof_status plan_read(struct plan *, struct prof_span text,
    struct prof_error *);

/* Called with each input of a shard; the path has NUL behind it. */
typedef enum prof_status plan_take(void *arg, const struct plan_input *,
    struct prof_error *);

/* The inputs of a shard, from 0, if their lines have the shard's digest. */
enum prof_status plan_each(const struct plan *, size_t shard, plan_take *,
    void *arg, struct prof_error *);

/* Whether the lines of all shards have their digests. */
enum prof_status plan_verify(const struct plan *, struct prof_error *);

void plan_free(struct plan *);

#endif
