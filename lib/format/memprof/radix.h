/*
 * format/memprof/radix.h - call stacks as a tree of shared ends
 *
 * The two arrays of sections 3 and 4 (format/memprof/layout.h), as LLVM makes them
 * (CallStackRadixTreeBuilder in MemProfRadixTree.h, LLVM 19 to 22).
 */
#ifndef FORMAT_MEMPROF_RADIX_H
#define FORMAT_MEMPROF_RADIX_H

#include "base/arena.h"
#include "model/memprof/build.h"

struct memprof_radix {
	uint32_t *frames;	/* in the order of the frame array */
	uint32_t frames_size;	/* those that a stack has */
	uint32_t *words;
	uint32_t words_size;
	uint32_t *index;	/* of each stack's length among the words */
};

/* frame_ids order what is equally frequent.  The arena keeps all. */
enum prof_status memprof_radix_make(struct memprof_radix *, struct arena *,
    const struct memprof_built *, const uint64_t *frame_ids,
    struct prof_error *);

#endif
