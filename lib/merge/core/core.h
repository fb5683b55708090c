/*
 * merge/core/core.h - the state of a merge, as all its parts see it
 *
 * One struct merge holds the sum of all functions and traces; the heap data and
 * the spilled functions hang off it.  One struct merge_worker is what a thread
 * that adds has for itself: a merge without threads uses main_worker only.
 */
#ifndef MERGE_CORE_CORE_H
#define MERGE_CORE_CORE_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "base/number_set.h"
#include "model/symtab.h"
#include "merge/merge.h"
#include "merge/core/header.h"
#include "merge/core/sample.h"
#include "prof.h"

struct merge_values;			/* merge/functions/values.h */
struct merge_blocks;			/* merge/functions/block.h */
struct merge_heap;			/* merge/heap/heap.h */
struct merge_spill;			/* merge/spill/spill.h */
struct merge_shared;			/* merge/core/locks.h */
struct merge_names;			/* merge/core/names.h */
struct merge_correlated;		/* merge/core/correlated.h */

/* Puts functions that come from elsewhere in place of the entries. */
typedef enum prof_status merge_put_functions(void *arg, struct prof_writer *,
    struct prof_error *);

/* Members that few functions have. */
struct merge_rare {
	uint64_t *uniform;
	uint8_t *bitmap;
	size_t uniform_size, bitmap_size;
	struct prof_span extra;		/* unknown keys */
};

/* The sum of all records of one function, that is of one name and hash. */
struct merge_entry {
	uint64_t guid, hash;
	struct prof_span name;		/* data is NULL while unknown */
	uint64_t *counts;
	size_t counts_size;
	struct merge_values *values;	/* NULL if there are no sites */
	struct merge_rare *rare;	/* or NULL */
	uint32_t records;		/* that were added or dropped */
	uint32_t last_input, inputs;	/* the last that had it, how many had */
	bool merged;			/* its value sites are sorted */
	bool pseudo;			/* its counts are pseudo counts */
	bool conflict;			/* a record of another class came */
	bool saturated;			/* a counter is at its limit */
	bool used;			/* known not to be empty (class.h) */
	bool not_subtracted;		/* the subtrahend is of another class */
};

/*
 * Entries lie in chunks, each twice as large as the one before, so that an
 * entry keeps its address; all chunks together hold 2^32 entries.
 */
enum { MERGE_FIRST_BITS = 8, MERGE_FIRST_CHUNK = 1 << MERGE_FIRST_BITS,
	MERGE_CHUNKS = 33 - MERGE_FIRST_BITS };

/* Counters of a block that were copied to the arena as one array. */
struct merge_copied {
	const uint64_t *from;		/* the block's counters */
	size_t size;			/* 0: no counters are copied ahead */
	uint64_t *to;
};

/* What was read of a profile that may have raw counters. */
struct merge_profile_state {
	bool waits;			/* header and ids, which may precede */
	bool ended;			/* raw counters, and no more */
	bool temporal, has_id;
};

/* The start of a profile that may have raw counters. */
struct merge_profile_start {
	struct merge_profile_state state;
	bool correlated;		/* state.waits or state.ended */
	bool late;			/* header and ids are to be added */
	struct prof_header header;
	struct prof_span *ids;
	size_t ids_size, ids_room;
	struct arena arena;
};

struct merge_worker {
	struct merge *merge;
	struct merge_worker *next_worker;	/* of the same merge */
	/* The merge's for main_worker, else the worker's own below. */
	struct merge_head *head;
	struct arena *arena, *head_arena, *scratch;
	size_t next;			/* number of the entry to expect */
	uint64_t profile_traces;	/* of the profile being read */
	uint64_t number;		/* of the input, in their order */
	uint64_t locked;		/* stripes of entries, one bit each */
	bool table_locked;		/* by merge_table_lock_all */
	struct merge_copied copied;
	const struct prof_block *block;	/* being added, or NULL */
	bool names_stay;		/* names of the block outlive it */
	bool heap_locked;		/* this worker may add heap data */
	struct merge_profile_start start;
	struct merge_head own_head;
	struct arena own_arena, own_head_arena, own_scratch;
};

struct merge {
	prof_warn *warn;
	void *warn_arg;
	struct merge_head head;
	struct arena arena;		/* of entries and traces */
	struct arena head_arena;	/* of the head, binaries and vtables */
	struct arena scratch;
	struct symtab names;		/* of functions, vtables and targets */
	bool names_unlisted;		/* see merge_table_list_names */
	bool names_came;		/* as records of their own */
	bool nameless_came;		/* functions known by guid */
	struct merge_names *record_names;	/* while written; or NULL */
	bool subtracted;		/* another merge was taken away */
	bool settles;			/* see merge_leaves_out */
	struct merge_entry *chunks[MERGE_CHUNKS];	/* merge_entry_at */
	size_t size;			/* entries, in the order they came */
	struct hash_index index;	/* of entries by guid and hash */
	size_t replaced;		/* entries whose counters moved */
	struct merge_blocks *blocks;	/* or NULL */
	enum value_sort value_sort;	/* see merge_values_as_arrived */
	struct symtab build_ids;	/* by digest; the ids are the names */
	struct symtab vtables;		/* names that came with a vtable only */
	struct merge_trace *traces;
	size_t traces_size, traces_room;
	struct merge_sample sample;	/* of traces, if they are sampled */
	uint32_t input;			/* being read, from 1 */
	uint64_t profiles_with_traces;
	uint64_t unknown_records;	/* were left out */
	struct merge_correlated **correlated;	/* sums by binary ids */
	size_t correlated_size, correlated_room;
	struct hash_index correlated_index;
	struct merge_losses losses;	/* of what was written */
	struct merge_heap *heap;	/* NULL in the sums of a spill */
	struct merge_spill *spill;	/* NULL: all is in memory */
	const struct symtab *spilled_names;	/* more names, or NULL */
	merge_put_functions *put_functions;	/* or NULL */
	void *put_functions_arg;
	struct merge_worker main_worker;
	struct merge_shared *shared;	/* NULL: there is one thread */
};

/* See traces_as_read of struct merge_output. */
static inline bool
merge_sorts_traces(const struct merge *m, bool as_read)
{
	return m->profiles_with_traces > 1 || m->sample.limits.sampled ||
	    (!as_read && (m->head.sum.inputs > 1 || m->subtracted));
}

static inline struct merge_entry *
merge_entry_at(const struct merge *m, size_t i)
{
	uint64_t place = (uint64_t)i + MERGE_FIRST_CHUNK;
	int top = 63 - __builtin_clzll(place);

	return &m->chunks[top - MERGE_FIRST_BITS][place - (1ULL << top)];
}

/* The rare members of an entry, all of them empty if it has none. */
static inline const struct merge_rare *
merge_entry_rare(const struct merge_entry *e)
{
	static const struct merge_rare none;

	return e->rare == NULL ? &none : e->rare;
}

#endif
