/* merge/heap/engine.h - what merge_heap*.c share */
#ifndef MERGE_HEAP_ENGINE_H
#define MERGE_HEAP_ENGINE_H

#include "base/arena.h"
#include "base/array.h"
#include "base/id_map.h"
#include "base/list_pool.h"
#include "merge/heap/mib.h"
#include "merge/heap/set.h"
#include "prof.h"

/* No thing of a table; also the number of the module of absolute addresses. */
#define MHEAP_NONE	INDEX_NONE

/* Records of one profile, as they came. */
struct mheap_hold {
	/* All they point to is in the arena. */
	struct prof_record *records, *behind;	/* allocations of pairs */
	size_t size, room, behind_size, behind_room;
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

/*
 * A stack in the terms of the sum, in one piece: those of many profiles are
 * compared with each other, each far from the one before.
 */
struct mheap_stack {
	uint32_t pcs_size, frames_size;
	uint32_t modules;		/* number of a list */
	uint64_t numbers[];		/* frames, two in one, then addresses */
};

/* Numbers of frames. */
static inline uint32_t *
mheap_frames(const struct mheap_stack *s)
{
	return (uint32_t *)(uintptr_t)s->numbers;
}

/* Addresses, in modules that are in a list of their own. */
static inline uint64_t *
mheap_addresses(const struct mheap_stack *s)
{
	return (uint64_t *)(uintptr_t)s->numbers +
	    (s->frames_size + UINT64_C(1)) / 2;
}

/* A stack of the sum, and what was allocated there. */
struct mheap_context {
	struct mheap_stack *stack;
	struct mheap_mib *allocation;	/* or NULL */
	uint64_t id;			/* once ordered */
};

/* One that has come, and is not looked up yet. */
struct mheap_waiting {
	struct mheap_stack *stack;
	const struct prof_mib *info;	/* of a pair, or NULL */
	uint64_t id, hash;
	uint32_t item;			/* its context, if it is known */
	uint32_t likely;		/* or what may be it */
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

/* How a stack's absolute addresses lie: those up to each end are in a range. */
enum { MHEAP_RUNS_MAX = 8 };

struct mheap_runs {
	struct mheap_range ranges[MHEAP_RUNS_MAX];
	size_t ends[MHEAP_RUNS_MAX];
	size_t size;			/* 0: unknown; or there are too many */
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
	struct mheap_range recent[2];	/* that had addresses */
	bool last;			/* which of them had the last one */
	struct mheap_runs runs;		/* of the last stack */
	struct id_map segment_ids;	/* to places in segments */
	struct id_map stacks;		/* ids to contexts */
	size_t next;			/* that is expected to be named */
	struct arena arena;		/* of its segments */
};

/* A table of the sum. */
#define MHEAP_TABLE(type) struct { \
	type *items, *moved; size_t room; struct hash_index index; }

/* Stacks that are looked up together, so that memory is asked for early. */
enum { MHEAP_WAITING_MAX = 32 };

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
	struct list_pool modules_of;	/* lists of modules of stacks */
	uint32_t *list;			/* of those of one stack */
	size_t list_room;
	uint32_t last_list;		/* that a stack had */
	struct mheap_waiting waiting[MHEAP_WAITING_MAX];
	size_t waiting_size;
	struct arena waiting_arena;
	uint32_t next, ahead;		/* the context to expect, */
	bool guess;			/* which the last one was */
};

/* The number of the next thing of a table, or MHEAP_NONE: out of memory. */
#define MHEAP_NEXT(table, hash)						\
	(((table).moved = array_room((table).items, (table).index.size,	\
	    &(table).room, sizeof(*(table).items))) != NULL &&		\
	    ((table).items = (table).moved) != NULL &&			\
	    hash_index_add(&(table).index, (hash)) ?			\
	    (table).index.size - 1 : MHEAP_NONE)

/* merge/heap/hold.c: keeps a copy; false if out of memory. */
bool mheap_hold(struct mheap_hold *, const struct prof_record *,
    const struct merge_factor *);
void mheap_hold_free(struct mheap_hold *);

/* How many there are; stacks come before all allocations. */
static inline size_t
mheap_held(const struct mheap_hold *h)
{
	return h->size + h->behind_size;
}

static inline const struct prof_record *
mheap_held_record(const struct mheap_hold *h, size_t i)
{
	return i < h->size ? &h->records[i] : &h->behind[i - h->size];
}

/* merge/heap/segment.c; the addresses of a stack go to a new one. */
enum prof_status mheap_add_segment(struct merge_heap *,
    const struct prof_segment *, struct prof_error *);
enum prof_status mheap_place_pcs(struct merge_heap *,
    const struct prof_stack *, struct mheap_stack *, struct prof_error *);

/* The modules of the addresses; none of them is valid for long. */
static inline const uint32_t *
mheap_modules(const struct merge_heap *h, const struct mheap_stack *s)
{
	return h->modules_of.items[s->modules].numbers;
}

/* merge/heap/stack.c */
enum prof_status mheap_add_stack(struct merge_heap *, const struct prof_stack *,
    struct prof_error *);

enum prof_status mheap_add_pairs(struct merge_heap *,
    const struct prof_pairs *, const struct merge_factor *,
    struct prof_error *);

/* Looks up the stacks that wait for it. */
enum prof_status mheap_find(struct merge_heap *, struct prof_error *);

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

/* merge/heap/frame.c: numbers of equal things; MHEAP_NONE if out of memory. */
uint32_t mheap_text(struct merge_heap *, struct prof_span);
uint32_t mheap_frame(struct merge_heap *, const struct prof_frame *);

/* The text of a number: data is NULL if it is unknown. */
static inline struct prof_span
mheap_text_of(const struct merge_heap *h, uint32_t number)
{
	return number == 0 ? (struct prof_span){ NULL, 0 } :
	    h->texts.items[number];
}

/* merge/heap/function.c */
enum prof_status mheap_add_function(struct merge_heap *,
    const struct prof_memprof_function *, const struct merge_factor *,
    struct prof_error *);
enum prof_status mheap_add_data(struct merge_heap *,
    const struct prof_record *, const struct merge_factor *,
    struct prof_error *);

/*
 * merge/heap/write.c: all records in canonical order.  Nothing can be added
 * afterwards.
 */
enum prof_status mheap_put(struct merge_heap *, struct prof_writer *,
    uint64_t *saturated, struct prof_error *);

#endif
