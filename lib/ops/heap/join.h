/* ops/heap/join.h - two heap profiles as one, to be drawn in one picture */
#ifndef OPS_HEAP_JOIN_H
#define OPS_HEAP_JOIN_H

#include "model/heap_contexts.h"

/*
 * The contexts of A, then those of B; none are added up.  Borrows names and
 * statistics from both heaps.
 */
struct heap_joined {
	struct heap heap;
	size_t first_of_b;		/* context */
	struct heap_module *modules;
	struct heap_frame *frames;
	struct heap_context *contexts;
	uint32_t *stacks;		/* of the contexts of B */
};

/* False if out of memory; freed with heap_joined_free either way. */
bool heap_join(struct heap_joined *, const struct heap *a,
    const struct heap *b);
void heap_joined_free(struct heap_joined *);

#endif
