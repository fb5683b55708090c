/*
 * merge/functions/block.h - blocks of functions, added as arrays of counters
 *
 * A reader that has learned the layout of a program returns its functions in
 * blocks: the same functions in the same order in each profile (prof.h).  Most
 * of the time of a merge goes there, so that blocks are added as a whole:
 *
 * - The first block of a layout and index is added function by function.  Its
 *   counters are copied as one array, and if all its functions are new, their
 *   entries are numbered in a row and point into that array.
 * - Later blocks of that layout and index add their counters to the array in
 *   one loop, without looking up any function.  Value sites are added through
 *   the entries.
 * - If that is not possible (the first block had functions that were there
 *   before; a count may reach its limit; the profile has a weight; an entry got
 *   other counters from a record of a higher class), the block is added
 *   function by function.
 */
#ifndef MERGE_FUNCTIONS_BLOCK_H
#define MERGE_FUNCTIONS_BLOCK_H

#include "merge/core/core.h"

/* Adds a block. */
enum prof_status merge_add_block(struct merge_worker *,
    const struct prof_block *, const struct merge_factor *,
    struct prof_error *);

/* To be called when the entries are freed. */
void merge_blocks_free(struct merge_blocks *);	/* NULL is fine */

#endif
