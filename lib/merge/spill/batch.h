/* merge/spill/batch.h - functions of several runs, a few at a time, to one */
#ifndef MERGE_SPILL_BATCH_H
#define MERGE_SPILL_BATCH_H

#include "merge/notes.h"
#include "merge/spill/runs.h"

/* A merge that takes functions without further ado; NULL on failure. */
struct merge *merge_batch_sum(struct prof_error *);

/* Puts a function, and before it the notes of its entry. */
enum prof_status merge_batch_put(struct merge_run *,
    const struct merge_entry *, const struct prof_record *,
    struct prof_error *);

/* Puts names that no function of a run has, and what there is of a sum. */
enum prof_status merge_batch_put_names(struct merge_run *,
    const struct symtab *, struct prof_error *);
enum prof_status merge_batch_spill(struct merge *, struct merge_run *,
    struct prof_error *);

/* Runs of functions to one; the argument is the whole merge. */
merge_fold merge_batch_fold;

#endif
