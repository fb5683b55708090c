/*
 * format/lprf/lookup.h - functions by name, by way of the index
 */
#ifndef FORMAT_LPRF_LOOKUP_H
#define FORMAT_LPRF_LOOKUP_H

#include "format/codec.h"
#include "format/lprf/index.h"
#include "format/lprf/v2.h"

/* A name, or what names begin with. */
struct lprf2_range {
	struct prof_span text;
	bool prefix;
};

/* All zero has found nothing.  All that was read stays in the arena. */
struct lprf2_lookup {
	struct prof_span image;		/* up to the trailer */
	uint64_t memory;		/* of blocks that were found */
	uint64_t root;
	struct lprf2_packer **packer;
	struct arena arena;
	/* Blocks of the index and of functions that were read last. */
	struct lprf2_block path[LPRF2_LEVELS], block;
	const struct prof_function *items;	/* of the block, that are
						 * between two names */
	size_t items_size;
	struct prof_function *found;
	size_t size, room, next;
	/* Of lprf2_look_up_ranges: in order, and the first not yet read. */
	struct lprf2_range *ranges;
	size_t ranges_size, range;
};

/*
 * Reads the root, which only blocks follow that readers skip: or else the root
 * is that of another file, before the one whose trailer was read.
 */
enum prof_status lprf2_check_root(struct lprf2_lookup *, struct prof_error *);

/*
 * Finds all functions of these names, which are in order: PROF_OK if each name
 * is there, PROF_END if not.
 */
enum prof_status lprf2_look_up(struct lprf2_lookup *,
    const struct prof_span *names, size_t n, struct prof_error *);

/*
 * Sets the ranges: those names and prefixes.  lprf2_next_range then says from
 * which block on the functions of the first range stand that goes on behind
 * `last`, the last function that was read, or NULL; *at is the block behind
 * that one, or where none was read.  PROF_END: there are none.
 */
bool lprf2_set_ranges(struct lprf2_lookup *, const struct prof_reader *);
enum prof_status lprf2_next_range(struct lprf2_lookup *,
    const struct prof_span *last, uint64_t *at, struct prof_error *);
void lprf2_lookup_free(struct lprf2_lookup *);

#endif
