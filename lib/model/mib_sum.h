/*
 * model/mib_sum.h - the allocation statistics of one context, summed
 *
 * MemInfoBlock::Merge (MemProfData.inc, LLVM 14 to 22) made independent of
 * order, so that any tree of partial sums comes to the same:
 *
 * - counts and totals are added, up to the largest value of their fields; so
 *   are NumMigratedCpu, NumLifetimeOverlaps, NumSameAllocCpu and
 *   NumSameDeallocCpu, for which LLVM compares neighbours;
 * - of minima, maxima and time stamps the extremes stay (first allocation, last
 *   deallocation); those of statistics without allocations, AllocCount 0, are
 *   ignored if the others have allocations;
 * - CPUs and the type stay if they are equal, else the field becomes unknown;
 * - histograms are added, the shorter one as if it ended in zeros; if only the
 *   size of one is known, only the size of the sum is;
 * - a field that is unknown in one is unknown in the sum.
 */
#ifndef MODEL_MIB_SUM_H
#define MODEL_MIB_SUM_H

#include "base/arena.h"
#include "model/mib_merge.h"
#include "prof.h"

/* All zero is empty. */
struct mib_sum {
	struct prof_mib sum;		/* unknown fields: any value */
	struct mib_histogram histogram;	/* sum.histogram, if it is known */
	bool any;			/* something was added */
	uint32_t saturated;		/* fields whose sum was too large */
};

/* Fields that are added, but for the histogram. */
#define MIB_SUMMED \
	(MIB_BIT(ALLOC_COUNT) | MIB_BIT(NUM_MIGRATED_CPU) | \
	    MIB_BIT(NUM_LIFETIME_OVERLAPS) | MIB_BIT(NUM_SAME_ALLOC_CPU) | \
	    MIB_BIT(NUM_SAME_DEALLOC_CPU) | MIB_BIT(TOTAL_ACCESS_COUNT) | \
	    MIB_BIT(TOTAL_SIZE) | MIB_BIT(TOTAL_LIFETIME) | \
	    MIB_BIT(TOTAL_ACCESS_DENSITY) | \
	    MIB_BIT(TOTAL_LIFETIME_ACCESS_DENSITY))

/* In the mask of saturated fields, this field stands for the histogram. */
#define MIB_SATURATED_HISTOGRAM	MIB_BIT(ACCESS_HISTOGRAM_SIZE)

/* Adds statistics.  False if out of memory. */
bool mib_sum_add(struct mib_sum *, const struct prof_mib *, struct arena *);

/* Whether the sum of a known field was too large, and stays at its limit. */
bool mib_sum_is_saturated(const struct mib_sum *);

/* The sum, whose unknown fields are 0.  The histogram is borrowed. */
struct prof_mib mib_sum_result(const struct mib_sum *);

/*
 * Adds b to a, without histograms.  False if the sum of a known field was too
 * large, and stays at its limit.
 */
bool mib_add(struct prof_mib *a, const struct prof_mib *b);

#endif
