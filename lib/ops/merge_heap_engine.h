/* merge_heap_engine.h - what merge_heap*.c share */
#ifndef OPS_MERGE_HEAP_ENGINE_H
#define OPS_MERGE_HEAP_ENGINE_H

#include "base/arena.h"
#include "base/array.h"
#include "ops/merge_heap_index.h"
#include "ops/merge_heap_mib.h"
#include "prof.h"

/* Records of one profile, as they came. */
struct mheap_hold {
	struct prof_record *records;	/* all they point to is in the arena */
	size_t size, room;
	struct arena arena;
};

/* A segment of the sum: one a build id, or one of one profile. */
struct mheap_module {
	struct prof_segment as;		/* with a build id: no range */
	uint64_t digest;		/* from here on once ordered */
	uint32_t order;
};

/* An interned frame; name and file are numbers of texts. */
struct mheap_frame {
	uint64_t guid;
	uint32_t name, file;
	uint32_t line, start_line, line_offset, column, discriminator, flags;
	uint64_t digest;		/* once ordered; above is the key */
};

/* A stack of the sum. */
struct mheap_context {
	uint64_t *addresses;		/* in modules[i], or MHEAP_NONE */
	uint32_t *modules;
	uint32_t *frames;
	uint32_t pcs_size, frames_size;
	struct mheap_mib *allocation;	/* or NULL */
	uint64_t id;			/* once ordered */
};

struct mheap_function {
	uint64_t guid;
	uint32_t name;
};

/* The allocations of one stack in one function. */
struct mheap_site {
	uint64_t guid;			/* of the function */
	uint64_t stack;			/* id of the context, once ordered */
	struct mheap_mib *info;
	uint64_t profile;		/* that had it last, */
	uint32_t seen;			/* and how often */
	uint32_t context;
};

struct mheap_call {
	uint64_t guid, stack;
	struct mheap_set callees;
	uint32_t context;
};

struct mheap_data {
	uint32_t symbol;		/* or 0: hash */
	uint64_t hash;
	bool accessed, cold, saturated;
	uint64_t count;
	struct mheap_set locations;	/* file << 32 | line */
};

/* Addresses of [start, end) are in the module, at address + shift. */
struct mheap_range {
	uint64_t start, size, shift;
	uint64_t id;			/* of the segment, in its profile */
	uint32_t module;
};

/* The profile that is being read. */
struct mheap_local {
	bool is_sum;			/* its absolute addresses stay so */
	bool ranges_used;
	struct prof_segment *segments;
	uint32_t *modules;		/* of each segment */
	struct mheap_range *ranges;	/* sorted once they are used */
	size_t segments_size, segments_room, modules_room;
	size_t ranges_size, ranges_room;
	struct mheap_range last, before_last;	/* that had an address */
	struct mheap_map segment_ids;	/* to segments */
	uint64_t *ids;			/* of stacks, as they came */
	uint32_t *contexts;		/* of each */
	size_t size, ids_room, contexts_room;
	size_t next;			/* that is expected to be named */
	struct mheap_map stack_ids;	/* to places in ids */
	struct arena arena;		/* of its segments */
};

/* A table of the sum. */
#define MHEAP_TABLE(type) struct { \
	type *items, *moved; size_t room; struct mheap_index index; }

struct merge_heap {
	struct arena arena;
	uint64_t seed;			/* of hashes that do not go out */
	uint64_t profiles;		/* with heap data */
	uint64_t reading;		/* the profile being folded, from 1 */
	bool own;			/* the profile being read has some */
	uint64_t own_inputs;
	uint64_t held_inputs;		/* of the profile that is held */
	struct mheap_hold hold;
	struct mheap_local local;
	MHEAP_TABLE(struct mheap_module) modules;
	MHEAP_TABLE(struct prof_span) texts;	/* number 0 is none */
	MHEAP_TABLE(struct mheap_frame) frames;
	MHEAP_TABLE(struct mheap_context) contexts;
	MHEAP_TABLE(struct mheap_function) functions;
	MHEAP_TABLE(struct mheap_site) sites;
	MHEAP_TABLE(struct mheap_call) calls;
	MHEAP_TABLE(struct mheap_data) data;
	/* A stack in the terms of the sum. */
	struct mheap_context key;
	size_t pcs_room, frames_room;
	uint32_t next;			/* the context to expect, */
	bool guess;			/* which the last one was */
};

/* The number of the next thing of a table, or MHEAP_NONE: out of memory. */
#define MHEAP_NEXT(table, hash)						\
	(((table).moved = array_room((table).items, (table).index.size,	\
	    &(table).room, sizeof(*(table).items))) != NULL &&		\
	    ((table).items = (table).moved) != NULL &&			\
	    mheap_index_add(&(table).index, (hash)) ?			\
	    (table).index.size - 1 : MHEAP_NONE)

/* merge_heap_hold.c: keeps a copy; false if out of memory. */
bool mheap_hold(struct mheap_hold *, const struct prof_record *,
    const struct merge_factor *);
void mheap_hold_free(struct mheap_hold *);

/* merge_heap_segment.c; the addresses of a stack go into the key. */
enum prof_status mheap_add_segment(struct merge_heap *,
    const struct prof_segment *, struct prof_error *);
enum prof_status mheap_place_pcs(struct merge_heap *,
    const struct prof_stack *, struct prof_error *);

/* merge_heap_stack.c */
enum prof_status mheap_add_stack(struct merge_heap *, const struct prof_stack *,
    struct prof_error *);

enum prof_status mheap_add_allocation(struct merge_heap *,
    const struct prof_allocation *, const struct merge_factor *,
    struct prof_error *);

/* Adds a block to those of a context; *sum is NULL until there is one. */
enum prof_status mheap_add_info(struct merge_heap *, struct mheap_mib **sum,
    const struct prof_mib *, const struct merge_factor *,
    struct prof_error *);

/* The context of a stack of the profile that is being read. */
enum prof_status mheap_context_of(struct merge_heap *, uint64_t stack,
    uint32_t *out, struct prof_error *);

/* merge_heap_frame.c: numbers of equal things; MHEAP_NONE if out of memory. */
uint32_t mheap_text(struct merge_heap *, struct prof_span);
uint32_t mheap_frame(struct merge_heap *, const struct prof_frame *);

/* The text of a number: data is NULL if it is unknown. */
static inline struct prof_span
mheap_text_of(const struct merge_heap *h, uint32_t number)
{
	return number == 0 ? (struct prof_span){ NULL, 0 } :
	    h->texts.items[number];
}

/* merge_heap_function.c */
enum prof_status mheap_add_function(struct merge_heap *,
    const struct prof_memprof_function *, const struct merge_factor *,
    struct prof_error *);
enum prof_status mheap_add_data(struct merge_heap *,
    const struct prof_record *, const struct merge_factor *,
    struct prof_error *);

/*
 * merge_heap_write.c: all records in canonical order.  Nothing can be added
 * afterwards.
 */
enum prof_status mheap_put(struct merge_heap *, struct prof_writer *,
    uint64_t *saturated, struct prof_error *);

#endif
