/*
 * ops/heap/frames.h - frames, modules and stacks of a heap view, each once
 *
 * Ids of segments and stacks are those of one profile; numbers of modules,
 * frames and stacks are valid for all profiles that were added.
 */
#ifndef OPS_HEAP_FRAMES_H
#define OPS_HEAP_FRAMES_H

#include "model/heap_contexts.h"
#include "base/intervals.h"
#include "base/list_pool.h"
#include "model/frame_pool.h"

/* A segment of the profile that is being read. */
struct heap_segment {
	struct prof_segment segment;	/* build_id is cleared */
	uint32_t module;		/* index */
};

/* All zero is empty. */
struct heap_frames {
	struct intern build_ids;
	struct frame_pool sources;	/* of frames */
	uint32_t *of_source;		/* frame without an address, or NONE */
	size_t of_source_size, of_source_room;
	struct list_pool module_keys, frame_keys;
	struct list_pool stacks;	/* of frames, leaf first */
	struct heap_module *modules;
	size_t modules_size, modules_room;
	struct heap_frame *frames;
	size_t frames_size, frames_room;

	/* Of the profile that is being read. */
	uint64_t profile;		/* its number */
	bool is_sum;			/* of several runs */
	struct heap_segment *segments;
	size_t segments_size, segments_room;
	size_t ranges_size;		/* of all segments */
	struct intervals ranges;	/* rank: UINT32_MAX - segment */
	struct frame_numbers numbers;	/* of frames of the source */
	struct list_pool segment_ids, stack_ids;
	uint32_t *by_id;		/* number of stack, as stack_ids */
	size_t by_id_room;
	uint32_t *scratch;		/* frames of one stack */
	size_t scratch_room;
};

/* Begins a profile: forgets the ids of the one before. */
void heap_frames_start(struct heap_frames *, const struct prof_header *);

/*
 * Add a segment or a stack.  PROF_E_CORRUPT if its id is repeated, or a stack
 * refers to an unknown segment.
 */
enum prof_status heap_frames_segment(struct heap_frames *,
    const struct prof_segment *, struct prof_error *);
enum prof_status heap_frames_stack(struct heap_frames *,
    const struct prof_stack *, struct prof_error *);

/* Number of the stack with that id, or INDEX_NONE. */
uint32_t heap_frames_find(const struct heap_frames *, uint64_t id);

/*
 * Index of the frame that called the allocator: the first frame with a function
 * that is not of the heap profiler's run time.  If there is none, the second
 * address, since the first is in the run time.
 */
size_t heap_frames_site(const struct heap_frames *, const uint32_t *, size_t);

void heap_frames_free(struct heap_frames *);

#endif
