/*
 * format/lprf/search.h - the next whole block of a damaged file
 *
 * A block is whole if its checksum is right.
 */
#ifndef FORMAT_LPRF_SEARCH_H
#define FORMAT_LPRF_SEARCH_H

#include "format/lprf/v2.h"

/* A set of kinds of blocks, a bit each. */
enum { LPRF2_ANY_KIND = 1 << LPRF2_HEAD | 1 << LPRF2_GUIDS | 1 << LPRF2_NAMES |
	1 << LPRF2_TAIL | 1 << LPRF2_INDEX };

struct lprf2_search {
	struct prof_span image;		/* up to the trailer, if there is one */
	uint64_t hashed;		/* bytes, in vain */
};

/*
 * Whether the blocks of the file end at an offset of the image: there is a
 * trailer, which is stored, or the header of another file, and *t is all zero.
 */
bool lprf2_ends_at(struct prof_span image, uint64_t at,
    struct lprf2_trailer *t);

/*
 * Where the next whole block begins, or the blocks end, behind a damaged block.
 * The kinds of the damaged blocks in between are stored.
 */
uint64_t lprf2_search_next(struct lprf2_search *, uint64_t at,
    unsigned *kinds);

#endif
