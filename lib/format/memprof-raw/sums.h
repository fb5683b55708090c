/*
 * format/memprof-raw/sums.h - memory info blocks of one stack, added up
 */
#ifndef FORMAT_MEMPROF_RAW_SUMS_H
#define FORMAT_MEMPROF_RAW_SUMS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/id_map.h"
#include "model/mib_merge.h"

/* The sum of a stack's blocks so far; info.histogram is that of the sum. */
struct mraw_sum {
	uint64_t stack;			/* id */
	struct prof_mib info;
	struct mib_histogram histogram;
};

/* All zero is empty. */
struct mraw_sums {
	struct mraw_sum *items;		/* in the order of first blocks */
	size_t size, room;
	struct id_map index;		/* stack id to index + 1 */
	struct arena histograms;
	uint64_t saturated;		/* blocks that did not fit a sum */
	uint64_t first_saturated;	/* the stack of the first of them */
};

/*
 * Adds a later block by LLVM's rules (mib_merge).  The histogram may be NULL;
 * its size is AccessHistogramSize.  False if out of memory.
 */
bool mraw_sums_add(struct mraw_sums *, uint64_t stack, const struct prof_mib *,
    const uint64_t *histogram);

void mraw_sums_clear(struct mraw_sums *);
void mraw_sums_free(struct mraw_sums *);

#endif
