/*
 * merge/check.h - whether a profile can be added, whatever the sum has
 *
 * A merge refuses profiles that contradict themselves (model/heap.h), and raw
 * counters, whose functions only the binary knows.  A merge that refused a
 * profile is of no use any more, so that inputs that may be bad are checked
 * first.
 * Whether profiles mix with each other is another question (merge_mixes).
 */
#ifndef MERGE_CHECK_H
#define MERGE_CHECK_H

#include "prof.h"

struct merge_check;

/*
 * With ids_first, binary ids must come first, since they choose the sum of the
 * profile.  NULL if out of memory.
 */
struct merge_check *merge_check_new(bool ids_first);

/*
 * Checks the next record of a reader, by the rules of merge_add.  After a
 * failure, nothing but merge_check_free may be called.
 */
enum prof_status merge_check_add(struct merge_check *,
    const struct prof_record *, struct prof_error *);

void merge_check_free(struct merge_check *);	/* NULL is fine */

/* Sets the reason for which ids_first refuses an id. */
enum prof_status merge_check_late_id(struct prof_error *);

#endif
