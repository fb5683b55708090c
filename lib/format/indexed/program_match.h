/*
 * format/indexed/program_match.h - through an image that may be one of a known program
 *
 * What a program has in common is compared as the records are read, a block at a
 * time, so that each byte comes from memory once.
 */
#ifndef FORMAT_INDEXED_WALK_H
#define FORMAT_INDEXED_WALK_H

#include "format/indexed/program.h"

struct indexed_match {
	const struct indexed_program *program;
	const struct disk_hash *table;
	size_t pos;
	size_t item_end;		/* of the item at hand, or the last */
	size_t record, sites;		/* the next of the program */
	size_t bucket;			/* the next of those with items */
	unsigned items_left;		/* of the bucket at hand */
	uint64_t behind;		/* the bucket behind it */
};

/* What is taken of a block. */
struct indexed_block_data {
	uint64_t *counts;		/* room for those of the block */
	uint64_t any_bits;		/* of the counts */
	size_t *values;			/* room for offsets of value data */
};

void indexed_match_start(struct indexed_match *, const struct indexed_program *,
    const struct indexed_image *);

/*
 * Goes through the program's next block, and behind the last also through what
 * is left of the table.  False if the image is not the program's.  What is
 * taken, unless NULL, comes without a look at the value data; otherwise the
 * numbers of value sites are compared too.
 */
bool indexed_match_block(struct indexed_match *,
    const struct indexed_program_block *, struct indexed_block_data *);

#endif
