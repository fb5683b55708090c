/*
 * format/memprof/read_stacks.h - call stacks of a heap profile's section
 *
 * Records name call stacks in the way of their version; here each distinct one
 * gets a number, in the order in which it is met, and an id that is unique.
 */
#ifndef FORMAT_MEMPROF_READ_STACKS_H
#define FORMAT_MEMPROF_READ_STACKS_H

#include "format/memprof/read_frames.h"

struct memprof_stack_entry {
	uint64_t id;
	uint64_t where;		/* as memprof_frames_walk has it */
};

struct memprof_stack_set {
	const struct memprof_section *section;
	struct memprof_frames frames;
	struct memprof_stack_entry *entries;
	size_t size, room;
	/*
	 * Numbers of stacks + 1, 0 for none: a hash table by id, and by index
	 * in the radix array or among the stacks that have an id.
	 */
	uint32_t *by_id, *by_index;
	size_t by_id_size;
	uint64_t frames_left;	/* of the limit, for radix arrays */
	struct buf ids;		/* of the frames of a stack */
};

/* The section must outlive it.  To be closed after failure too. */
enum prof_status memprof_stack_set_open(struct memprof_stack_set *,
    const struct memprof_section *, struct prof_error *);

/*
 * Reads how a record names a stack.  The id is the one that it has in the file,
 * else the one that LLVM 20 gives to such a stack, or the next that is free if
 * another has it.
 *
 * As stacks in a radix array share their frames, they can be much longer than
 * the file: PROF_E_LIMIT if all together are.
 */
enum prof_status memprof_stack_set_read(struct memprof_stack_set *,
    struct cursor *, uint64_t *id, struct prof_error *);

/*
 * The stack of that number, with frames in the arena.  llvm_id is the one that
 * LLVM 20 gives to it.
 */
enum prof_status memprof_stack_set_get(struct memprof_stack_set *,
    size_t number, struct arena *, struct prof_frame **frames,
    struct prof_stack *, uint64_t *llvm_id, struct prof_error *);

void memprof_stack_set_close(struct memprof_stack_set *);

#endif
