/* base/list_pool.h - lists of numbers, each stored once and numbered from 0 */
#ifndef BASE_LIST_POOL_H
#define BASE_LIST_POOL_H

#include "base/arena.h"
#include "base/hash_index.h"

struct list_pool_entry {
	const uint32_t *numbers;
	uint32_t size;
};

/* All zero is an empty table.  Items stand in the order of adding. */
struct list_pool {
	struct list_pool_entry *items;
	uint32_t size;
	size_t room;
	struct hash_index index;
	uint32_t *free;			/* of the memory for numbers */
	size_t free_size;
	struct arena arena;
};

/*
 * The index of the list, which is copied if it is new: then it is the size that
 * the table had before.  INDEX_NONE if out of memory.
 */
uint32_t list_pool_add(struct list_pool *, const uint32_t *numbers,
    uint32_t size);

/* The number of a list, as of list_pool_add; INDEX_NONE: no such list. */
uint32_t list_pool_find(const struct list_pool *, const uint32_t *numbers,
    uint32_t size);

/* The same of one 64-bit number. */
uint32_t list_pool_add_u64(struct list_pool *, uint64_t);
uint32_t list_pool_find_u64(const struct list_pool *, uint64_t);

void list_pool_free(struct list_pool *);

#endif
