/*
 * merge/worker.h - several threads add to one merge
 *
 * There is one sum, and not one a thread: entries are locked while something is
 * added to them, and new ones take turns.  What comes out is what one thread
 * would come to.  Of inputs that do not mix, that one is refused which one
 * thread would refuse: it is known by the numbers of inputs, which are those of
 * their order.
 *
 * Each thread has a feed.  While there are any, nothing but these functions may
 * be called on the merge, and it cannot count for merge_output.intersect.
 */
#ifndef MERGE_WORKER_H
#define MERGE_WORKER_H

#include "merge/merge.h"

struct merge_worker;

/* NULL if out of memory.  It lives as long as the merge. */
struct merge_worker *merge_worker_new(struct merge *);

/* From here on that input is read. */
void merge_worker_begin(struct merge_worker *, uint64_t number);

/*
 * As merge_add.  PROF_E_MISMATCH only if no input before this one is to be
 * refused rather.
 */
enum prof_status merge_worker_add(struct merge_worker *,
    const struct prof_record *, const struct merge_factor *weight,
    struct prof_error *);

/*
 * As merge_mixes, for an input whose turn has come: those before it were asked
 * about, and if it is taken, those behind must mix with it.
 */
enum prof_status merge_worker_claim(struct merge_worker *,
    const struct prof_header *, bool functions, struct prof_error *);

/* Lets others go on: before this thread waits for something. */
void merge_worker_rest(struct merge_worker *);

/* The input ended, or failed. */
void merge_worker_end(struct merge_worker *);

/*
 * The first input that is to be refused because it does not mix, as far as is
 * known: UINT64_MAX if there is none.
 */
uint64_t merge_worker_refused(struct merge *, struct prof_error *why);

/* All have ended: the merge has what it would have without feeds. */
enum prof_status merge_worker_join(struct merge *, struct prof_error *);

#endif
