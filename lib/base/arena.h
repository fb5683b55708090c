/* base/arena.h - memory that is freed all at once */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prof/base.h"

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

#endif
