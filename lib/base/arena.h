/* base/arena.h - memory that is freed all at once, and other memory */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "prof/base.h"

/* Memory that is freed all at once */

struct arena_chunk;

/* All zero is an empty arena. */
struct arena {
	struct arena_chunk *chunks;	/* newest, and largest, first */
	size_t used;			/* bytes of the newest chunk */
	size_t older;			/* bytes of the chunks before it */
};

/* Aligned for any type; NULL if out of memory.  Size 0 gives a pointer. */
void *arena_alloc(struct arena *, size_t size);

/* An array of n items of `size` bytes; NULL too if n * size overflows. */
void *arena_array(struct arena *, size_t n, size_t size);

/* A copy of the bytes; data is NULL if out of memory. */
struct prof_span arena_copy(struct arena *, struct prof_span);

/* The same with a NUL behind the copy, which its size does not count. */
struct prof_span arena_text(struct arena *, struct prof_span);

/* Replaces bytes by their copy; NULL stays NULL.  False if out of memory. */
bool arena_keep(struct arena *, struct prof_span *);

/*
 * Frees the chunks before the one that p is in: allocations older than p, but
 * for those that share its chunk.
 */
void arena_free_before(struct arena *, const void *p);

/* Frees all allocations, but keeps the newest chunk for the next ones. */
void arena_reset(struct arena *);
void arena_free(struct arena *);

/* Bytes in use. */
size_t arena_size(const struct arena *);

/* Arrays that grow */

/* The array is at *array: see ARRAY_RESERVE. */
static inline bool
array_reserve(void *array, size_t used, size_t more, size_t *room, size_t size)
{
	size_t wanted = *room == 0 ? 64 : *room, most = SIZE_MAX / 2 / size;
	void *old, *new;

	if (used <= *room && more <= *room - used)
		return true;
	if (used > most || more > most - used)
		return false;
	while (wanted - used < more)
		wanted *= 2;
	memcpy(&old, array, sizeof(old));
	new = realloc(old, wanted * size);
	if (new == NULL)
		return false;
	memcpy(array, &new, sizeof(new));
	*room = wanted;
	return true;
}

/*
 * Makes room for `more` items behind the `used` ones, which have room: an array
 * that is too small moves, and its room doubles as often as it takes.  False if
 * out of memory, and the array is still valid then.  The array and the room are
 * names of variables or members.
 */
#define ARRAY_RESERVE(array, used, more, room) \
	array_reserve(&(array), (used), (more), &(room), sizeof(*(array)))

/* Makes room for one more item. */
#define ARRAY_ROOM(array, used, room)	ARRAY_RESERVE(array, used, 1, room)

/*
 * Appends a value, which is not evaluated if there is no room for it.  A value
 * that names the size gets the old one.
 */
#define ARRAY_ADD(array, size, room, ...) \
	(ARRAY_ROOM(array, size, room) && \
	    ((array)[size] = __VA_ARGS__, (size)++, true))

/* Large allocations on huge pages */

/* Size of a huge page; smaller allocations come from malloc. */
enum { HUGE_MEMORY = 2 << 20 };

/*
 * As malloc and calloc, to be released with free.  The kernel is advised to use
 * huge pages (MADV_HUGEPAGE), since each page fault costs as much as filling a
 * part of the page.
 */
void *huge_alloc(size_t size);
void *huge_zeros(size_t n, size_t size);

/*
 * As realloc, of NULL or of memory that huge_realloc gave; that of huge_alloc
 * is copied instead of moved.
 */
void *huge_realloc(void *, size_t size);

/*
 * How functions that only prefetch are declared
 *
 * GCC (12 to 14) takes a function that only calls __builtin_prefetch for one
 * without effects, and drops calls of it.  It does not if the function is
 * inlined early, which always_inline ensures.
 */

#if defined __GNUC__
#define PREFETCH_INLINE static inline __attribute__((always_inline))
#else
#define PREFETCH_INLINE static inline
#endif

#endif
