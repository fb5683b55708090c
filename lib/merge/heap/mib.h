/*
 * merge/heap/mib.h - memory info blocks of one context, summed
 *
 * MemInfoBlock::Merge (MemProfData.inc, LLVM 14 to 22) made independent of
 * order, so that any tree of partial sums comes to the same:
 *
 * - counts and totals are added, up to the largest value of their fields; so
 *   are NumMigratedCpu, NumLifetimeOverlaps, NumSameAllocCpu and
 *   NumSameDeallocCpu, for which LLVM compares neighbours;
 * - of minima, maxima and time stamps the extremes stay (first allocation, last
 *   deallocation); those of a block without allocations, AllocCount 0, do not
 *   count beside those of others;
 * - CPUs and the type stay if they are the same, else the field is not known;
 * - histograms are added, the shorter one as if it ended in zeros; if one knows
 *   its size only, so does the sum;
 * - a field that one block does not know is not known of the sum.
 */
#ifndef MERGE_HEAP_MIB_H
#define MERGE_HEAP_MIB_H

#include "base/arena.h"
#include "merge/merge.h"
#include "prof.h"

struct mheap_mib {
	struct prof_mib sum;		/* values of unknown fields are none */
	uint64_t *histogram;		/* sum.histogram, or its memory */
	size_t room;			/* its entries */
	bool any;			/* something was added */
	bool saturated;			/* a field is at its limit */
};

/* The weight multiplies what is added.  False if out of memory. */
bool mheap_mib_add(struct mheap_mib *, const struct prof_mib *,
    const struct merge_factor *, struct arena *);

/* What it came to.  The histogram is lent. */
struct prof_mib mheap_mib_sum(const struct mheap_mib *);

#endif
