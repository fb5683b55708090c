/* merge/heap/mib.h - the allocation statistics of one context, weighted */
#ifndef MERGE_HEAP_MIB_H
#define MERGE_HEAP_MIB_H

#include "base/arena.h"
#include "merge/merge.h"
#include "model/mib_sum.h"
#include "prof.h"

/*
 * Adds statistics whose counts and totals, MIB_SUMMED, are multiplied by the
 * weight first.  False if out of memory.
 */
bool mheap_mib_add(struct mib_sum *, const struct prof_mib *,
    const struct merge_factor *, struct arena *);

#endif
