/*
 * format/memprof/radix.h - call stacks as a tree, where stacks share the frames
 * near the root
 *
 * Makes the two arrays of versions 3 and 4 (MEMPROF_RADIX_INDEX) as LLVM does
 * (CallStackRadixTreeBuilder in MemProfRadixTree.h, LLVM 19 to 22).
 */
#ifndef FORMAT_MEMPROF_RADIX_H
#define FORMAT_MEMPROF_RADIX_H

#include "base/arena.h"
#include "model/memprof/build.h"

struct memprof_radix {
	uint32_t *frames;	/* indices, in the order of the frame array */
	uint32_t frames_size;	/* frames that occur in stacks */
	uint32_t *words;
	uint32_t words_size;
	uint32_t *index;	/* of each stack's length among the words */
};

/*
 * Makes the arrays in the arena.  Frames that are equally frequent are ordered
 * by their ids.
 */
enum prof_status memprof_radix_make(struct memprof_radix *, struct arena *,
    const struct memprof_built *, const uint64_t *frame_ids,
    struct prof_error *);

#endif
