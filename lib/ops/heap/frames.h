/* heap_frames.h - stacks to the frames and modules of a heap view */
#ifndef OPS_HEAP_FRAMES_H
#define OPS_HEAP_FRAMES_H

#include "model/heap_contexts.h"
#include "base/intern.h"

/* A segment of the profile that is being read. */
struct heap_segment {
	struct prof_segment segment;	/* without build id */
	uint32_t module;
};

/* All zero is empty. */
struct heap_frames {
	struct intern strings, module_keys, frame_keys, stacks;
	struct heap_module *modules;
	size_t modules_size, modules_room;
	struct heap_frame *frames;
	size_t frames_size, frames_room;

	/* Of the profile that is being read. */
	uint64_t profile;		/* its number */
	struct heap_segment *segments;
	size_t segments_size, segments_room;
	uint32_t *ranges;		/* segments with one, by start */
	size_t ranges_size, ranges_room;
	struct intern segment_ids, stack_ids;
	uint32_t *by_id;		/* stack of each of stack_ids */
	size_t by_id_room;
	uint32_t *scratch;		/* frames of one stack */
	size_t scratch_room;
};

/* A new profile begins: ids of the one before mean nothing. */
void heap_frames_start(struct heap_frames *);

enum prof_status heap_frames_segment(struct heap_frames *,
    const struct prof_segment *, struct prof_error *);
enum prof_status heap_frames_stack(struct heap_frames *,
    const struct prof_stack *, struct prof_error *);

/* Number of the stack with that id, or INDEX_NONE; its frames, leaf first. */
uint32_t heap_frames_find(const struct heap_frames *, uint64_t id);
const uint32_t *heap_frames_of(const struct heap_frames *, uint32_t stack,
    size_t *size);

/*
 * The frame that called the allocator: the first of the source that is not of
 * the heap profiler's run time.  If there is none: the second address, since
 * the first is in the run time.
 */
size_t heap_frames_site(const struct heap_frames *, const uint32_t *, size_t);

void heap_frames_free(struct heap_frames *);

#endif
