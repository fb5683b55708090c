#include "base/id_map.h"

#include <stdlib.h>

struct key {
	const struct idmap_entry *entries;
	uint64_t id;
};

static bool
same_id(const void *arg, uint32_t item)
{
	const struct key *k = arg;

	return k->entries[item].id == k->id;
}

bool
idmap_reserve(struct idmap *m, size_t size)
{
	struct idmap_entry *entries;

	if (!index_reserve(&m->index, size))
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
idmap_place(const struct idmap *m, uint64_t id)
{
	const struct key key = { m->entries, id };

	return index_find(&m->index, index_mix(m->index.seed, id), same_id,
	    &key);
}

uint64_t *
idmap_add(struct idmap *m, uint64_t id, uint64_t value)
{
	struct index_slot *s;
	struct key key = { .id = id };
	uint64_t hash;

	if (m->size == m->room && !idmap_reserve(m, m->size == 0 ? 32 :
	    m->size * 2))
		return NULL;
	key.entries = m->entries;
	hash = index_mix(m->index.seed, id);
	s = index_slot(&m->index, hash, same_id, &key);
	if (s->item != 0)
		return &m->entries[s->item - 1].value;
	index_take(&m->index, s, hash);
	m->entries[m->size] = (struct idmap_entry){ id, value };
	return &m->entries[m->size++].value;
}

void
idmap_clear(struct idmap *m)
{
	index_clear(&m->index);
	if (m->index.slot_count == 0)
		idmap_free(m);
	m->size = 0;
}

void
idmap_free(struct idmap *m)
{
	free(m->entries);
	index_free(&m->index);
	*m = (struct idmap){ 0 };
}
