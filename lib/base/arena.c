#include "base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ALIGN = 16, FIRST_CHUNK = 4096, LARGEST_STEP = 1 << 22 };

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;			/* bytes behind the head */
};

#define HEAD ((sizeof(struct arena_chunk) + ALIGN - 1) / ALIGN * ALIGN)

/*
 * Chunk sizes double, so that the one which a reset keeps is large enough for
 * the next round.
 */
static struct arena_chunk *
arena_grow(struct arena *a, size_t size)
{
	size_t want = a->chunks == NULL ? FIRST_CHUNK : a->chunks->size;
	struct arena_chunk *b;

	if (a->chunks != NULL && want <= LARGEST_STEP)
		want *= 2;
	if (want < size)
		want = size;
	if (want > SIZE_MAX - HEAD || (b = huge_alloc(HEAD + want)) == NULL)
		return NULL;
	if (a->chunks != NULL)
		a->older += a->chunks->size;
	b->next = a->chunks;
	b->size = want;
	a->chunks = b;
	a->used = 0;
	return b;
}

void *
arena_alloc(struct arena *a, size_t size)
{
	static _Alignas(ALIGN) char nothing[ALIGN];
	void *p;

	if (size == 0)
		return nothing;
	if (size > SIZE_MAX - ALIGN)
		return NULL;
	size = (size + ALIGN - 1) / ALIGN * ALIGN;
	if ((a->chunks == NULL || a->chunks->size - a->used < size) &&
	    arena_grow(a, size) == NULL)
		return NULL;
	p = (char *)a->chunks + HEAD + a->used;
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

struct prof_span
arena_text(struct arena *a, struct prof_span s)
{
	uint8_t *p = s.size == SIZE_MAX ? NULL : arena_alloc(a, s.size + 1);

	if (p == NULL)
		return (struct prof_span){ NULL, 0 };
	if (s.size != 0)
		memcpy(p, s.data, s.size);
	p[s.size] = '\0';
	return (struct prof_span){ p, s.size };
}

bool
arena_keep(struct arena *a, struct prof_span *s)
{
	if (s->data == NULL)
		return true;
	*s = arena_copy(a, *s);
	return s->data != NULL;
}

static void
arena_free_chunks(struct arena_chunk *b)
{
	while (b != NULL) {
		struct arena_chunk *next = b->next;

		free(b);
		b = next;
	}
}

void
arena_free_before(struct arena *a, const void *p)
{
	struct arena_chunk *b = a->chunks;

	while (b != NULL &&
	    (uintptr_t)p - ((uintptr_t)b + HEAD) >= b->size)
		b = b->next;
	if (b == NULL)
		return;
	for (const struct arena_chunk *c = b->next; c != NULL; c = c->next)
		a->older -= c->size;
	arena_free_chunks(b->next);
	b->next = NULL;
}

void
arena_reset(struct arena *a)
{
	if (a->chunks != NULL) {
		arena_free_chunks(a->chunks->next);
		a->chunks->next = NULL;
	}
	a->used = a->older = 0;
}

void
arena_free(struct arena *a)
{
	arena_free_chunks(a->chunks);
	*a = (struct arena){ 0 };
}

size_t
arena_size(const struct arena *a)
{
	return a->older + a->used;
}

/* The advice holds for all pages of an allocation, also for parts of pages. */
static void *
huge_advise(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (uintptr_t)p % page;

	if (p != NULL && size >= HUGE_MEMORY)
		madvise((char *)p - before, size + before, MADV_HUGEPAGE);
#else
	(void)size;
#endif
	return p;
}

void *
huge_alloc(size_t size)
{
	void *p = NULL;

	if (size < HUGE_MEMORY)
		return malloc(size);
	return posix_memalign(&p, HUGE_MEMORY, size) != 0 ? NULL :
	    huge_advise(p, size);
}

/*
 * glibc moves the pages of a large allocation instead of copying them (mremap),
 * but only if the advice is the same for all of them; so memory is not aligned
 * to huge pages here, since the pages before would have no advice.
 */
void *
huge_realloc(void *p, size_t size)
{
	return huge_advise(realloc(p, size), size);
}

/*
 * calloc leaves fresh memory of the kernel as it is: a table that is searched
 * before it is filled then takes two faults for each page, the second of which
 * interrupts all other threads.
 */
void *
huge_zeros(size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	p = huge_alloc(bytes);
	if (p != NULL)
		memset(p, 0, bytes);
	return p;
}
