#include "base/id_map.h"

#include <stdlib.h>

struct id_map_key {
	const struct id_map_entry *entries;
	uint64_t id;
};

static bool
id_map_same(const void *arg, uint32_t item)
{
	const struct id_map_key *k = arg;

	return k->entries[item].id == k->id;
}

bool
id_map_reserve(struct id_map *m, size_t size)
{
	struct id_map_entry *entries;

	if (!hash_index_reserve(&m->index, size))
		return false;
	if (size <= m->room)
		return true;
	entries = reallocarray(m->entries, size, sizeof(*entries));
	if (entries == NULL)
		return false;
	m->entries = entries;
	m->room = size;
	return true;
}

uint32_t
id_map_index(const struct id_map *m, uint64_t id)
{
	const struct id_map_key key = { m->entries, id };

	return hash_index_find(&m->index, hash_mix(m->index.seed, id),
	    id_map_same, &key);
}

uint64_t *
id_map_add(struct id_map *m, uint64_t id, uint64_t value)
{
	struct hash_index_slot *s;
	struct id_map_key key = { .id = id };
	uint64_t hash;

	if (m->size == m->room && !id_map_reserve(m, m->size == 0 ? 32 :
	    m->size * 2))
		return NULL;
	key.entries = m->entries;
	hash = hash_mix(m->index.seed, id);
	s = hash_index_slot(&m->index, hash, id_map_same, &key);
	if (s->item != 0)
		return &m->entries[s->item - 1].value;
	hash_index_fill(&m->index, s, hash);
	m->entries[m->size] = (struct id_map_entry){ id, value };
	return &m->entries[m->size++].value;
}

void
id_map_clear(struct id_map *m)
{
	hash_index_clear(&m->index);
	if (m->index.slot_count == 0)
		id_map_free(m);
	m->size = 0;
}

void
id_map_free(struct id_map *m)
{
	free(m->entries);
	hash_index_free(&m->index);
	*m = (struct id_map){ 0 };
}
