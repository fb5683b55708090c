/* base/id_map.h - numbers found by 64-bit ids */
#ifndef BASE_ID_MAP_H
#define BASE_ID_MAP_H

#include "base/hash_index.h"

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

/* Room for that many ids in all; false if out of memory. */
bool id_map_reserve(struct id_map *, size_t size);

/*
 * The value of an id, which is added with this one if it is not there.  NULL if
 * out of memory; valid until the next id is added.
 */
uint64_t *id_map_add(struct id_map *, uint64_t id, uint64_t value);

/* Its place among the entries, or INDEX_NONE. */
uint32_t id_map_index(const struct id_map *, uint64_t id);

/* NULL if it is not there. */
static inline uint64_t *
id_map_find(const struct id_map *m, uint64_t id)
{
	uint32_t place = id_map_index(m, id);

	return place == INDEX_NONE ? NULL : &m->entries[place].value;
}

/*
 * The same for ids that are likely to come in the order in which they were
 * added: *next is where one is looked for first, and then the place behind it.
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

/* Forgets all; memory is kept if it was of use. */
void id_map_clear(struct id_map *);
void id_map_free(struct id_map *);

#endif
