/* model/mib_merge.h - merging memory info blocks of one context */
#ifndef MODEL_MIB_MERGE_H
#define MODEL_MIB_MERGE_H

#include "base/arena.h"
#include "prof.h"

/*
 * Adds block b, the later one, to a (MemInfoBlock::Merge in MemProfData.inc,
 * LLVM 16 to 22), but saturating: false if a sum did not fit its field.  Fields
 * that one of the blocks lacks are unknown in the result.  The histogram of a
 * stays as it is; merging histograms is up to the caller.
 */
bool mib_merge(struct prof_mib *a, const struct prof_mib *b);

/* A sum of access histograms, as long as the longest.  All zero is empty. */
struct mib_histogram {
	uint64_t *counts;		/* in an arena of the caller's */
	size_t size, room;
};

/*
 * Adds the entries of a histogram, saturating; *fits becomes false if one did
 * not fit.  False if out of memory.
 */
bool mib_histogram_add(struct mib_histogram *, const uint64_t *counts,
    size_t size, struct arena *, bool *fits);

#endif
