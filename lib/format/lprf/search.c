#include "format/lprf/search.h"

#include "format/lprf/lprf.h"

/* Bytes hashed by a search that finds nothing, by byte of the file. */
enum { SEARCH_MAX = 16 };

/* In the head of a block. */
enum { KIND = 4, UNNAMED = 6 };

bool
lprf2_ends_at(struct prof_span image, uint64_t at, struct lprf2_trailer *t)
{
	struct prof_span rest = { image.data + at, image.size - (size_t)at };

	*t = (struct lprf2_trailer){ .root = 0 };
	if (rest.size >= LPRF2_TRAILER && lprf2_parse_trailer(rest.data, at, t,
	    NULL) == PROF_OK)
		return true;
	return rest.size >= LPRF2_HEADER && load_u32(rest.data, false) ==
	    LPRF_MAGIC && lprf2_get_header(rest, NULL) == PROF_OK;
}

/* Whether there may be the head of a block of functions, records or index. */
static bool
lprf2_may_begin(const struct lprf2_search *s, uint64_t at)
{
	const uint8_t *head = s->image.data + at;

	return s->image.size - at >= LPRF2_BLOCK_HEAD &&
	    head[KIND] >= LPRF2_HEAD && head[KIND] <= LPRF2_INDEX &&
	    head[UNNAMED] == 0 && head[UNNAMED + 1] == 0;
}

/* Whether the search goes on at an offset: a block is whole, or all end. */
static bool
lprf2_search_stops(struct lprf2_search *s, uint64_t at)
{
	struct lprf2_trailer t;
	struct lprf2_block b = { .stored = 0 };

	if (at == s->image.size || lprf2_ends_at(s->image, at, &t) ||
	    (s->image.size - at >= LPRF2_BLOCK_HEAD && lprf2_get_block(
	    s->image, at, s->image.size, &b, NULL) == PROF_OK))
		return true;
	s->hashed += b.stored;
	return false;
}

static bool
lprf2_search_goes_on(const struct lprf2_search *s)
{
	return s->hashed / SEARCH_MAX <= s->image.size;
}

/*
 * From one damaged block to the next, by the sizes in their heads; 0 if these
 * lead to no whole block.
 */
static uint64_t
lprf2_follow_sizes(struct lprf2_search *s, uint64_t at, unsigned *kinds)
{
	*kinds = 0;
	while (lprf2_search_goes_on(s) &&
	    s->image.size - at >= LPRF2_BLOCK_HEAD) {
		const uint8_t *head = s->image.data + at;
		uint64_t size = lprf2_block_size(head);

		if (size > s->image.size - at)
			return 0;
		*kinds |= head[KIND] >= LPRF2_HEAD && head[KIND] <= LPRF2_INDEX
		    ? 1u << head[KIND] : LPRF2_ANY_KIND;
		at += size;
		if (lprf2_search_stops(s, at))
			return at;
	}
	return 0;
}

uint64_t
lprf2_search_next(struct lprf2_search *s, uint64_t at, unsigned *kinds)
{
	uint64_t next = lprf2_follow_sizes(s, at, kinds);
	struct lprf2_trailer t;

	if (next != 0)
		return next;
	*kinds = LPRF2_ANY_KIND;
	for (at++; at < s->image.size && lprf2_search_goes_on(s); at++) {
		if (lprf2_may_begin(s, at) ? lprf2_search_stops(s, at) :
		    lprf2_ends_at(s->image, at, &t))
			return at;
	}
	return s->image.size;
}
