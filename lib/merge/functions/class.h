/*
 * merge/functions/class.h - the class of a record, which decides what is added
 *
 * Two records of one function are added if they are of one class.  Of two
 * classes the higher one stays: the one that is not empty, then the one with
 * more counters, then with more bitmap bytes, uniform counters, value sites,
 * sites of the first kinds, and with ordinary rather than pseudo counts.
 */
#ifndef MERGE_FUNCTIONS_CLASS_H
#define MERGE_FUNCTIONS_CLASS_H

#include "merge/core/core.h"

/* What llvm-profdata's --sparse looks at: counters and bitmaps, no values. */
bool merge_counts_are_zero(const struct merge_entry *);

/*
 * Whether an entry has nothing but zeros: no counter, no bit and no value.
 * Such a record says no more than its absence.
 */
bool merge_entry_is_empty(const struct merge_entry *);

/* Above 0 if the entry's class is the higher one, 0 if it is the record's. */
int merge_compare_class(struct merge_entry *, const struct prof_function *);

/* Whether two entries are of one class. */
bool merge_same_class(const struct merge_entry *, const struct merge_entry *);

/*
 * Whether the entry is of the record's class: merge_compare_class is 0, found
 * out faster.
 */
bool merge_entry_fits(const struct merge_entry *,
    const struct prof_function *);

#endif
