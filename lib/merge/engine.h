/* merge/engine.h - the state that merge/merge.c fills and merge/write.c empties */
#ifndef MERGE_ENGINE_H
#define MERGE_ENGINE_H

#include "base/arena.h"
#include "model/symtab.h"
#include "merge/merge.h"
#include "merge/header.h"
#include "merge/functions/values.h"
#include "prof.h"

/* What few functions have. */
struct merge_more {
	uint64_t *uniform;
	uint8_t *bitmap;
	size_t uniform_size, bitmap_size;
	struct prof_span extra;
};

/* All records of one function: its name and hash. */
struct merge_entry {
	uint64_t guid, hash;
	struct prof_span name;		/* data is NULL while unknown */
	uint64_t *counts;
	size_t counts_size;
	struct merge_values *values;	/* NULL if there are no sites */
	struct merge_more *more;	/* or NULL */
	uint32_t added;			/* records seen */
	uint32_t last_input, inputs;	/* that had it: the last, how many */
	bool merged;			/* two were added */
	bool pseudo;
	bool misfit;			/* a record was of another class */
	bool saturated;
	bool unsubtracted;		/* subtrahend was of another class */
};

struct merge_trace {
	uint64_t weight;
	const uint64_t *guids;
	size_t size;
};

/* Of the entries: each chunk is twice the one before; 2^32 fit. */
enum { MERGE_FIRST_BITS = 8, MERGE_FIRST_CHUNK = 1 << MERGE_FIRST_BITS,
	MERGE_CHUNKS = 33 - MERGE_FIRST_BITS };

struct merge_share;

/* Counts that were copied already, as a whole; names that last. */
struct merge_lent {
	const uint64_t *from;
	size_t size;
	uint64_t *to;
	bool names;
};

/* What one thread that adds has for itself (merge/worker.h). */
struct merge_worker {
	struct merge *merge;
	struct merge_worker *following;	/* of the same merge */
	struct merge_head *head;
	struct arena *arena, *kept, *scratch;	/* as those of the merge */
	size_t next;			/* the entry to expect */
	uint64_t own_traces;		/* of the profile being read */
	uint64_t number;		/* of the input, in their order */
	uint64_t held;			/* stripes, by bit */
	struct merge_lent lent;
	bool heap;			/* it has the heap data for itself */
	struct merge_head own_head;
	struct arena own, own_kept, own_scratch;
};

struct merge {
	prof_warn *warn;
	void *warn_arg;
	struct merge_head head;
	struct arena arena;		/* all that entries and traces point to */
	struct arena kept;		/* of the head, binaries and vtables */
	struct arena scratch;
	struct symtab names;		/* of functions, vtables and targets */
	bool unlisted;			/* see merge_name_entries */
	/* In the order of first appearance. */
	struct merge_entry *chunks[MERGE_CHUNKS];	/* merge_entry_at */
	size_t size;
	uint32_t *slots;		/* entry + 1 by guid and hash, or 0 */
	size_t slot_count;		/* a power of two, or 0 */
	size_t replaced;		/* entries whose counts went elsewhere */
	struct merge_blocks *blocks;	/* or NULL */
	bool values_as_arrived;
	struct symtab build_ids;	/* by digest; the ids are the names */
	struct symtab vtables;		/* guids only; names are in names */
	struct merge_trace *traces;
	size_t traces_size, traces_room;
	uint32_t input;			/* being read, from 1 */
	uint64_t profiles_with_traces;
	uint64_t others;		/* unknown records, left out */
	struct merge_heap *heap;
	struct merge_spill *spill;	/* NULL: all is in memory */
	const struct symtab *elsewhere;	/* more names, or NULL */
	struct merge_worker first;
	struct merge_share *share;	/* NULL: there is no other feed */
};

/* Chunks double and stay where they are: entries have addresses that last. */
static inline struct merge_entry *
merge_entry_at(const struct merge *m, size_t i)
{
	uint64_t place = (uint64_t)i + MERGE_FIRST_CHUNK;
	int top = 63 - __builtin_clzll(place);

	return &m->chunks[top - MERGE_FIRST_BITS][place - (1ULL << top)];
}

static inline const struct merge_more *
merge_more(const struct merge_entry *e)
{
	static const struct merge_more none;

	return e->more == NULL ? &none : e->more;
}

/* The entry of the function, new (without counts) if it was not there. */
enum prof_status merge_entry_of(struct merge_worker *,
    const struct prof_function *, struct merge_entry **, struct prof_error *);

/* In the order of arrival, names together; to be freed, NULL: no memory. */
struct merge_entry **merge_arrived(const struct merge *);

/* The entry of a name and hash, or NULL. */
struct merge_entry *merge_find(const struct merge *, uint64_t guid,
    uint64_t hash);

/* Makes room for so many more functions.  False if out of memory. */
bool merge_reserve(struct merge_worker *, size_t more);

/* Sends for the places of a function that will be looked for. */
void merge_prefetch(const struct merge_worker *, const struct prof_symbol *,
    uint64_t hash);

/*
 * Lists the names of entries that were lent, so that they are found by guid: not
 * before somebody needs them.  False if out of memory.
 */
bool merge_name_entries(struct merge *);

/* Whether there is an entry for the function. */
bool merge_knows(const struct merge *, const struct prof_function *);

/*
 * merge/worker.c.  Holds what the entries hold, and may let go of the others; with
 * one thread there is nothing to hold.
 */
void merge_worker_take(struct merge_worker *, size_t entry, size_t count);

static inline void
merge_feed_hold(struct merge_worker *d, size_t entry, size_t count)
{
	if (d->merge->share != NULL)
		merge_worker_take(d, entry, count);
}

void merge_worker_lock_blocks(struct merge_worker *);
void merge_worker_unlock_blocks(struct merge_worker *);

struct lock *merge_worker_table(const struct merge *);
void merge_worker_lock(struct merge_worker *);
void merge_worker_unlock(struct merge_worker *);
void merge_worker_take_heap(struct merge_worker *);
void merge_worker_free(struct merge *);

/* The profile being read has a function, which decides what it mixes with. */
enum prof_status merge_worker_header(struct merge_worker *, struct prof_error *);

/* Adds a function record to its entry. */
enum prof_status merge_function(struct merge_worker *,
    const struct prof_function *, const struct merge_factor *,
    struct prof_error *);

/* Value sites are added and subtracted in an order of their own. */
void merge_sort_values(struct merge_entry *);

/*
 * Adds those of a block to an entry that has as many and was sorted; false: no
 * memory.
 */
bool merge_function_values(struct merge_worker *, struct merge_entry *,
    const struct prof_sites[PROF_VALUE_KINDS], const struct prof_block *);

/* Takes away from an entry what the other merge has of it. */
void merge_subtract_from(struct merge_entry *, struct merge *less);

/* Whether the entry is of the record's class. */
bool merge_fits(const struct merge_entry *, const struct prof_function *);

/* merge/write.c: the entries in order, to be freed; NULL: out of memory. */
struct merge_entry **merge_sorted(const struct merge *);

/* The entry as a record, valid until the next one is asked for. */
enum prof_status merge_record(struct merge *, const struct merge_entry *,
    struct prof_record *, struct prof_error *);

/* A guid, and its name if it is known. */
struct prof_symbol merge_symbol(const struct merge *, uint64_t guid);

enum prof_status merge_put_functions(struct merge *,
    struct merge_entry **sorted, const struct merge_output *,
    struct prof_writer *, struct prof_error *);

/* merge/merge.c: bytes that functions and traces take; forgets both. */
size_t merge_memory(const struct merge *);
void merge_clear(struct merge *);

#endif
