/*
 * merge/functions/sum.h - a merge of functions and traces, without the rest
 *
 * A merge of merge/merge.h has such a sum; the spill has small ones of its own
 * to which it adds functions only.
 */
#ifndef MERGE_FUNCTIONS_SUM_H
#define MERGE_FUNCTIONS_SUM_H

#include "merge/core/core.h"

/* An empty sum; warn may be NULL.  NULL if out of memory. */
struct merge *merge_sum_new(prof_warn *warn, void *warn_arg);

/*
 * A sum for functions only, in a profile that has begun: see
 * merge/functions/function.h.  NULL on failure.
 */
struct merge *merge_sum_of_functions(struct prof_error *);

/* Bytes that functions and traces take. */
size_t merge_sum_memory(const struct merge *);

/* Forgets all functions, names and traces; the sum can be added to again. */
void merge_sum_clear(struct merge *);

void merge_sum_free(struct merge *);	/* NULL is fine */

#endif
