/* merge/functions/values.h - value sites of one function, summed */
#ifndef MERGE_FUNCTIONS_VALUES_H
#define MERGE_FUNCTIONS_VALUES_H

#include "base/arena.h"
#include "model/symtab.h"
#include "merge/merge.h"

struct merge_pair {
	uint64_t value, count;
};

/* As read, or once merged by value, then count descending. */
struct merge_site {
	struct merge_pair *pairs;
	size_t size, room;
};

struct merge_values {
	struct merge_site *sites[PROF_VALUE_KINDS];
	size_t size[PROF_VALUE_KINDS];
	bool unnamed;		/* a target came without its name */
	bool as_arrived;	/* those added are, of one value, in order */
};

/*
 * The product, half up; what is not 0 does not become 0, and what is too large
 * becomes the largest value.
 */
uint64_t merge_weigh(const struct merge_factor *, uint64_t count);

/* How two counts become one. */
enum merge_how { MERGE_ADD, MERGE_LARGER };

/* What adding needs of the merge, and where the sites come from. */
struct merge_values_to {
	struct arena *arena;
	struct arena *scratch;		/* reset here */
	struct symtab *names;
	const struct prof_block *block;	/* that has the names, or NULL */
	bool names_last;
};

/*
 * A copy of the sites, weighted.  *out is NULL if there are none.
 * Names of targets are added to names.  False if out of memory, as below.
 */
bool merge_values_new(struct merge_values **out,
    const struct prof_sites[PROF_VALUE_KINDS], const struct merge_factor *,
    const struct merge_values_to *);

/* Puts a merged function's sites into the order that later adding needs. */
void merge_values_sort(struct merge_values *);

/*
 * Adds sites of the same numbers.  into must have been through
 * merge_values_sort.
 */
bool merge_values_add(struct merge_values *into,
    const struct prof_sites[PROF_VALUE_KINDS], const struct merge_factor *,
    enum merge_how, const struct merge_values_to *);

/* Only adds the names of targets: those of a record that is dropped. */
bool merge_values_names(const struct prof_sites[PROF_VALUE_KINDS],
    const struct merge_values_to *);

/*
 * Takes the counts of like sites away, the largest of a value from the largest;
 * what comes to 0 goes.  Both must have been through merge_values_sort.
 */
void merge_values_subtract(struct merge_values *from,
    const struct merge_values *less);

/*
 * The sites as records have them, ordered by count descending: by value where
 * they were merged, else in the order they had.
 */
bool merge_values_get(const struct merge_values *, bool merged,
    const struct symtab *names, struct arena *,
    struct prof_sites out[PROF_VALUE_KINDS]);

/*
 * Puts a name into the table, unless it is there: a copy in the arena, which is
 * NULL if the name lasts.  *kept, unless NULL, is what the table has.
 */
bool merge_keep_name(struct symtab *, struct arena *, struct prof_span name,
    uint64_t guid, struct prof_span *kept);

/* a + b that stops at the largest value. */
uint64_t saturating_add(uint64_t a, uint64_t b);

#endif
