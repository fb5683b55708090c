/*
 * model/summary.h - the profile summary that LLVM computes from counters
 *
 * llvm/lib/ProfileData/ProfileSummaryBuilder.cpp, LLVM 3.9 to 22.  The result
 * does not depend on the order of adding.
 */
#ifndef MODEL_SUMMARY_H
#define MODEL_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smaller counters are tallied in an array; "large" ones are sorted. */
enum { SUMMARY_SMALL = 8192 };

struct summary_tally {
	uint64_t count;			/* value of a counter */
	uint64_t times;			/* counters of that value */
};

/*
 * Used with two passes: large counters whose upper 7 bits are the same.  The
 * first pass only adds them up; the second keeps those of the buckets in which
 * a cutoff may be.
 */
struct summary_bucket {
	uint64_t counters, sum;
	bool may_hold_cutoff;
};

/* All zero is empty.  The totals may be read at any time. */
struct summary {
	uint64_t functions;		/* records added */
	uint64_t blocks;		/* counters added */
	uint64_t max_function_count;	/* of first counters */
	uint64_t max_block_count;	/* of all counters */
	uint64_t max_internal_block_count;	/* of all but first counters */
	uint64_t total_block_count;	/* modulo 2^64, as LLVM has it */
	bool totals_only;		/* option: no cutoffs are needed */
	bool two_passes;		/* option: see summary_add_again */
	bool failed;			/* some addition was out of memory */
	uint64_t zeros;			/* counters of functions never run */
	/* Tallies of small counters, and one of all large ones; or NULL. */
	uint64_t *small;
	uint64_t *large;		/* large counters not tallied yet */
	size_t large_size, large_room;
	struct summary_tally *tallies;	/* of the others, descending */
	size_t tallies_size;
	struct summary_bucket *buckets;	/* NULL without two passes */
};

/*
 * How pseudo counts (prof.h) are left out: since LLVM 16 the record that begins
 * with one; before, each counter of 2^64-1, while its record still counts as a
 * function.  The rule of each release: model/releases.h.
 */
enum summary_rule { SUMMARY_SKIP_RECORD, SUMMARY_SKIP_COUNTER };

/*
 * Adds a record.  True if some counter may be large: with two passes, only such
 * records need to be added again.
 */
bool summary_add(struct summary *, const uint64_t *counts, size_t size,
    enum summary_rule);

/*
 * If two_passes was set from the start: after all records were added, the
 * caller names the cutoffs that it needs with summary_choose_buckets, and then
 * adds the same records again in any order.  The memory needed does not grow
 * with the number of counters.
 */
void summary_choose_buckets(struct summary *, const uint32_t *cutoffs, size_t
    size);
void summary_add_again(struct summary *, const uint64_t *counts, size_t size,
    enum summary_rule);

/* The fewest largest counters that make up cutoff of the total count. */
struct summary_entry {
	uint32_t cutoff;		/* in 1/SUMMARY_SCALE, at most 1 */
	uint64_t min_count;		/* the smallest of those counters */
	uint64_t counts;		/* how many they are */
};

enum { SUMMARY_SCALE = 1000000, SUMMARY_CUTOFFS = 16 };

/* LLVM's own cutoffs, ProfileSummaryBuilder::DefaultCutoffs. */
extern const uint32_t summary_cutoffs[SUMMARY_CUTOFFS];

/* Cutoffs in ascending order.  False if out of memory, now or before. */
bool summary_entries(const struct summary *, const uint32_t *cutoffs,
    size_t size, struct summary_entry *out);

/*
 * Counters of `hot` or more are hot for a compiler, those of `cold` or less are
 * cold: the smallest of those that make up 99 and 99.9999 percent of the total
 * (ProfileSummaryInfo.cpp, computeThresholds, LLVM 22; no counter is both).
 */
struct summary_thresholds {
	uint64_t hot, cold;
};

/* Of a counter, or of a function by its largest one. */
enum summary_class { SUMMARY_HOT, SUMMARY_WARM, SUMMARY_COLD };

enum summary_class summary_classify(const struct summary_thresholds *,
    uint64_t count);

/* False if out of memory, now or before. */
bool summary_thresholds(const struct summary *, struct summary_thresholds *);

void summary_free(struct summary *);

#endif
