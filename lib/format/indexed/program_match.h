/*
 * format/indexed/program_match.h - comparing an image with a known program
 *
 * The image is compared and its counts are copied in one go, a block at a time,
 * so that each byte is loaded from memory once.
 */
#ifndef FORMAT_INDEXED_PROGRAM_MATCH_H
#define FORMAT_INDEXED_PROGRAM_MATCH_H

#include "format/indexed/program.h"

/* The position in the image and in the program. */
struct indexed_match {
	const struct indexed_program *program;
	const struct disk_hash *table;
	size_t pos;			/* in the image */
	size_t item_end;		/* end of the present item */
	size_t record, sites;		/* next ones of the program */
	size_t bucket;			/* next one of program->items */
	unsigned items_left;		/* in the present bucket */
	uint64_t behind;		/* number of the bucket behind it */
};

/* The data of a block that differ between images of one program. */
struct indexed_block_data {
	uint64_t *counts;		/* array for counts_size of the block */
	uint64_t any_bits;		/* set in some of the counts */
	size_t *values;			/* array for offsets of value data */
};

void indexed_match_start(struct indexed_match *, const struct indexed_program *,
    const struct indexed_image *);

/*
 * Compares the next block, and after the last one the rest of the table.  False
 * if the image differs from the program.  With an array for the data, counts
 * are copied and the value data are not looked at; with NULL, the numbers of
 * value sites are compared too.
 */
bool indexed_match_block(struct indexed_match *,
    const struct program_block *, struct indexed_block_data *);

#endif
