/*
 * merge/heap.h - the heap data of many profiles to one
 *
 * Contexts are folded by their contents and not by their ids, so that contexts
 * of runs with other addresses become one:
 *
 * - a stack without frames is the list of its addresses, each relative to its
 *   module; a module is known by its build id, or without one by its range; an
 *   address outside of all segments is absolute;
 * - a stack with frames is the list of its frames, with all their members; it
 *   has addresses only if they are the same in all profiles.  If one of its
 *   frames is empty, only the addresses tell stacks apart, and belong to them;
 * - the allocation statistics of a context are summed (mheap_mib_add);
 * - alloc sites of a function are folded by their stacks, as are call sites,
 *   which get the callees of all profiles;
 * - counts of data accesses are added, and a symbol that was accessed in one
 *   profile is not cold.
 *
 * Each table of the sum (MHEAP_TABLE) is an array of things and a hash index
 * that finds the thing that is equal to a new one.  Things refer to each other
 * by their numbers in these arrays, in which they stand in the order they came.
 * Only in the end are they put in canonical order (heap_write.c).
 *
 * mheap_ is the prefix of what belongs to the heap_* files only.
 */
#ifndef MERGE_HEAP_H
#define MERGE_HEAP_H

#include "base/arena.h"
#include "base/hash.h"
#include "base/numbers.h"
#include "merge/merge.h"
#include "model/heap.h"
#include "model/mib.h"
#include "prof.h"

struct merge_heap;

struct merge_heap *merge_heap_new(void);	/* NULL if out of memory */

/* A profile begins that may have heap data. */
void merge_heap_begin(struct merge_heap *, const struct prof_header *);

enum prof_status merge_heap_add(struct merge_heap *,
    const struct prof_record *, const struct merge_factor *,
    struct prof_error *);

/* All records of the profile were added. */
void merge_heap_end(struct merge_heap *);

/* Profiles that had heap data; 0 if there is no heap. */
uint64_t merge_heap_profiles(const struct merge_heap *);

/*
 * Whether the records that merge_heap_write will put are folded (prof_header):
 * all are but those of a single profile that is put as it was read.  False if
 * there is no heap.
 */
bool merge_heap_is_folded(const struct merge_heap *, bool as_read);

/*
 * Puts the records in canonical order, or, if as_read and only one profile had
 * heap data, in the order they came.  *saturated becomes the number of contexts
 * and data symbols with a sum that was too large.
 */
enum prof_status merge_heap_write(struct merge_heap *, bool as_read,
    struct prof_writer *, uint64_t *saturated, struct prof_error *);

void merge_heap_free(struct merge_heap *);

/* No number of a table; as a module, that of absolute addresses. */
#define MHEAP_NONE	INDEX_NONE

/*
 * Records of the first profile with heap data.  They are not folded before
 * another such profile comes: if none does, they may be written as they came.
 */
struct mheap_pending {
	/* Structures of records, which are smaller than a prof_record. */
	struct mheap_pending_item {
		enum prof_record_kind kind;
		const void *structure;
	} *items;
	size_t size, room;
	struct prof_frame *lent;	/* frames of one stack */
	size_t lent_room;
	struct arena arena;		/* of records, but for frames */
};

/* A segment of the sum: one a build id; of segments without id, one a range. */
struct mheap_module {
	struct prof_segment as;		/* with a build id: no range */
	uint64_t digest;		/* set in the end, as is order */
	uint32_t order;
};

/*
 * A context of the sum: a stack and the statistics of its allocations.  The
 * stack of context i is list i of merge_heap.stacks: the number of its frames,
 * the numbers of these, and, if stacks with other addresses are others
 * (mheap_is_by_address), the number of the list of modules and the addresses.
 */
struct mheap_context {
	/* Addresses, each relative to its module, as two numbers, low first. */
	const uint32_t *pcs;
	uint32_t pcs_size;
	uint32_t modules;		/* number of a list in modules_of */
	struct mib_sum *allocation;	/* or NULL */
	uint64_t id;			/* set in the end */
};

static inline uint64_t
mheap_address(const struct mheap_context *c, size_t i)
{
	return (uint64_t)c->pcs[2 * i + 1] << 32 | c->pcs[2 * i];
}

/* The allocations of one stack in one function, or its calls there. */
struct mheap_site {
	uint64_t guid;			/* of the function */
	uint64_t stack;			/* id of the context, set in the end */
	uint32_t context;
	uint32_t seen;			/* how often `record` has it */
	union {
		struct {
			struct mib_sum *info;
			uint64_t record;	/* the last with the site */
		};
		struct number_set callees;	/* of calls */
	};
};

struct mheap_data {
	uint32_t symbol;		/* a text; 0: known by its hash */
	uint64_t hash;
	bool accessed, saturated;
	uint64_t count;
	struct number_set locations;	/* file << 32 | line */
};

/* Absolute addresses from start on are in the module, at address + shift. */
struct mheap_range {
	uint64_t start, size, shift;
	uint32_t module;
};

/* The guids of the frames of a stack's first address, in ascending order. */
struct mheap_leaf {
	const uint64_t *guids;
	size_t size;
};

