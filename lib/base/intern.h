/* intern.h - bytes that are there once, known by a number */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include "base/arena.h"
#include "prof.h"

/* All zero is empty. */
struct intern {
	struct arena arena;
	struct prof_span *items;	/* in the order of adding */
	size_t size, room;
	uint32_t *slots;		/* index + 1 into items, 0 is empty */
	uint64_t *hashes;		/* of the items */
	size_t slot_count;		/* a power of two, or 0 */
};

#define INTERN_NONE UINT32_MAX

/* The number of these bytes, added if they are new; INTERN_NONE: no memory. */
uint32_t intern_add(struct intern *, const void *, size_t);

/* The number of these bytes, or INTERN_NONE. */
uint32_t intern_find(const struct intern *, const void *, size_t);

/* Forgets all; good for adding again. */
void intern_free(struct intern *);

#endif
