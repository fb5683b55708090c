/*
 * merge/core/sample.h - a sample of temporal traces that no order changes
 *
 * Of all traces, those of the smallest digests are kept, at most so many.
 * Traces of the same functions are one trace, and their weights are added.  A
 * trace that is kept of all profiles is kept of any of them, so that a sample
 * of samples is the sample of all profiles, with the same weights.
 *
 * The digest is MD5 of the guids: names that are known in some profiles only do
 * not change it.
 */
#ifndef MERGE_CORE_SAMPLE_H
#define MERGE_CORE_SAMPLE_H

#include "base/arena.h"
#include "base/bytes.h"
#include "merge/merge.h"

struct merge_trace {
	uint64_t weight;
	const uint64_t *guids;
	size_t size;
};

struct merge_sampled;

/* All zero but for the limits. */
struct merge_sample {
	struct merge_trace_limits limits;
	struct merge_sampled *list;	/* up to twice as many as are kept */
	size_t size, room;
	bool full;			/* the first ones are all that fit */
	struct arena arena;		/* of their guids */
	struct buf bytes;		/* from which a digest is made */
};

/* Adds a trace, whose guids are copied.  False if out of memory. */
bool merge_sample_add(struct merge_sample *, const struct merge_trace *);

/*
 * Removes the traces that are not kept.  The others are appended to the array,
 * and their guids stay valid until merge_sample_free.  False if out of memory.
 */
bool merge_sample_end(struct merge_sample *, struct merge_trace **,
    size_t *size, size_t *room);

void merge_sample_free(struct merge_sample *);

#endif
