/*
 * merge/functions/function.h - records of one function become one entry
 *
 * A record whose class (merge/functions/class.h) is that of its entry is added.
 * One of a higher class replaces what the entry has, one of a lower class is
 * dropped, and either marks the entry as a conflict: so the sum does not depend
 * on the order of the inputs.
 */
#ifndef MERGE_FUNCTIONS_FUNCTION_H
#define MERGE_FUNCTIONS_FUNCTION_H

#include "merge/core/core.h"

/* Adds a function record to its entry. */
enum prof_status merge_add_function(struct merge_worker *,
    const struct prof_function *, const struct merge_factor *,
    struct prof_error *);

/*
 * Sorts the value sites of an entry by value, unless they are sorted: adding
 * and subtracting need that order.
 */
void merge_sort_values(struct merge_entry *);

/*
 * Gives an entry with one record the form of a sum: its values are sorted, and
 * no counter is above the limit.  So the form does not depend on whether a
 * record that is dropped or empty was added before.
 */
void merge_settle_entry(struct merge_entry *);

/*
 * Adds the values of a block's function to an entry that has as many sites,
 * which are sorted.  False if out of memory.
 */
bool merge_add_block_values(struct merge_worker *, struct merge_entry *,
    const struct prof_sites[PROF_VALUE_KINDS]);

/*
 * Subtracts the entry of the same function in `less`.  An entry of another
 * class is marked not_subtracted instead; pseudo counts stay.
 */
void merge_subtract_entry(struct merge_entry *, struct merge *less);

#endif
