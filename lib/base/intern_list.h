/* base/intern_list.h - lists of numbers, each kept once and numbered from 0 */
#ifndef BASE_INTERN_LIST_H
#define BASE_INTERN_LIST_H

#include "base/arena.h"
#include "base/hash_index.h"

struct tuple {
	const uint32_t *numbers;
	uint32_t size;
};

/* All zero is an empty table.  Items stand in the order of adding. */
struct tuples {
	struct tuple *items;
	uint32_t size;
	size_t room;
	struct index index;
	struct arena arena;
};

#define TUPLES_NONE INDEX_NONE

/*
 * The index of the list, which is copied if it is new: then it is the size that
 * the table had before.  TUPLES_NONE if out of memory.
 */
uint32_t tuples_add(struct tuples *, const uint32_t *numbers, uint32_t size);

/* The same without adding; TUPLES_NONE if it is not there. */
uint32_t tuples_find(const struct tuples *, const uint32_t *numbers,
    uint32_t size);

/* The same of one 64-bit number. */
uint32_t tuples_add_u64(struct tuples *, uint64_t);
uint32_t tuples_find_u64(const struct tuples *, uint64_t);

void tuples_free(struct tuples *);

#endif
