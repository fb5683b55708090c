/*
 * format/memprof/read_frames.h - frames of a heap profile's section, and which of
 * them a call stack has
 */
#ifndef FORMAT_MEMPROF_READ_FRAMES_H
#define FORMAT_MEMPROF_READ_FRAMES_H

#include "model/memprof/ids.h"
#include "format/memprof/image.h"

/* An item of a table of ids, or an element of the array of frames. */
struct memprof_item {
	uint64_t key;
	size_t at, size;	/* its bytes */
	uint64_t id;		/* of a frame: that of LLVM 20 */
};

struct memprof_frames {
	const struct memprof_section *section;
	struct memprof_item *frames, *stacks;	/* by key if there are keys */
	size_t frames_size, stacks_size;
	struct buf walked;	/* numbers of frames, u32 */
};

/*
 * Reads all frames, and finds the stacks that have an id.  The section must
 * outlive it.  To be closed after failure too.
 */
enum prof_status memprof_frames_open(struct memprof_frames *,
    const struct memprof_section *, struct prof_error *);

/* The stack of that id in the file, or NULL. */
const struct memprof_item *memprof_frames_stack(const struct memprof_frames *,
    uint64_t id);

/*
 * The frames of a stack go into `walked`.  Of row->stacks, where is the offset
 * of its length (which has been checked), the number of its item, or the index
 * of its length (which is in the radix array).
 */
enum prof_status memprof_frames_walk(struct memprof_frames *, uint64_t where,
    struct prof_error *);

/* How many were walked, and each of them. */
size_t memprof_frames_walked(const struct memprof_frames *);
const struct memprof_item *memprof_frames_item(const struct memprof_frames *,
    size_t);

/* The frame whose bytes are at that offset. */
struct memprof_frame memprof_frame_at(const struct memprof_section *,
    size_t at);

/* An element of the radix array. */
uint32_t memprof_element(const struct memprof_section *, uint64_t index);

void memprof_frames_close(struct memprof_frames *);

#endif
