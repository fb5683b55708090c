/* base/intern.h - strings of bytes, each stored once and numbered from 0 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/arena.h"
#include "base/hash_index.h"

/* All zero is empty. */
struct intern {
	struct arena arena;
	struct prof_span *items;	/* in the order of adding */
	size_t size, room;
	struct hash_index index;
};

/* The number of the bytes, copied if they are new; INDEX_NONE: no memory. */
uint32_t intern_add(struct intern *, const void *, size_t);

/* The number of these bytes, or INDEX_NONE. */
uint32_t intern_find(const struct intern *, const void *, size_t);

/* Frees all; the table is empty then, and may be used again. */
void intern_free(struct intern *);

#endif
