/*
 * merge/functions/class.h - the class of a record, which decides what is added
 *
 * Classes, and the order between them, are those of model/function_class.h.
 */
#ifndef MERGE_FUNCTIONS_CLASS_H
#define MERGE_FUNCTIONS_CLASS_H

#include "merge/core/core.h"

/* What llvm-profdata's --sparse looks at: counters and bitmaps, no values. */
bool merge_counts_are_zero(const struct merge_entry *);

/* As function_is_empty. */
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
