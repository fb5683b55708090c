/* format/indexed/block.h - functions of a known program, many at once */
#ifndef FORMAT_INDEXED_BLOCK_H
#define FORMAT_INDEXED_BLOCK_H

#include "format/indexed/program_match.h"
#include "format/consumed.h"

/* Where the blocks of an image come from; without a program there are none. */
struct indexed_blocks {
	struct indexed_program *program;
	const struct prof_context *context;	/* or NULL */
	const struct indexed_image *image;
	const struct symtab *vtables;	/* more names */
	struct indexed_match walk;
	struct consumed consumed;
	size_t next;
	size_t returned;			/* records, before there were no more */
};

/*
 * Checks the table and the records, unless the image begins as a known program,
 * or, if facts are wanted, is of one.  The arena is reset.
 */
enum prof_status indexed_blocks_open(struct indexed_blocks *, struct arena *,
    struct indexed_facts *, struct prof_error *);

/*
 * The next block but for its reader, or PROF_END: if there is no program then,
 * all but the first `returned` records are still to come.
 */
enum prof_status indexed_blocks_next(struct indexed_blocks *, struct arena *,
    struct prof_block *, struct prof_error *);

/* As prof_block_functions, prof_block_name. */
const struct prof_function *indexed_blocks_functions(
    const struct indexed_blocks *, const struct prof_block *, struct arena *,
    struct prof_error *);
struct prof_span indexed_blocks_name(const struct indexed_blocks *,
    uint64_t guid);

void indexed_blocks_free(struct indexed_blocks *);

#endif
