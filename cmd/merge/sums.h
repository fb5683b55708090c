/*
 * cmd/merge/sums.h - --keep-going: a sum for each kind of profile
 *
 * Profiles of two kinds (level, byte coverage, rule of front-end hashes) may
 * not mix, and which kind is meant is known when all inputs were read.  Until
 * then each kind has a sum of its own; profiles without functions, which mix
 * with all, are a kind too.  In the end the kind of most profiles is used, and
 * all that mix with it; a partial merge counts as the profiles in it.  Of two
 * kinds with as many profiles, IR goes before front end, counts before byte
 * coverage, and a newer rule before an older one: the choice does not depend on
 * the order of inputs.
 */
#ifndef CMD_MERGE_SUMS_H
#define CMD_MERGE_SUMS_H

#include "base/arena.h"
#include "cmd/common/pipeline.h"
#include "cmd/merge/spill.h"

struct sum_kind;

/* What each sum is to have, whatever its inputs are. */
struct sum_terms {
	struct merge_trace_limits traces;
	enum prof_level level;		/* of functions; unknown: any */
};

/* All zero but for the first members. */
struct sums {
	struct cli *cli;
	struct cli_spill *spill;	/* temporary files */
	uint64_t buffer;		/* as --buffer-size, of each sum */
	struct sum_terms terms;
	struct merge *first;		/* for the first kind, until it comes */
	struct sum_kind *kinds;
	size_t size, room;
	struct arena arena;		/* names of inputs */
	bool decided;
	struct prof_header choice;	/* the kind that is used */
	uint64_t chosen, all;		/* profiles with functions */
};

/* Makes the first sum; exits if out of memory. */
void sums_init(struct sums *, struct cli *, struct cli_spill *,
    const struct sum_terms *, uint64_t buffer);

/* PROF_E_MISMATCH if functions of the level are not those of the terms. */
enum prof_status sum_check_level(const struct sum_terms *, enum prof_level,
    struct prof_error *);

/*
 * Counts an input with these profiles; *kind is the number of its kind.
 * PROF_E_MISMATCH if they do not mix with each other, or with the terms.  To be
 * called by one thread at a time.
 */
enum prof_status sums_place(struct sums *, const struct cli_head *, size_t,
    size_t *kind, struct prof_error *);

/* The sum that inputs of the kind are to be added to. */
struct merge *sums_at(const struct sums *, size_t kind);

/*
 * Whether the input is used, once all inputs have been placed; PROF_FAIL, with
 * the reason, if it is not.
 */
enum prof_status sums_decide(struct sums *, const struct commit_entry *,
    struct prof_error *);

/* All inputs were added: *sum is that of those that are used. */
enum prof_status sums_join(struct sums *, struct merge **sum,
    struct prof_error *);

void sums_free(struct sums *);

#endif
