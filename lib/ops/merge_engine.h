/* merge_engine.h - the state that merge.c fills and merge_write.c empties */
#ifndef OPS_MERGE_ENGINE_H
#define OPS_MERGE_ENGINE_H

#include "base/arena.h"
#include "base/symtab.h"
#include "ops/merge_head.h"
#include "ops/merge_values.h"
#include "prof.h"

/* All records of one function: its name and hash. */
struct merge_entry {
	uint64_t guid, hash;
	struct prof_span name;		/* data is NULL while unknown */
	uint64_t *counts, *uniform;
	uint8_t *bitmap;
	size_t counts_size, uniform_size, bitmap_size;
	struct merge_values *values;	/* NULL if there are no sites */
	struct prof_span extra;
	uint32_t added;			/* records seen */
	uint64_t last_input, inputs;	/* that had it: the last, how many */
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

struct merge {
	prof_warn *warn;
	void *warn_arg;
	struct merge_head head;
	struct arena arena;		/* all that entries point to */
	struct arena scratch;
	struct symtab names;		/* of functions, vtables and targets */
	/* In the order of first appearance. */
	struct merge_entry *entries;
	size_t size, room;
	uint32_t *slots;		/* entry + 1 by guid and hash, or 0 */
	size_t slot_count;		/* a power of two, or 0 */
	size_t next;			/* the entry to expect */
	struct symtab build_ids;	/* by digest; the ids are the names */
	struct symtab vtables;		/* guids only; names are in names */
	struct merge_trace *traces;
	size_t traces_size, traces_room;
	uint64_t input;			/* being read, from 1 */
	uint64_t own_traces, profiles_with_traces;
	uint64_t others;		/* unknown records, left out */
};

/* The entry of the function, new (without counts) if it was not there. */
enum prof_status merge_entry_of(struct merge *, const struct prof_function *,
    struct merge_entry **, struct prof_error *);

/* The entry of a name and hash, or NULL. */
struct merge_entry *merge_find(const struct merge *, uint64_t guid,
    uint64_t hash);

/* Adds a function record to its entry. */
enum prof_status merge_function(struct merge *, const struct prof_function *,
    const struct merge_factor *, struct prof_error *);

#endif
