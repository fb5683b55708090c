/* ops/figures.h - totals over the records of a profile */
#ifndef OPS_FIGURES_H
#define OPS_FIGURES_H

#include "base/bytes.h"
#include "model/summary.h"
#include "prof.h"

/*
 * Hashes of the name at hand: two builds were mixed if a name has several.
 * Context-sensitive functions ([1]) have their own.  Formats for sums have the
 * functions of a name one behind the other.  All zero before the first profile.
 */
struct name_hashes {
	struct buf name;
	uint64_t guid;			/* of a function without name */
	uint64_t first[2];
	bool any[2], several[2];
	bool next;			/* the last function was its first */
	uint64_t names;			/* with several hashes */
};

/* Adds a function: whether its name has several hashes by now. */
bool name_hashes_add(struct name_hashes *, enum prof_level,
    const struct prof_function *);
void name_hashes_free(struct name_hashes *);

/* All zero before the first profile; freed with figures_free. */
struct figures {
	struct summary summary;		/* without pseudo records */
	uint64_t functions;		/* records */
	uint64_t zero_functions;	/* with zero counters only */
	uint64_t zero_counters;
	uint64_t pseudo_functions;	/* prof_is_pseudo */
	uint64_t context_sensitive;	/* bit 60 of the hash, IR only */
	uint64_t nameless;		/* known by their guid only */
	struct name_hashes hashes;
	uint64_t sites[PROF_VALUE_KINDS], values[PROF_VALUE_KINDS];
	uint64_t bitmap_bytes;		/* MC/DC */
	uint64_t raw_counters;		/* of correlated profiles */
	uint64_t binary_ids, vtables, traces;
	/* Of heap profiles: data that was accessed, and that was not. */
	uint64_t data_accesses, cold_symbols, cold_literals;
};

/* Adds a record of the profile; false if out of memory. */
bool figures_add(struct figures *, const struct prof_header *,
    const struct prof_record *);
void figures_free(struct figures *);

/* Largest counter of a function, 0 if it has none. */
uint64_t figures_max_count(const struct prof_function *);

#endif
