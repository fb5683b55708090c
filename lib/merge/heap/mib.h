/*
 * merge/heap/mib.h - the allocation statistics of one context, summed
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
#ifndef MERGE_HEAP_MIB_H
#define MERGE_HEAP_MIB_H

#include "base/arena.h"
#include "merge/merge.h"
#include "model/mib_merge.h"
#include "prof.h"

struct mheap_mib {
	struct prof_mib sum;		/* unknown fields: any value */
	struct mib_histogram histogram;	/* sum.histogram, if it is known */
	bool any;			/* something was added */
	uint32_t saturated;		/* fields whose sum was too large */
};

/* Adds statistics, multiplied by the weight.  False if out of memory. */
bool mheap_mib_add(struct mheap_mib *, const struct prof_mib *,
    const struct merge_factor *, struct arena *);

/* Whether the sum of a known field was too large, and stays at its limit. */
bool mheap_mib_is_saturated(const struct mheap_mib *);

/* The sum, whose unknown fields are 0.  The histogram is borrowed. */
struct prof_mib mheap_mib_sum(const struct mheap_mib *);

#endif
