/*
 * merge/spill/batch.h - functions of several runs, merged a batch at a time
 *
 * Runs are walked in canonical order, and their functions added to a small sum.
 * Once that has some hundreds of functions, they go to another run or to the
 * writer, and the sum is cleared.  All hashes of a name are in one batch, since
 * merge_output.sparse looks at them together.
 */
#ifndef MERGE_SPILL_BATCH_H
#define MERGE_SPILL_BATCH_H

#include "merge/core/notes.h"
#include "merge/spill/runs.h"

/* Adds a function record to a sum of merge_sum_of_functions. */
enum prof_status merge_batch_add(struct merge *, const struct prof_function *,
    struct prof_error *);

/* Puts a function's record, and before it the notes of its entry. */
enum prof_status merge_batch_put(struct merge_run *,
    const struct merge_entry *, const struct prof_record *,
    struct prof_error *);

/*
 * Puts all names of a table: the records that had some of them may have been
 * dropped.
 */
enum prof_status merge_batch_put_names(struct merge_run *,
    const struct symtab *, struct prof_error *);

/* Puts a whole sum and clears it. */
enum prof_status merge_batch_spill(struct merge *, struct merge_run *,
    struct prof_error *);

/* Merges runs of functions into one; the argument is the whole merge. */
merge_fold merge_batch_fold;

#endif
