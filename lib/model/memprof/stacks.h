/*
 * model/memprof/stacks.h - the builder's part for call stacks and their frames
 *
 * Frames, the frames of one address, and whole stacks are stored once each.
 * Addresses without a function and addresses in the allocation functions of
 * LLVM's runtime are left out, as LLVM does
 * (RawMemProfReader::symbolizeAndFilterStackFrames, LLVM 15 to 22).  So are
 * addresses whose function has no place (memprof_has_place), of which only
 * symbol tables know; but a profile that has no others keeps them.
 */
#ifndef MODEL_MEMPROF_STACKS_H
#define MODEL_MEMPROF_STACKS_H

#include "base/hash.h"
#include "model/heap.h"
#include "model/memprof/build.h"

/* A stack record without the addresses that are left out. */
struct memprof_stack_record {
	size_t first;			/* of its locations, leaf first */
	uint32_t size;
	uint32_t content;		/* index of all its frames, or NONE */
	bool incomplete;		/* had addresses without a function */
	bool without_place;		/* had such as stacks.without_place */
	struct prof_mib *info;		/* of its allocations, or NULL */
};

/*
 * A location is the index of a group and its address, or, as for most, of one
 * frame that has its address for itself and tells it; so is a group.
 */
#define MEMPROF_SINGLE	UINT32_C(0x80000000)

/* All zero is empty. */
struct memprof_stacks {
	struct list_pool frame_keys;	/* of frames, in the same order */
	struct memprof_frame *frames;
	uint32_t *singles;		/* the index of each, as a list */
	size_t frames_room, singles_room;
	/*
	 * Frames by the reader's numbers; and locations without an address, of
	 * frames that have a place and their address for themselves.
	 */
	struct frame_numbers numbered, located;
	struct list_pool groups;	/* frames of one address */
	struct list_pool locations;	/* group and address, or group only */
	struct list_pool contents;	/* frames of the stacks in use */
	struct id_map ids;		/* of entries, in the same order */
	struct memprof_stack_record *entries;
	size_t entries_room;
	uint32_t *places;		/* locations of all entries */
	size_t places_size, places_room;
	uint32_t *scratch;
	size_t scratch_room;
	struct list_pool unknown;	/* addresses without a function */
	uint64_t incomplete;		/* stacks that have such addresses */
	uint64_t incomplete_frames;	/* unknown frames without an address */
	bool has_places;		/* some address has a place */
	uint64_t without_place;	/* stacks with a function that has none */
};

/*
 * Adds a stack.  An equal one may be put again; PROF_E_CORRUPT if another stack
 * was put with this id.
 */
enum prof_status memprof_stacks_put(struct memprof_stacks *,
    const struct prof_stack *, struct prof_error *);

/* The stack with that id, or NULL with an error that names its user `whose`. */
struct memprof_stack_record *memprof_stacks_find(struct memprof_stacks *,
    uint64_t id, const char *whose, struct prof_error *);

/* Location I of a stack, or the room for the one that is added next. */
static inline uint32_t *
memprof_location_at(const struct memprof_stacks *s,
    const struct memprof_stack_record *e, uint32_t i)
{
	return &s->places[e->first + i];
}

/* The frames of a location, as indices; valid until a stack is added. */
struct list_pool_entry memprof_location(const struct memprof_stacks *,
    uint32_t location);

/* A number of a location, below memprof_locations_size. */
static inline size_t
memprof_location_number(const struct memprof_stacks *s, uint32_t location)
{
	return location < MEMPROF_SINGLE ? location :
	    (size_t)s->locations.size + (location - MEMPROF_SINGLE);
}

static inline size_t
memprof_locations_size(const struct memprof_stacks *s)
{
	return (size_t)s->locations.size + s->frame_keys.size;
}

/*
 * Adds the frames of a stack, or of one location, to the contents, which become
 * the stacks of the result.  The index there; INDEX_NONE if out of memory.
 */
uint32_t memprof_stacks_use(struct memprof_stacks *,
    struct memprof_stack_record *);
uint32_t memprof_stacks_use_location(struct memprof_stacks *,
    uint32_t location);

/*
 * Sorts the contents by their frames, which are sorted and get new numbers, and
 * sets numbers[i] to the new number of content i.  False if out of memory.
 */
bool memprof_stacks_sort(struct memprof_stacks *, uint32_t *numbers);

/* Frees all but frames and contents, once every stack was used. */
void memprof_stacks_finish(struct memprof_stacks *);

void memprof_stacks_free(struct memprof_stacks *);

#endif
