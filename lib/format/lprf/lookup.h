/*
 * format/lprf/lookup.h - functions by name, by way of the index
 */
#ifndef FORMAT_LPRF_LOOKUP_H
#define FORMAT_LPRF_LOOKUP_H

#include "format/lprf/index.h"
#include "format/lprf/v2.h"

/* All zero has found nothing.  All that was read stays in the arena. */
struct lprf2_lookup {
	struct prof_span image;		/* up to the trailer */
	uint64_t root;
	struct lprf2_packer **packer;
	struct arena arena;
	/* Blocks of the index and of functions that were read last. */
	struct lprf2_block path[LPRF2_LEVELS], block;
	const struct prof_function *items;
	struct prof_function *found;
	size_t size, room, next;
};

/*
 * Finds all functions of these names, which are in order: PROF_OK if each name
 * is there, PROF_END if not.
 */
enum prof_status lprf2_look_up(struct lprf2_lookup *,
    const struct prof_span *names, size_t n, struct prof_error *);
void lprf2_lookup_free(struct lprf2_lookup *);

#endif
