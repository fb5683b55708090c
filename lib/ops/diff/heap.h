/*
 * ops/diff/heap.h - overlap of two heap profiles
 *
 * Contexts of both sides match if their frames do: guid of the function, line
 * offset in it and column.  Frames that were not symbolized match by build id
 * and address.
 */
#ifndef OPS_DIFF_HEAP_H
#define OPS_DIFF_HEAP_H

#include "base/hash.h"
#include "model/heap.h"
#include "ops/diff/overlap.h"

struct diff_context {
	struct overlap_change change;	/* of its bytes; without functions */
	const struct heap_context *context[OVERLAP_SIDES];	/* or NULL */
	uint64_t allocations[OVERLAP_SIDES];
};

/* The side of a context's stack: NEW, or OLD if the context is lost. */
static inline int
diff_context_side(const struct diff_context *c)
{
	return c->context[OVERLAP_NEW] != NULL ? OVERLAP_NEW : OVERLAP_OLD;
}

/* All zero but `sort` before diff_heap_compare; freed with diff_heap_free. */
struct diff_heap {
	enum overlap_sort sort;		/* by bytes, not by counts */
	const struct heap *heaps[OVERLAP_SIDES];	/* borrowed */
	/* Of contexts and, as `counts`, bytes. */
	struct overlap overlap;
	/*
	 * All contexts by key, then by difference of the shares, largest first;
	 * the keys of the first `changed` are above 0.
	 */
	struct diff_context *changes;
	size_t size, room, changed;
	struct intern keys;		/* frames of each context */
};

/* The heaps must outlive the result.  PROF_FAIL only if out of memory. */
enum prof_status diff_heap_compare(struct diff_heap *, const struct heap *a,
    const struct heap *b, struct prof_error *);
void diff_heap_free(struct diff_heap *);

#endif