/* The profile that is being read. */
struct mheap_local {
	struct heap_refs refs;		/* its ids, and those of pending */
	uint32_t *modules;		/* of each segment */
	/* Of an address in two ranges, the first one counts. */
	struct mheap_range *ranges;
	struct intervals by_address;	/* rank: UINT32_MAX - range */
	size_t modules_room;
	size_t ranges_size, ranges_room;
	struct mheap_range recent[2];	/* two that had addresses lately */
	bool last;			/* which of these had the last one */
	struct frame_numbers frames;	/* numbers of the sum */
};

/* A table of the sum. */
#define MHEAP_TABLE(type) { \
	type *items; size_t room; struct hash_index index; }

struct mheap_sites MHEAP_TABLE(struct mheap_site);

struct merge_heap {
	struct arena arena;
	uint64_t seed;			/* of the hashes of all tables */
	uint64_t profiles;		/* with heap data */
	uint64_t record;		/* the function being folded, from 1 */
	bool own;			/* the profile being read has some */
	uint64_t own_inputs;		/* that it is the sum of */
	bool own_folded;		/* as of prof_header */
	uint64_t pending_inputs;	/* that pending is the sum of */
	bool pending_folded;
	struct mheap_pending pending;
	struct merge_factor pending_weight;
	struct mheap_local local;
	struct MHEAP_TABLE(struct mheap_module) modules;
	struct frame_pool frames;
	uint64_t *frame_digests;	/* of each, while all are ordered */
	struct list_pool stacks;	/* of contexts, in the same order */
	struct mheap_context *contexts;
	size_t contexts_room;
	uint32_t *key;			/* the stack being read, as a list */
	size_t key_room;
	struct id_map functions;	/* guids to texts */
	struct mheap_sites allocs, calls;
	struct list_pool data_keys;	/* of data, in the same order */
	struct mheap_data *data;
	size_t data_room;
	struct id_map deep;		/* contexts to places in leaves */
	struct mheap_leaf *leaves;	/* those of many frames */
	size_t leaves_room;
	struct list_pool modules_of;	/* lists of the modules of stacks */
	uint32_t *list;			/* the one of the stack being read */
	size_t list_room;
	uint32_t last_list;		/* number of that of the last stack */
};

/* Adds a thing to a table: its number, or MHEAP_NONE if out of memory. */
#define MHEAP_NEXT(table, hash)						\
	(ARRAY_ROOM((table).items, (table).index.size, (table).room) &&	\
	    hash_index_add(&(table).index, (hash)) ?			\
	    (table).index.size - 1 : MHEAP_NONE)

/* The modules of a context's addresses, valid until another list is added. */
static inline const uint32_t *
mheap_modules(const struct merge_heap *h, const struct mheap_context *c)
{
	return h->modules_of.items[c->modules].numbers;
}

/* The numbers of a context's frames, and how many they are. */
static inline const uint32_t *
mheap_frames(const struct merge_heap *h, size_t context, uint32_t *size)
{
	*size = h->stacks.items[context].numbers[0];
	return h->stacks.items[context].numbers + 1;
}

/* There are no frames, or not for all addresses. */
static inline bool
mheap_is_by_address(const struct merge_heap *h, size_t context)
{
	const struct list_pool_entry *e = &h->stacks.items[context];

	return e->size != e->numbers[0] + UINT32_C(1);
}

/* The text of a number: data is NULL if it is unknown. */
static inline struct prof_span
mheap_text_of(const struct merge_heap *h, uint32_t number)
{
	return number == 0 ? (struct prof_span){ NULL, 0 } :
	    h->frames.texts.items[number - 1];
}

/* heap_context.c: all records become things of the sum. */

/* Segments with a build id come first. */
int mheap_compare_segments(const struct prof_segment *,
    const struct prof_segment *);

/* For qsort, of guids and what begins with one. */
int mheap_compare_guids(const void *, const void *);

enum prof_status mheap_add_segment(struct merge_heap *,
    const struct prof_segment *, struct prof_error *);
enum prof_status mheap_add_stack(struct merge_heap *, const struct prof_stack *,
    struct prof_error *);
enum prof_status mheap_add_allocation(struct merge_heap *,
    const struct prof_allocation *, const struct merge_factor *,
    struct prof_error *);

/*
 * Adds statistics whose counts and totals, MIB_SUMMED, are multiplied by the
 * weight first.  False if out of memory.
 */
bool mheap_mib_add(struct mib_sum *, const struct prof_mib *,
    const struct merge_factor *, struct arena *);

enum prof_status mheap_add_function(struct merge_heap *,
    const struct prof_memprof_function *, const struct merge_factor *,
    struct prof_error *);
enum prof_status mheap_add_data(struct merge_heap *,
    const struct prof_record *, const struct merge_factor *,
    struct prof_error *);

/*
 * heap_write.c: all records in canonical order.  Nothing can be added
 * afterwards.  Free: nothing is added any more, so that what finds things goes;
 * once all is put, so do the things.
 */
enum prof_status mheap_put(struct merge_heap *, struct prof_writer *,
    uint64_t *saturated, struct prof_error *);
void mheap_free_lookups(struct merge_heap *);
void mheap_free_things(struct merge_heap *);

/*
 * Makes ascending ids unique: *id is the digest of a context, and *last the id
 * of the context before, if there is one.  If *id is not above *last, it
 * becomes *last + 1.  *last becomes *id.  False if no id is left.
 */
bool mheap_next_id(uint64_t *last, bool first, uint64_t *id);

#endif
