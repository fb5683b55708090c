/*
 * format/memprof/build_stacks.h - the call stacks of one heap profile, with frames
 *
 * A part of memprof_build: frames, the frames of one address, and whole stacks
 * are kept once each.  What LLVM leaves out is not kept: addresses that have no
 * function, and those of the runtime's own allocation functions
 * (RawMemProfReader::symbolizeAndFilterStackFrames, LLVM 15 to 22).
 */
#ifndef FORMAT_MEMPROF_BUILD_STACKS_H
#define FORMAT_MEMPROF_BUILD_STACKS_H

#include "base/intern_list.h"
#include "format/memprof/build.h"

/* A stack record, as far as it has functions. */
struct memprof_entry {
	uint32_t *locations;		/* indices, leaf first */
	uint32_t size;
	uint32_t content;		/* index of all its frames, or NONE */
	bool bare;			/* addresses without functions */
	struct prof_mib *info;		/* of its allocations, or NULL */
};

/* All zero is empty. */
struct memprof_stacks {
	struct list_pool frame_keys;	/* of frames, in the same order */
	struct memprof_frame *frames;
	uint32_t *alone;		/* of each, the group of nothing else */
	size_t frames_room, alone_room;
	struct list_pool groups;		/* frames of one address */
	struct list_pool locations;	/* address and group, or group only */
	struct list_pool contents;		/* frames of what is in use */
	struct list_pool ids;		/* of entries, in the same order */
	struct memprof_entry *entries;
	size_t entries_room;
	uint32_t *scratch;
	size_t scratch_room;
	struct arena arena;
	struct list_pool unknown;		/* addresses without a function */
	uint64_t bare;			/* stacks that have some */
	uint64_t bare_frames;		/* without an address */
	memprof_tell *tell;		/* or NULL */
	void *tell_arg;
	struct prof_frame *told;	/* frames of one stack */
	size_t told_room;
};

enum prof_status memprof_stacks_put(struct memprof_stacks *,
    const struct prof_stack *, struct prof_error *);

/* The stack with that id, or NULL with an error that names `whose` it is. */
struct memprof_entry *memprof_stacks_find(struct memprof_stacks *, uint64_t id,
    const char *whose, struct prof_error *);

/* Frames of a location. */
const struct list_pool_entry *memprof_location(const struct memprof_stacks *,
    uint32_t location);

/*
 * Puts a stack into use, or the frames of one of its locations: the index of
 * its frames among the contents, TUPLES_NONE if out of memory.
 */
uint32_t memprof_stacks_use(struct memprof_stacks *, struct memprof_entry *);
uint32_t memprof_stacks_use_location(struct memprof_stacks *,
    uint32_t location);

void memprof_stacks_free(struct memprof_stacks *);

#endif
