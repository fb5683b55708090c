/*
 * base/hash_index.h - a hash table of the numbers of items
 *
 * The items are in an array of the caller's, numbered from 0 in the order of
 * adding; the table maps a hash to the number.  intern (bytes), list_pool
 * (lists of numbers) and id_map (64-bit ids) stand on it, and so can other
 * tables: a lookup takes a function that compares an item with the key.
 */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prefetch.h"
#include "prof/base.h"

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

/*
 * The first item with the same tag, or INDEX_NONE.  No item is compared, so the
 * answer may be wrong.
 */
static inline uint32_t
hash_index_guess(const struct hash_index *x, uint64_t hash)
{
	uint32_t tag = hash_index_tag(hash);
	size_t mask = x->slot_count - 1;

	if (x->slot_count == 0)
		return INDEX_NONE;
	for (size_t i = tag & mask; x->slots[i].item != 0;
	    i = (i + 1) & mask) {
		if (x->slots[i].tag == tag)
			return x->slots[i].item - 1;
	}
	return INDEX_NONE;
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

#endif
