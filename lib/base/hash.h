/* base/hash.h - hash tables: of items, ids, bytes, and lists of numbers */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "prof/base.h"

/*
 * A hash table of the numbers of items
 *
 * The items are in an array of the caller's, numbered from 0 in the order of
 * adding; the table maps a hash to the number.  intern (bytes), list_pool
 * (lists of numbers) and id_map (64-bit ids) stand on it, and so can other
 * tables: a lookup takes a function that compares an item with the key.
 */

/* No item, or no memory for one. */
#define INDEX_NONE	UINT32_MAX

struct hash_index_slot {
	uint32_t tag;			/* of the hash */
	uint32_t item;			/* its number + 1, or 0 */
};

/* All zero is empty. */
struct hash_index {
	struct hash_index_slot *slots;
	size_t slot_count;		/* a power of two, or 0 */
	uint32_t size;
	uint64_t seed;			/* once there is room for one */
};

typedef bool hash_index_same(const void *arg, uint32_t item);

/*
 * Mixes a word into a hash.  Hashes of data from files start with the seed of
 * the table, which a file cannot know: otherwise it could choose keys that all
 * meet in one slot.
 */
static inline uint64_t
hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15;
	return hash ^ hash >> 32;
}

/* A seed for a table, from the address of its memory: ASLR makes it secret. */
static inline uint64_t
hash_seed(const void *memory)
{
	return hash_mix(1, (uintptr_t)memory);
}

/*
 * Where the search for a number begins in a table that has slots of its own, a
 * power of two.  The highest bits of the product, on which all bits of the
 * number have an influence, become the lowest ones; a shift would take one more
 * member of the table, or more instructions.
 */
static inline size_t
hash_first_slot(uint64_t seed, uint64_t number, size_t slot_count)
{
	uint64_t hash = (seed ^ number) * 0x9E3779B97F4A7C15;

	return (size_t)__builtin_bswap64(hash) & (slot_count - 1);
}

/* Mixes bytes into a hash. */
uint64_t hash_span(uint64_t hash, struct prof_span);

/* 32 bits that all bits of the hash have an influence on. */
static inline uint32_t
hash_index_tag(uint64_t hash)
{
	return (uint32_t)(hash * 0xFF51AFD7ED558CCD >> 32);
}

/*
 * The slot of the item that is the same, or the free slot for it.  The table
 * must have slots (hash_index_reserve).
 */
static inline struct hash_index_slot *
hash_index_slot(const struct hash_index *x, uint64_t hash,
    hash_index_same *same, const void *arg)
{
	uint32_t tag = hash_index_tag(hash);
	size_t mask = x->slot_count - 1, i = tag & mask;

	while (x->slots[i].item != 0 && (x->slots[i].tag != tag ||
	    !same(arg, x->slots[i].item - 1)))
		i = (i + 1) & mask;
	return &x->slots[i];
}

/* The number of the item that is the same, or INDEX_NONE. */
static inline uint32_t
hash_index_find(const struct hash_index *x, uint64_t hash,
    hash_index_same *same, const void *arg)
{
	return x->slot_count == 0 ? INDEX_NONE :
	    hash_index_slot(x, hash, same, arg)->item - 1;
}

/* Fills a free slot with an item of that number. */
static inline void
hash_index_fill_item(struct hash_index *x, struct hash_index_slot *s,
    uint64_t hash, uint32_t item)
{
	*s = (struct hash_index_slot){ hash_index_tag(hash), item + 1 };
	x->size++;
}

/* The same with the next item, whose number is the old size. */
static inline void
hash_index_fill(struct hash_index *x, struct hash_index_slot *s, uint64_t hash)
{
	hash_index_fill_item(x, s, hash, x->size);
}

/* Prefetches the slot where a search for the hash begins. */
PREFETCH_INLINE void
hash_index_prefetch(const struct hash_index *x, uint64_t hash)
{
	if (x->slot_count != 0)
		__builtin_prefetch(&x->slots[hash_index_tag(hash) &
		    (x->slot_count - 1)]);
}

bool hash_index_grow(struct hash_index *, size_t size);

/* Makes room for that many items in all; false if out of memory. */
static inline bool
hash_index_reserve(struct hash_index *x, size_t size)
{
	return size <= x->slot_count / 2 || hash_index_grow(x, size);
}

/* Adds the next item, whose number is the old size.  False: no memory. */
bool hash_index_add(struct hash_index *, uint64_t hash);

/* Frees the slots, but keeps the size: no item is looked up any more. */
void hash_index_seal(struct hash_index *);

/* Removes all items.  Memory is kept unless most of it was unused. */
void hash_index_clear(struct hash_index *);
void hash_index_free(struct hash_index *);

/* A map from 64-bit ids to numbers */

struct id_map_entry {
	uint64_t id;
	uint64_t value;
};

/* All zero is empty. */
struct id_map {
	struct id_map_entry *entries;	/* in the order of adding */
	size_t size, room;
	struct hash_index index;
};

/* Makes room for that many ids in all; false if out of memory. */
bool id_map_reserve(struct id_map *, size_t size);

/*
 * The value of the id; an id that is not in the map is added with this value.
 * NULL if out of memory.  The pointer is valid until the next id is added.
 */
uint64_t *id_map_add(struct id_map *, uint64_t id, uint64_t value);

/* The index in entries, or INDEX_NONE. */
uint32_t id_map_index(const struct id_map *, uint64_t id);

/* The value of the id; NULL if the map does not have it. */
static inline uint64_t *
id_map_find(const struct id_map *m, uint64_t id)
{
	uint32_t place = id_map_index(m, id);

	return place == INDEX_NONE ? NULL : &m->entries[place].value;
}

/*
 * The same for ids that are likely to come in the order in which they were
 * added.  The entry *next is tried first; *next becomes the one behind the
 * entry found.
 */
static inline uint64_t *
id_map_find_next(const struct id_map *m, size_t *next, uint64_t id)
{
	uint32_t place;

	if (*next >= m->size || m->entries[*next].id != id) {
		place = id_map_index(m, id);
		if (place == INDEX_NONE)
			return NULL;
		*next = place;
	}
	return &m->entries[(*next)++].value;
}

/* Removes all ids.  Memory is kept unless most of it was unused. */
void id_map_clear(struct id_map *);
void id_map_free(struct id_map *);

/* Strings of bytes, each stored once, with NUL behind, and numbered from 0 */

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

/* Lists of numbers, each stored once and numbered from 0 */

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

/* list_pool_add of one 64-bit number. */
uint32_t list_pool_add_u64(struct list_pool *, uint64_t);

void list_pool_free(struct list_pool *);

#endif
