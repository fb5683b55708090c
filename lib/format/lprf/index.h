/*
 * format/lprf/index.h - the index of a file of version 2: where blocks are, and
 * with what each begins
 *
 * It is a block itself.  N: for each block its kind (u8) and, for functions by
 * name, the first name as in a block of functions (shared prefix, suffix), for
 * those by guid the first guid.  H: distances from one block to the next, the
 * first one from the start of the file.
 */
#ifndef FORMAT_LPRF_INDEX_H
#define FORMAT_LPRF_INDEX_H

#include "format/lprf/v2.h"

/* The index of what was written so far.  All zero is empty. */
struct lprf2_index {
	struct lprf2_building block;
	uint64_t last;			/* offset of the last block */
};

/* One block of an index that is read. */
struct lprf2_entry {
	enum lprf2_kind kind;
	uint64_t at;
	struct prof_symbol first;	/* of functions */
};

/* Adds a block; false if out of memory.  symbol is NULL for records. */
bool lprf2_index_add(struct lprf2_index *, enum lprf2_kind, uint64_t at,
    const struct prof_symbol *first);

/* Moves the index to a block of that kind, and empties it. */
void lprf2_index_take(struct lprf2_index *, struct lprf2_building *);
void lprf2_index_free(struct lprf2_index *);

/* The entries of an index, in the arena; NULL on failure. */
struct lprf2_entry *lprf2_index_read(const struct lprf2_block *,
    struct arena *, struct prof_error *);

#endif
