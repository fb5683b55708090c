/*
 * model/summary.h - the figures that LLVM stores about the counters of a profile
 *
 * llvm/lib/ProfileData/ProfileSummaryBuilder.cpp, LLVM 3.9 to 22.  The order of
 * adding changes nothing.
 */
#ifndef MODEL_SUMMARY_H
#define MODEL_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Counters below this are tallied in an array, the others are sorted. */
enum { SUMMARY_SMALL = 8192 };

struct summary_tally {
	uint64_t count;			/* value of a counter */
	uint64_t times;			/* counters of that value */
};

/*
 * Large counters whose upper 7 bits are the same, where all come twice: first
 * they are only added up, and kept the second time if a cutoff may be among
 * them.
 */
struct summary_bucket {
	uint64_t counters, sum;
	bool may_hold_cutoff;
};

/* All zero is empty.  The figures may be read at any time. */
struct summary {
	uint64_t functions;		/* records added */
	uint64_t blocks;		/* counters added */
	uint64_t max_function_count;	/* of first counters */
	uint64_t max_block_count;	/* of all counters */
	uint64_t max_internal_block_count;	/* of all but first counters */
	uint64_t total_block_count;	/* modulo 2^64, as LLVM has it */
	bool totals_only;		/* set it to do without cutoffs */
	bool two_passes;			/* set it: see summary_add_again */
	bool failed;			/* out of memory, for good */
	uint64_t zeros;			/* of functions that have no others */
	uint64_t *small;		/* and one for all others, or NULL */
	uint64_t *large;		/* counters as they came */
	size_t large_size, large_room;
	struct summary_tally *tallies;	/* of those before, descending */
	size_t tallies_size;
	struct summary_bucket *buckets;	/* NULL: counters come once */
};

/*
 * Counters that stand for no number.  Since LLVM 16 a record that begins with
 * a pseudo count is left out.  Before, each counter of 2^64-1 was left out and
 * its record still counted as a function.
 */
enum summary_rule { SUMMARY_SKIP_RECORD, SUMMARY_SKIP_COUNTER };

/* Whether some counter is large, or may be: others need not come again. */
bool summary_add(struct summary *, const uint64_t *counts, size_t size,
    enum summary_rule);

/*
 * If `two_passes` was set from the start, then when all was added, summary_choose_buckets says
 * which cutoffs will be asked for, and the same records come again, in any
 * order.  That takes little memory, however many counters there are.
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

void summary_free(struct summary *);

#endif
