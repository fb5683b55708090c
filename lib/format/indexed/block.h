/*
 * format/indexed/block.h - blocks of functions of an image of a known program
 *
 * For an image whose program was seen before (program.h), the reader returns
 * blocks of some thousand functions instead of functions one by one.
 */
#ifndef FORMAT_INDEXED_BLOCK_H
#define FORMAT_INDEXED_BLOCK_H

#include "format/indexed/program_match.h"
#include "format/consumed.h"

/*
 * The blocks of one image.  program is NULL if the image is of no known
 * program: then there are no blocks, and the reader returns functions.
 */
struct indexed_blocks {
	struct indexed_program *program;
	const struct prof_context *context;	/* or NULL */
	const struct indexed_image *image;
	bool assumed;			/* only the first block matched */
	const struct symtab *vtables;	/* names of vtables, for targets */
	struct indexed_match walk;
	struct consumed consumed;
	size_t next;			/* index of the next block */
	/*
	 * Records in the blocks that were returned, when it turned out that
	 * the image is of no known program.
	 */
	size_t returned;
};

/*
 * Looks for the program of the image.  Facts may be NULL: then an image whose
 * first block is that of a known program counts as one of it, and the others
 * are compared when they are read.  With facts, all blocks are compared.  If
 * no program matches, the table and all records are checked and the image is
 * added as a program.  Resets the arena.
 */
enum prof_status indexed_blocks_open(struct indexed_blocks *, struct arena *,
    struct indexed_facts *, struct prof_error *);

/*
 * The next block, whose member `reader` the caller sets.  PROF_END with
 * program == NULL means that the image differs from its program: all records
 * but the first `returned` ones are still to be read one by one.
 */
enum prof_status indexed_blocks_next(struct indexed_blocks *, struct arena *,
    struct prof_block *, struct prof_error *);

/* See prof_block_unnamed and prof_block_name. */
const struct prof_function *indexed_blocks_functions(
    const struct indexed_blocks *, const struct prof_block *, struct arena *,
    struct prof_error *);
struct prof_span indexed_blocks_name(const struct indexed_blocks *,
    uint64_t guid);

void indexed_blocks_free(struct indexed_blocks *);

#endif
