/* idmap.h - numbers found by 64-bit ids */
#ifndef BASE_IDMAP_H
#define BASE_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap_slot {
	uint64_t id;
	uint64_t value;		/* 0: the slot is free */
};

/* All zero is empty. */
struct idmap {
	struct idmap_slot *slots;
	size_t slot_count;	/* a power of two, or 0 */
	size_t size;		/* ids that are there */
	uint64_t seed;
};

/* Room for that many ids in all; false if out of memory. */
bool idmap_reserve(struct idmap *, size_t size);

/*
 * The value of an id, which is added with this one (not 0) if it is not there.
 * NULL if out of memory; valid until the next id is added.
 */
uint64_t *idmap_add(struct idmap *, uint64_t id, uint64_t value);

/* NULL if it is not there. */
uint64_t *idmap_find(const struct idmap *, uint64_t id);

void idmap_free(struct idmap *);

#endif
