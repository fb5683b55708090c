#include "format/indexed/map_order.h"

#include <string.h>

/* Both maps probe in steps of 1, 2, 3 and so on from the slot of the hash. */
struct order_map {
	const uint32_t *hashes;
	uint32_t *slots;	/* index + 1 into hashes, 0 is empty */
	uint32_t *steps;	/* probes of the last key, by first slot */
	size_t size;		/* a power of two */
};

/*
 * The slots that the last key of the same first slot found occupied stay
 * occupied.  The search begins behind them, so that many keys of one hash do
 * not take quadratic time.
 */
static void
map_insert(struct order_map *m, uint32_t key)
{
	size_t own = m->hashes[key] & (m->size - 1);
	uint64_t step = m->steps[own];
	size_t i = (size_t)(own + step * (step + 1) / 2) & (m->size - 1);

	while (m->slots[i] != 0)
		i = (size_t)(i + ++step) & (m->size - 1);
	m->slots[i] = key + 1;
	m->steps[own] = (uint32_t)step;
}

/* Keys move to the new slots in the order of the old ones. */
static bool
map_resize(struct order_map *m, struct arena *a, size_t size)
{
	struct order_map old = *m;

	m->slots = arena_array(a, size, sizeof(*m->slots));
	m->steps = arena_array(a, size, sizeof(*m->steps));
	if (m->slots == NULL || m->steps == NULL)
		return false;
	memset(m->slots, 0, size * sizeof(*m->slots));
	memset(m->steps, 0, size * sizeof(*m->steps));
	m->size = size;
	for (size_t i = 0; i < old.size; i++) {
		if (old.slots[i] != 0)
			map_insert(m, old.slots[i] - 1);
	}
	return true;
}

static void
map_list_keys(const struct order_map *m, uint32_t *order)
{
	for (size_t i = 0; i < m->size; i++) {
		if (m->slots[i] != 0)
			*order++ = m->slots[i] - 1;
	}
}

bool
string_map_order(struct arena *a, const uint32_t *hashes, size_t n,
    uint32_t *order)
{
	struct order_map m = { .hashes = hashes };

	if (!map_resize(&m, a, 16))
		return false;
	for (size_t i = 0; i < n; i++) {
		map_insert(&m, (uint32_t)i);
		if ((i + 1) * 4 > m.size * 3 && !map_resize(&m, a, m.size * 2))
			return false;
	}
	map_list_keys(&m, order);
	return true;
}

bool
dense_map_order(struct arena *a, const uint32_t *hashes, size_t n,
    uint32_t *order)
{
	struct order_map m = { .hashes = hashes };

	if (!map_resize(&m, a, 4))
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((i + 1) * 4 >= m.size * 3 &&
		    !map_resize(&m, a, m.size < 64 ? 64 : m.size * 2))
			return false;
		map_insert(&m, (uint32_t)i);
	}
	map_list_keys(&m, order);
	return true;
}

uint32_t
string_map_hash(struct prof_span name)
{
	uint32_t h = 0;

	for (size_t i = 0; i < name.size; i++)
		h = h * 33 + name.data[i];
	return h;
}

uint32_t
dense_map_hash_times_37(uint64_t key)
{
	return (uint32_t)(key * 37);
}

uint32_t
dense_map_hash_mixed(uint64_t key)
{
	key *= 0xbf58476d1ce4e5b9;
	return (uint32_t)(key ^ key >> 31);
}
