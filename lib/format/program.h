/*
 * format/program.h - blocks of functions of a program that was seen before
 *
 * Profiles of one program have the same functions in the same order.  A codec
 * stores the names, hashes and sizes of them in its own way, and here how they
 * are split into blocks (PROF_REC_BLOCK).
 */
#ifndef FORMAT_PROGRAM_H
#define FORMAT_PROGRAM_H

#include "base/arena.h"
#include "prof.h"

/* Consecutive functions that are returned as one block. */
struct program_block {
	size_t first, size;		/* functions */
	size_t counts, counts_size;	/* range of the program's counters */
	size_t sites, sites_size;	/* functions with value sites */
	uint64_t repeated_names;	/* as in struct prof_block */
};

/* Without blocks if all members but the number are zero. */
struct program_layout {
	size_t number;			/* see prof_block.layout */
	struct program_block *blocks;	/* to be freed */
	size_t size, room;
};

/* A number for prof_block.layout that no other layout of this process has. */
size_t program_layout_number(void);

/* Adds an empty block behind the last one; NULL if out of memory. */
struct program_block *program_add_block(struct program_layout *,
    size_t counts);

/*
 * Adds a function, whose counters begin at `counts`, to the last block; to a
 * new one if that is full or its counters end elsewhere.  False if out of
 * memory.
 */
bool program_add_function(struct program_layout *, size_t counts,
    size_t counts_size, bool has_sites);

/* The block of that index and these counts; the caller sets the rest. */
struct prof_block program_block(const struct program_layout *, size_t index,
    const uint64_t *counts);

/*
 * For prof_block_unnamed: an array for the functions of a block, NULL if out
 * of memory; and, when the reader has set symbol, hash and counts_size of each
 * and zeroed the rest, sets their counts, hash masks and values.
 */
struct prof_function *program_new_functions(const struct prof_block *,
    struct arena *, struct prof_error *);
const struct prof_function *program_set_functions(const struct prof_block *,
    struct prof_function *);

#endif
