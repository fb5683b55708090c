/* intern.h - bytes that are there once, known by a number */
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

/* The number of these bytes, added if they are new; INDEX_NONE: no memory. */
uint32_t intern_add(struct intern *, const void *, size_t);

/* The number of these bytes, or INDEX_NONE. */
uint32_t intern_find(const struct intern *, const void *, size_t);

/* Forgets all; good for adding again. */
void intern_free(struct intern *);

#endif
