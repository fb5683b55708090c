/* export/ranks.h - frames by a text, contexts by the ranks of their frames */
#ifndef EXPORT_RANKS_H
#define EXPORT_RANKS_H

#include "export/export.h"

/* Appends the text that frames are told apart by. */
typedef void export_key(struct buf *, const struct heap *, uint32_t frame,
    const struct export_options *);

/* Frames of equal text have one rank; ranks are in the order of the texts. */
struct export_ranks {
	uint32_t *rank;		/* of each frame */
	uint32_t *frame;	/* one of each rank */
	size_t size;		/* ranks */
	size_t *start;		/* of each frame's text, and the end */
	struct buf text;
};

/* False if out of memory; freed with export_ranks_free either way. */
bool export_ranks_make(struct export_ranks *, const struct heap *,
    export_key *, const struct export_options *);

/* The text of a rank. */
struct prof_span export_ranks_text(const struct export_ranks *, size_t rank);
void export_ranks_free(struct export_ranks *);

/* The names of frames, as export_name has them. */
void export_key_name(struct buf *, const struct heap *, uint32_t frame,
    const struct export_options *);

/* A context from its root to the site; frame 0 is the root's. */
struct export_stack {
	const struct heap_context *context;
	const uint32_t *rank;	/* of each frame of the heap, or NULL */
};

static inline size_t
export_stack_depth(const struct export_stack *s)
{
	return s->context->size - s->context->site;
}

static inline uint32_t
export_stack_frame(const struct export_stack *s, size_t i)
{
	return s->context->frames[s->context->size - 1 - i];
}

/*
 * The contexts by the ranks of their frames, or by their frames if rank is
 * NULL, so that those which share their outer frames stand together; the
 * shorter one comes first.  NULL: no memory.
 */
struct export_stack *export_stacks(const struct heap *, const uint32_t *rank);

#endif
