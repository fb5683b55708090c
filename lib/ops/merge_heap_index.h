/* merge_heap_index.h - what is there already: from contents to numbers */
#ifndef OPS_MERGE_HEAP_INDEX_H
#define OPS_MERGE_HEAP_INDEX_H

#include "base/arena.h"
#include "prof.h"

/* No thing of a table; also the number of the module of absolute addresses. */
#define MHEAP_NONE	UINT32_MAX

/* Things that are numbered from 0 and kept elsewhere.  All zero is empty. */
struct mheap_index {
	struct mheap_slot {
		uint32_t tag;		/* the hash's upper half */
		uint32_t item;		/* its number + 1, or 0 */
	} *slots;
	size_t slot_count;		/* a power of two, or 0 */
	uint32_t size;
};

typedef bool mheap_same(const void *arg, uint32_t item);

/* The number of the thing that is the same, or MHEAP_NONE. */
uint32_t mheap_index_find(const struct mheap_index *, uint64_t hash,
    mheap_same *, const void *arg);

/* Adds the next thing: its number is the size before.  False: no memory. */
bool mheap_index_add(struct mheap_index *, uint64_t hash);
void mheap_index_free(struct mheap_index *);

/* From any 64 bits to a number.  All zero is empty. */
struct mheap_map {
	struct mheap_pair {
		uint64_t key;
		uint32_t value;		/* + 1, or 0 */
	} *pairs;
	size_t pair_count;		/* a power of two, or 0 */
	size_t size;
};

/* The number, or MHEAP_NONE. */
uint32_t mheap_map_get(const struct mheap_map *, uint64_t key);

/*
 * The number of the key, which is this one if it was not there.  MHEAP_NONE if
 * out of memory.
 */
uint32_t mheap_map_add(struct mheap_map *, uint64_t key, uint32_t value);
void mheap_map_clear(struct mheap_map *);
void mheap_map_free(struct mheap_map *);

/* Numbers, each once, after mheap_set_sort in ascending order. */
struct mheap_set {
	uint64_t *items;
	size_t size, room;
};

/* False if out of memory. */
bool mheap_set_add(struct mheap_set *, struct arena *, uint64_t item);
void mheap_set_sort(struct mheap_set *);

/*
 * A hash that one word more goes into.  The upper half of the last one is used.
 * Those of what files say begin with merge_heap.seed, which they cannot know.
 */
static inline uint64_t
mheap_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9E3779B97F4A7C15;
	return hash ^ hash >> 32;
}

/* A hash that bytes go into. */
uint64_t mheap_hash_bytes(uint64_t hash, struct prof_span);

#endif
