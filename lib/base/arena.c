#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

enum { ALIGN = 16, FIRST_BLOCK = 4096, LARGEST_STEP = 1 << 22 };

struct arena_block {
	struct arena_block *next;
	size_t size;			/* bytes behind the head */
};

#define HEAD ((sizeof(struct arena_block) + ALIGN - 1) / ALIGN * ALIGN)

/* Blocks double, so that a reset leaves one that fits the next round. */
static struct arena_block *
grow(struct arena *a, size_t size)
{
	size_t want = a->blocks == NULL ? FIRST_BLOCK : a->blocks->size;
	struct arena_block *b;

	if (a->blocks != NULL && want <= LARGEST_STEP)
		want *= 2;
	if (want < size)
		want = size;
	if (want > SIZE_MAX - HEAD || (b = huge_alloc(HEAD + want)) == NULL)
		return NULL;
	if (a->blocks != NULL)
		a->older += a->blocks->size;
	b->next = a->blocks;
	b->size = want;
	a->blocks = b;
	a->used = 0;
	return b;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	static char nothing[ALIGN];
	void *p;

	if (size == 0)
		return nothing;
	if (size > SIZE_MAX - ALIGN)
		return NULL;
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if ((a->blocks == NULL || a->blocks->size - a->used < size) &&
	    grow(a, size) == NULL)
		return NULL;
	p = (char *)a->blocks + HEAD + a->used;
	a->used += size;
	return p;
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	if (size != 0 && n > SIZE_MAX / size)
		return NULL;
	return arena_alloc(a, n * size);
}

struct prof_span
arena_copy(struct arena *a, struct prof_span s)
{
	uint8_t *p = arena_alloc(a, s.size);

	if (p != NULL && s.size != 0)
		memcpy(p, s.data, s.size);
	return (struct prof_span){ p, p == NULL ? 0 : s.size };
}

static void
free_from(struct arena_block *b)
{
	while (b != NULL) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
}

void
arena_reset(struct arena *a)
{
	if (a->blocks != NULL) {
		free_from(a->blocks->next);
		a->blocks->next = NULL;
	}
	a->used = a->older = 0;
}

void
arena_free(struct arena *a)
{
	free_from(a->blocks);
	*a = (struct arena){ 0 };
}

size_t
arena_size(const struct arena *a)
{
	return a->older + a->used;
}
