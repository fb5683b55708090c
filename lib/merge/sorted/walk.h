/*
 * merge/sorted/walk.h - the functions of all inputs, in their order
 */
#ifndef MERGE_SORTED_WALK_H
#define MERGE_SORTED_WALK_H

#include "merge/sorted/input.h"

/*
 * Puts the sum of all functions of the inputs, which have begun, to a writer of
 * LPRF 2.  PROF_FAIL, without a reason, if they are to be merged the other way.
 */
enum prof_status sorted_walk(struct sorted_input *inputs, size_t size,
    struct sorted_scratch *, struct prof_writer *);

#endif
