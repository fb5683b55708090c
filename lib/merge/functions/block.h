/*
 * merge/functions/block.h - blocks of functions, added as arrays of counters
 *
 * The first block of its kind is added function by function.  If all of them
 * were new, their counters come to lie as in the block, and the next ones of
 * the kind are added to them at once.
 */
#ifndef MERGE_FUNCTIONS_BLOCK_H
#define MERGE_FUNCTIONS_BLOCK_H

#include "merge/merge.h"

struct merge_worker;
struct merge_blocks;

/* Adds a block. */
enum prof_status merge_block(struct merge_worker *, const struct prof_block *,
    const struct merge_factor *, struct prof_error *);

/* The entries are gone. */
void merge_blocks_free(struct merge_blocks *);	/* NULL is fine */

#endif
