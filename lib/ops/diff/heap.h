/*
 * diff_heap.h - how much of two heap profiles is the same
 *
 * A context is known by its frames: functions, lines from their beginning and
 * columns; or, where it was not symbolized, by build ids and addresses.
 */
#ifndef OPS_DIFF_HEAP_H
#define OPS_DIFF_HEAP_H

#include "model/heap_contexts.h"
#include "base/intern.h"
#include "ops/diff/overlap.h"

struct diff_context {
	const struct heap_context *context[OVERLAP_SIDES];	/* or NULL */
	uint64_t bytes[OVERLAP_SIDES], count[OVERLAP_SIDES];
	double share[OVERLAP_SIDES];	/* of the bytes */
};

/* All zero before diff_heap_compare; freed with diff_heap_free. */
struct diff_heap {
	uint64_t contexts[OVERLAP_SIDES], common, alone[OVERLAP_SIDES];
	double bytes[OVERLAP_SIDES];
	double overlap;			/* of bytes, as of counters */
	double alone_share[OVERLAP_SIDES];
	/* By how far the shares are apart; first those where they are. */
	struct diff_context *changes;
	size_t size, room, changed;
	struct intern keys;
};

/* The heaps must stay. */
enum prof_status diff_heap_compare(struct diff_heap *, const struct heap *a,
    const struct heap *b, struct prof_error *);
void diff_heap_free(struct diff_heap *);

#endif
