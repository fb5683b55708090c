/* base/id_map.h - a map from 64-bit ids to numbers */
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

#endif
