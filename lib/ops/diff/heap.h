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
	const struct heap_context *context[OVERLAP_SIDES];	/* or NULL */
	uint64_t bytes[OVERLAP_SIDES], count[OVERLAP_SIDES];
	double share[OVERLAP_SIDES];	/* of the bytes */
};

/* The side of a context's stack: B, or A if the context is lost. */
static inline int
diff_context_side(const struct diff_context *c)
{
	return c->context[OVERLAP_B] != NULL ? OVERLAP_B : OVERLAP_A;
}

static inline enum overlap_state
diff_context_state(const struct diff_context *c)
{
	return c->context[OVERLAP_A] == NULL ? OVERLAP_NEW :
	    c->context[OVERLAP_B] == NULL ? OVERLAP_LOST : OVERLAP_CHANGED;
}

/* All zero before diff_heap_compare; freed with diff_heap_free. */
struct diff_heap {
	const struct heap *heaps[OVERLAP_SIDES];	/* borrowed */
	/* Of contexts and, as `counts`, bytes; none is stale or misfit. */
	struct overlap overlap;
	/*
	 * All contexts by difference of the shares, largest first; the shares
	 * of the first `changed` differ.
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
