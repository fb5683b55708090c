/*
 * format/memprof/read_frames.h - reader of the frames of a heap profile's
 * section, and of the frames of each call stack
 */
#ifndef FORMAT_MEMPROF_READ_FRAMES_H
#define FORMAT_MEMPROF_READ_FRAMES_H

#include "model/memprof/ids.h"
#include "format/memprof/section.h"

/* An item of a table of ids. */
struct memprof_item {
	uint64_t key;
	size_t at, size;	/* offset and number of its bytes */
};

struct memprof_frames {
	const struct memprof_section *section;
	struct memprof_item *frames, *stacks;	/* tables, sorted by key */
	size_t frames_size, stacks_size;
	uint64_t *ids;		/* memprof_frame_id of each frame */
	uint32_t *walked;	/* frames of a stack: indices */
	size_t walked_size, walked_room;
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

/* The offset in the file of the frame with that index. */
static inline size_t
memprof_frames_at(const struct memprof_frames *f, uint32_t frame)
{
	return f->frames != NULL ? f->frames[frame].at :
	    f->section->frames + (size_t)frame * MEMPROF_FRAME_SIZE;
}

/* Decodes the frame at an offset of the file. */
static inline struct memprof_frame
memprof_frame_at(const struct memprof_section *s, size_t at)
{
	const uint8_t *p = s->image.data + at;

	return (struct memprof_frame){ .guid = load_u64(p, false),
	    .line_offset = load_u32(p + 8, false),
	    .column = load_u32(p + 12, false), .is_inline = p[16] != 0 };
}

/* An element of the radix array, whose index must be below its size. */
static inline uint32_t
memprof_element(const struct memprof_section *s, uint64_t index)
{
	return load_u32(s->image.data + s->radix + (size_t)index * 4, false);
}

void memprof_frames_close(struct memprof_frames *);

#endif
