/*
 * format/memprof/read_frames.h - reader of the frames of a heap profile's
 * section, and of the frames of each call stack
 */
#ifndef FORMAT_MEMPROF_READ_FRAMES_H
#define FORMAT_MEMPROF_READ_FRAMES_H

#include "model/memprof/ids.h"
#include "format/memprof/section.h"

/* An item of a table of ids, or an element of the array of frames. */
struct memprof_item {
	uint64_t key;
	size_t at, size;	/* offset and number of its bytes */
	uint64_t id;		/* of a frame: memprof_frame_id */
};

struct memprof_frames {
	const struct memprof_section *section;
	struct memprof_item *frames, *stacks;	/* sorted if they have keys */
	size_t frames_size, stacks_size;
	struct buf walked;	/* frames of a stack: indices, u32 */
};

/*
 * Reads all frames, and the stacks of the call stack table if there is one.
 * The section must outlive the result.  To be closed after failure too.
 */
enum prof_status memprof_frames_open(struct memprof_frames *,
    const struct memprof_section *, struct prof_error *);

/* The item of the call stack table with that id, or NULL. */
const struct memprof_item *memprof_frames_stack(const struct memprof_frames *,
    uint64_t id);

/*
 * Puts the frames of a stack into `walked`.  `where` depends on row->stacks:
 * FRAME_IDS: offset of the stack's length, which was checked; STACK_IDS: index
 * into `stacks`; RADIX_INDEX: index of its length, within the radix array.
 */
enum prof_status memprof_frames_walk(struct memprof_frames *, uint64_t where,
    struct prof_error *);

/* The number of frames walked, and each of them. */
size_t memprof_frames_walked(const struct memprof_frames *);
const struct memprof_item *memprof_frames_item(const struct memprof_frames *,
    size_t);

/* Decodes the frame at an offset of the file. */
struct memprof_frame memprof_frame_at(const struct memprof_section *,
    size_t at);

/* An element of the radix array, whose index must be below its size. */
uint32_t memprof_element(const struct memprof_section *, uint64_t index);

void memprof_frames_close(struct memprof_frames *);

#endif
