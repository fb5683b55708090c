/* export/shared.h - what the writers of formats share */
#ifndef EXPORT_SHARED_H
#define EXPORT_SHARED_H

#include "base/arena.h"
#include "export/export.h"

export_write export_firefox, export_folded, export_pprof, export_speedscope,
    export_svg;

/* How the formats name the quantities. */
struct export_value {
	const char *title;
	const char *unit;	/* out of speedscope's ValueUnit */
	const char *noun;	/* behind a number */
	const char *weight;	/* out of the Firefox Profiler's WeightType */
};

extern const struct export_value export_values[HEAP_VALUES];

/*
 * Appends bytes as text for strings that must be UTF-8 and fit a line.  Control
 * characters become \xNN; so do all bytes from 0x80 if the whole is not UTF-8.
 */
void export_text(struct buf *, struct prof_span);

/* Appends what heap_put_name gives for a frame, as export_text. */
void export_name(struct buf *, const struct heap *, uint32_t frame,
    heap_name *);

/* The texts that frames are told apart by. */
enum export_key { EXPORT_NAME, EXPORT_FILE, EXPORT_FUNCTION /* both */ };

/* Frames of equal text have one rank; ranks are in the order of the texts. */
struct export_ranks {
	uint32_t *rank;		/* of each frame */
	uint32_t *frame;	/* one of each rank */
	struct prof_span *text;	/* of each rank */
	size_t size;		/* ranks */
	struct arena arena;	/* of the texts */
};

/*
 * Frames of the second heap, if it is not NULL, stand behind those of the
 * first.  False if out of memory; freed with export_ranks_free either way.
 */
bool export_ranks_make(struct export_ranks *, const struct heap *,
    const struct heap *second, enum export_key,
    const struct export_options *);
void export_ranks_free(struct export_ranks *);

/* A context from its root to the site; frame 0 is the root's. */
struct export_stack {
	const struct heap_context *context;
	const uint32_t *rank;	/* of each frame of the heap, or NULL */
	bool of_second;		/* of two heaps */
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
 * shorter one comes first.  Those of a second heap, if it is not NULL, are
 * among them.  NULL: no memory.
 */
struct export_stack *export_stacks(const struct heap *,
    const struct heap *second, const uint32_t *rank);

#endif
