/*
 * merge/worker.h - several threads add to one merge
 *
 * Each thread has a worker, which adds the records of its inputs to the one sum
 * of the merge (merge/state.h says what is locked when).  The result is that of
 * one thread that reads all inputs in order, also which input is refused
 * because it does not mix: inputs are known by their numbers in that order.
 *
 * Once there are workers, only the functions below may be called on the merge
 * until all inputs ended.
 */
#ifndef MERGE_WORKER_H
#define MERGE_WORKER_H

#include "merge/merge.h"

struct merge_worker;

/* NULL if out of memory.  The merge owns it. */
struct merge_worker *merge_worker_new(struct merge *);

/* The worker adds records of that input from now on. */
void merge_worker_begin(struct merge_worker *, uint64_t number);

/*
 * As merge_add.  PROF_E_MISMATCH if this input or one before it is to be
 * refused.
 */
enum prof_status merge_worker_add(struct merge_worker *,
    const struct prof_record *, const struct merge_factor *weight,
    struct prof_error *);

/*
 * Releases the worker's locks on entries: to be called before its thread waits
 * for something, since other workers may wait for these locks.
 */
void merge_worker_release(struct merge_worker *);

/* The input ended, or failed: releases all locks. */
void merge_worker_end(struct merge_worker *);

/*
 * The number of the first input that is to be refused because it does not mix
 * with inputs before it, as far as is known; UINT64_MAX if there is none.
 */
uint64_t merge_first_refused(struct merge *, struct prof_error *why);

#endif
