/*
 * merge/functions/values.h - the value sites of one function, summed
 *
 * A site is a list of pairs of value and count.  One value may stand in a site
 * several times: then the k-th largest of its counts in a record is added to
 * the k-th largest in the sum.
 */
#ifndef MERGE_FUNCTIONS_VALUES_H
#define MERGE_FUNCTIONS_VALUES_H

#include "base/arena.h"
#include "merge/merge.h"
#include "model/symtab.h"

struct merge_pair {
	uint64_t value, count;
};

/*
 * Pairs are in the order of the record, once sorted by value, then by count
 * descending.  Then the last of many pairs may be a sorted list of their own,
 * so that new values do not move all others; no value is in both lists.  With
 * values_as_arrived, pairs that were sorted are those that LLVM keeps, in the
 * order that they have there, as far as the next sum depends on it.
 */
struct merge_site {
	struct merge_pair *pairs;
	size_t size, room;
	size_t late;			/* pairs of the second list */
};

struct merge_values {
	struct merge_site *sites[PROF_VALUE_KINDS];
	size_t size[PROF_VALUE_KINDS];
	bool unnamed;		/* a target came without its name */
	enum value_sort sort;	/* see merge_values_as_arrived */
};

/* Counts of one value are added, or the larger one stays (pseudo counts). */
enum merge_how { MERGE_ADD, MERGE_LARGER };

/* Where values and names are added to, and the block they come from. */
struct merge_values_target {
	struct arena *arena;
	struct arena *scratch;		/* is reset */
	struct symtab *names;
	const struct prof_block *block;	/* NULL: values have their names */
	bool names_stay;		/* names need no copy */
};

/*
 * A copy of the sites, weighted; *out is NULL if there are none.  The names of
 * targets are added to target->names.  False if out of memory, as below.
 */
bool merge_values_new(struct merge_values **out,
    const struct prof_sites[PROF_VALUE_KINDS], const struct merge_factor *,
    const struct merge_values_target *);

/* Sorts the pairs of all sites, as adding and subtracting need it. */
void merge_values_sort(struct merge_values *);	/* NULL is fine */

/* Adds as many sites to a sum that is sorted. */
bool merge_values_add(struct merge_values *into,
    const struct prof_sites[PROF_VALUE_KINDS], const struct merge_factor *,
    enum merge_how, const struct merge_values_target *);

/* Adds nothing but the names of targets, of a record that is dropped. */
bool merge_values_names(const struct prof_sites[PROF_VALUE_KINDS],
    const struct merge_values_target *);

/*
 * Subtracts the counts of as many sites, the k-th largest of a value from the
 * k-th largest, and removes values whose count becomes 0.  Both are sorted.
 */
void merge_values_subtract(struct merge_values *from,
    struct merge_values *less);

/*
 * The sites as records have them, ordered by count descending; equal counts by
 * value if the sites were merged, else in the order of the record.
 */
bool merge_values_get(const struct merge_values *, bool merged,
    const struct symtab *names, struct arena *,
    struct prof_sites out[PROF_VALUE_KINDS]);

#endif
