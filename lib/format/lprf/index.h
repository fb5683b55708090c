/*
 * format/lprf/index.h - the index of a file of version 2: where blocks are, and
 * with what each begins
 *
 * A tree of blocks: those of level 0 list blocks of functions and records,
 * those of level 1 blocks of level 0, and so on.  A block of the index follows
 * the last one that it lists, so that a writer has one of each level in memory,
 * and a reader of the whole file can compare it with what came before.
 */
#ifndef FORMAT_LPRF_INDEX_H
#define FORMAT_LPRF_INDEX_H

#include "format/lprf/v2.h"

enum {
	LPRF2_LEVELS = 12,	/* 64^12 blocks do not fit in any file */
	LPRF2_FAN_OUT = 32	/* of what we write; readers take any */
};

/*
 * Where a block is, and a lower bound of its functions: the separator.  The
 * name of a separator is no longer than it takes to be above the function
 * before the block.  It is stored without what it shares with the last one.
 */
struct lprf2_entry {
	enum lprf2_kind kind;		/* none but HEAD to TAIL */
	uint64_t at;
	struct prof_symbol separator;
};

/* The blocks of the index that are being made, by level.  All zero is empty. */
struct lprf2_index {
	struct {
		struct lprf2_building block;
		uint64_t last;		/* offset in its last entry */
		struct buf last_name;	/* of the separator of that one */
		struct lprf2_entry first;
		struct buf first_name;	/* of that entry's separator */
	} levels[LPRF2_LEVELS];
};

/* The separator of a block behind a function, which is NULL for the first. */
struct prof_symbol lprf2_separator(const struct prof_symbol *last,
    const struct prof_symbol *first);

/* Adds an entry to a level; false if out of memory. */
bool lprf2_index_add(struct lprf2_index *, unsigned level,
    const struct lprf2_entry *);

/*
 * The block of a level was written, or read, at an offset: empties it, and adds
 * it to the next level.  False if out of memory.
 */
bool lprf2_index_close(struct lprf2_index *, unsigned level, uint64_t at);

/* The level above all that have entries; 0 if none has. */
unsigned lprf2_index_height(const struct lprf2_index *);
void lprf2_index_free(struct lprf2_index *);

/*
 * Finds the last entry of an inflated block of the index that is not above a
 * name: its kind and offset.  PROF_END if all entries are above the name.
 */
enum prof_status lprf2_index_search(const struct lprf2_block *,
    struct prof_span name, struct lprf2_entry *, struct prof_error *);

#endif
