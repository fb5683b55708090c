#include "base/intern_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct key {
	const struct tuple *items;
	struct tuple tuple;
};

/* Most are of a few numbers: too few to call memcmp. */
static bool
same_tuple(const void *arg, uint32_t item)
{
	const struct key *k = arg;
	const struct tuple *t = &k->items[item];
	uint32_t differ = t->size ^ k->tuple.size;

	for (uint32_t i = 0; differ == 0 && i < t->size; i++)
		differ = t->numbers[i] ^ k->tuple.numbers[i];
	return differ == 0;
}

static uint64_t
hash_of(const struct tuples *t, const uint32_t *numbers, uint32_t size)
{
	uint64_t hash = index_mix(t->index.seed, size);
	uint32_t i = 0;

	for (; size - i >= 2; i += 2)
		hash = index_mix(hash, (uint64_t)numbers[i] << 32 |
		    numbers[i + 1]);
	return i == size ? hash : index_mix(hash, numbers[i]);
}

static bool
append(struct tuples *t, const uint32_t *numbers, uint32_t size)
{
	struct tuple *items = array_room(t->items, t->size, &t->room,
	    sizeof(*items));
	uint32_t *copy;

	if (items == NULL)
		return false;
	t->items = items;
	copy = arena_array(&t->arena, size, sizeof(*copy));
	if (copy == NULL)
		return false;
	if (size != 0)
		memcpy(copy, numbers, size * sizeof(*copy));
	items[t->size] = (struct tuple){ copy, size };
	return true;
}

uint32_t
tuples_add(struct tuples *t, const uint32_t *numbers, uint32_t size)
{
	struct key key = { .tuple = { numbers, size } };
	struct index_slot *s;
	uint64_t hash;

	if (!index_reserve(&t->index, (size_t)t->size + 1))
		return TUPLES_NONE;
	key.items = t->items;
	hash = hash_of(t, numbers, size);
	s = index_slot(&t->index, hash, same_tuple, &key);
	if (s->item != 0)
		return s->item - 1;
	if (!append(t, numbers, size))
		return TUPLES_NONE;
	index_take(&t->index, s, hash);
	return t->size++;
}

uint32_t
tuples_find(const struct tuples *t, const uint32_t *numbers, uint32_t size)
{
	const struct key key = { t->items, { numbers, size } };

	return index_find(&t->index, hash_of(t, numbers, size), same_tuple,
	    &key);
}

uint32_t
tuples_add_u64(struct tuples *t, uint64_t n)
{
	const uint32_t numbers[] = { (uint32_t)n, (uint32_t)(n >> 32) };

	return tuples_add(t, numbers, 2);
}

uint32_t
tuples_find_u64(const struct tuples *t, uint64_t n)
{
	const uint32_t numbers[] = { (uint32_t)n, (uint32_t)(n >> 32) };

	return tuples_find(t, numbers, 2);
}

void
tuples_free(struct tuples *t)
{
	free(t->items);
	index_free(&t->index);
	arena_free(&t->arena);
	*t = (struct tuples){ 0 };
}
