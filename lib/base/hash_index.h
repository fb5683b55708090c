/* base/hash_index.h - numbers of things that are kept elsewhere, found by a hash */
#ifndef BASE_HASH_INDEX_H
#define BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/prefetch.h"
#include "prof.h"

/* No thing. */
#define INDEX_NONE	UINT32_MAX

struct hash_index_slot {
	uint32_t tag;			/* of the hash */
	uint32_t item;			/* a thing's number + 1, or 0 */
};

/* Things are numbered from 0 in the order of adding.  All zero is empty. */
struct hash_index {
	struct hash_index_slot *slots;
	size_t slot_count;		/* a power of two, or 0 */
	uint32_t size;
	uint64_t seed;			/* once there is room for one */
};

typedef bool hash_index_same(const void *arg, uint32_t item);

/*
 * A hash that one word more goes into.  Those of what files say begin with a
 * seed that files cannot know, so that they cannot choose what meets in one
 * slot.
 */
static inline uint64_t
hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15;
	return hash ^ hash >> 32;
}

/* A hash that bytes go into. */
uint64_t hash_span(uint64_t hash, struct prof_span);

/* What the upper bits of the last word did is in the lower ones, too. */
static inline uint32_t
hash_index_tag(uint64_t hash)
{
	return (uint32_t)(hash * 0xFF51AFD7ED558CCD >> 32);
}

/* The slot of the thing that is the same, or a free one; there are slots. */
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

/* The number of the thing that is the same, or INDEX_NONE. */
static inline uint32_t
hash_index_find(const struct hash_index *x, uint64_t hash,
    hash_index_same *same, const void *arg)
{
	return x->slot_count == 0 ? INDEX_NONE :
	    hash_index_slot(x, hash, same, arg)->item - 1;
}

/* The next thing, whose number is the size before, gets a free slot. */
static inline void
hash_index_fill(struct hash_index *x, struct hash_index_slot *s, uint64_t hash)
{
	*s = (struct hash_index_slot){ hash_index_tag(hash), ++x->size };
}

/* Asks memory for where the thing is found. */
PREFETCH_INLINE void
hash_index_prefetch(const struct hash_index *x, uint64_t hash)
{
	if (x->slot_count != 0)
		__builtin_prefetch(&x->slots[hash_index_tag(hash) &
		    (x->slot_count - 1)]);
}

/* The thing that is likely to be the same, or INDEX_NONE: none is looked at. */
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

/* Room for that many things in all; false if out of memory. */
static inline bool
hash_index_reserve(struct hash_index *x, size_t size)
{
	return size <= x->slot_count / 2 || hash_index_grow(x, size);
}

/* Adds the next thing: its number is the size before.  False: no memory. */
bool hash_index_add(struct hash_index *, uint64_t hash);

/* Forgets all; memory is kept if it was of use. */
void hash_index_clear(struct hash_index *);
void hash_index_free(struct hash_index *);

#endif
