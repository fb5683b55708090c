/*
 * format/memprof-raw/fold.h - memory info blocks of one stack, added up
 */
#ifndef FORMAT_MEMPROF_RAW_FOLD_H
#define FORMAT_MEMPROF_RAW_FOLD_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/id_map.h"

/* A stack's allocations so far; the histogram is a copy that may change. */
struct mraw_folded {
	uint64_t stack;
	struct prof_mib info;
	uint64_t *histogram;
	size_t histogram_size;
};

/* All zero is empty. */
struct mraw_fold {
	struct mraw_folded *blocks;	/* in order of their first */
	size_t size, room;
	struct id_map index;		/* stack to place, one above it */
	struct arena histograms;
	uint64_t saturated;		/* blocks that made a sum too small */
	uint64_t first_saturated;	/* a stack */
};

/*
 * Adds a later block by LLVM's rules (mib_merge).  Its histogram, which may be
 * NULL, has the size that is among its fields.  False if out of memory.
 */
bool mraw_fold_add(struct mraw_fold *, uint64_t stack, const struct prof_mib *,
    const uint64_t *histogram);

void mraw_fold_clear(struct mraw_fold *);
void mraw_fold_free(struct mraw_fold *);

#endif
