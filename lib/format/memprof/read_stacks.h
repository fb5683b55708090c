/*
 * format/memprof/read_stacks.h - reader of the call stacks of a heap profile's
 * section
 *
 * How records refer to call stacks depends on the version.  Here each distinct
 * stack gets a number, in the order of first reference, and a unique id.
 */
#ifndef FORMAT_MEMPROF_READ_STACKS_H
#define FORMAT_MEMPROF_READ_STACKS_H

#include "format/memprof/read_frames.h"

/* Stacks whose ids are computed together. */
enum { MEMPROF_STACK_BATCH = 64 };

struct memprof_stack_entry {
	uint64_t id;
	uint64_t where;		/* for memprof_frames_walk */
};

struct memprof_stack_set {
	const struct memprof_section *section;
	struct memprof_frames frames;
	struct memprof_stack_entry *entries;
	size_t size, room;
	/*
	 * Numbers of stacks + 1, 0 for none: a hash table by id, and an array
	 * by index in the radix array or the call stack table.
	 */
	uint32_t *by_id, *by_index;
	size_t by_id_size;
	uint64_t seed;			/* of these slots */
	uint64_t frames_left;	/* that radix arrays may still have */
	/* Stacks of a radix array that wait for their ids, the last ones. */
	struct buf ids;		/* of their frames */
	size_t ends[MEMPROF_STACK_BATCH], waiting;
	bool renumbered;	/* one has not the id memprof_stack_id */
};

/*
 * Usage: open, read all references to stacks, finish; then references are read
 * again, with ids, and the stacks are there.  The section must outlive the set.
 * To be closed after failure too.
 */
enum prof_status memprof_stack_set_open(struct memprof_stack_set *,
    const struct memprof_section *, struct prof_error *);

/*
 * Reads a record's reference to a stack.  Once all were read, its id is set:
 * the id in the file, else memprof_stack_id or, if another stack has that, the
 * next free number.
 *
 * Since stacks in a radix array share frames, a small file could have very long
 * ones: PROF_E_LIMIT if all together exceed a limit.
 */
enum prof_status memprof_stack_set_read(struct memprof_stack_set *,
    struct cursor *, uint64_t *id, struct prof_error *);

/* To be called once, when all references were read. */
enum prof_status memprof_stack_set_finish(struct memprof_stack_set *,
    struct prof_error *);

/*
 * Sets the stack with that number, whose frames are in the arena.  Its frames
 * are numbered; the numbers are valid until another stack is set.
 */
enum prof_status memprof_stack_set_item(struct memprof_stack_set *,
    size_t number, struct arena *, struct prof_stack *, struct prof_error *);

/* The memprof_stack_id of the stack that memprof_stack_set_item set last. */
enum prof_status memprof_stack_set_llvm_id(struct memprof_stack_set *,
    size_t number, uint64_t *, struct prof_error *);

void memprof_stack_set_close(struct memprof_stack_set *);

#endif
