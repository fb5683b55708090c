/* indexed_block.h - functions of a known program, many at once */
#ifndef FORMAT_INDEXED_BLOCK_H
#define FORMAT_INDEXED_BLOCK_H

#include "format/indexed_program.h"

/* Where the blocks of an image come from; without a program there are none. */
struct indexed_blocks {
	struct indexed_program *program;
	const struct indexed_image *image;
	const struct symtab *vtables;	/* more names */
	size_t *counts_at;		/* of each record */
	size_t next;
	struct prof_value *nameless[SYMTAB_MANY];	/* values, so far */
	size_t nameless_size;
};

/* The next block but for its reader, or PROF_END. */
enum prof_status indexed_blocks_next(struct indexed_blocks *, struct arena *,
    struct prof_block *, struct prof_error *);

/* As prof_block_functions. */
const struct prof_function *indexed_blocks_functions(
    const struct indexed_blocks *, const struct prof_block *, struct arena *,
    struct prof_error *);

void indexed_blocks_free(struct indexed_blocks *);

#endif
