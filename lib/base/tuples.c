#include "base/tuples.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Each number is spread over all bits before the next one comes. */
static uint32_t
hash_of(const uint32_t *numbers, uint32_t size)
{
	uint64_t h = size + UINT64_C(0x9e3779b97f4a7c15);

	for (uint32_t i = 0; i < size; i++) {
		h ^= numbers[i];
		h *= UINT64_C(0xff51afd7ed558ccd);
		h ^= h >> 32;
	}
	return (uint32_t)h;
}

static bool
is_equal(const struct tuple *t, const uint32_t *numbers, uint32_t size,
    uint32_t hash)
{
	return t->hash == hash && t->size == size && (size == 0 ||
	    memcmp(t->numbers, numbers, size * sizeof(*numbers)) == 0);
}

static size_t
slot_of(const struct tuples *t, const uint32_t *numbers, uint32_t size,
    uint32_t hash)
{
	size_t mask = t->slot_count - 1, i = hash & mask;

	while (t->slots[i] != 0 &&
	    !is_equal(&t->items[t->slots[i] - 1], numbers, size, hash))
		i = (i + 1) & mask;
	return i;
}

/* At most half of the slots are used. */
static bool
grow_slots(struct tuples *t)
{
	size_t count = t->slot_count == 0 ? 128 : t->slot_count * 2;
	uint32_t *slots;

	if (t->size < t->slot_count / 2)
		return true;
	slots = calloc(count, sizeof(*slots));
	if (slots == NULL)
		return false;
	for (uint32_t i = 0; i < t->size; i++) {
		size_t at = t->items[i].hash & (count - 1);

		while (slots[at] != 0)
			at = (at + 1) & (count - 1);
		slots[at] = i + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->slot_count = count;
	return true;
}

static bool
append(struct tuples *t, const uint32_t *numbers, uint32_t size, uint32_t hash)
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
	items[t->size] = (struct tuple){ copy, size, hash };
	return true;
}

uint32_t
tuples_add(struct tuples *t, const uint32_t *numbers, uint32_t size)
{
	uint32_t hash = hash_of(numbers, size);
	size_t at;

	/* Index + 1 is a slot, and no index is TUPLES_NONE. */
	if (t->size >= UINT32_MAX - 1 || !grow_slots(t))
		return TUPLES_NONE;
	at = slot_of(t, numbers, size, hash);
	if (t->slots[at] != 0)
		return t->slots[at] - 1;
	if (!append(t, numbers, size, hash))
		return TUPLES_NONE;
	t->slots[at] = ++t->size;
	return t->size - 1;
}

uint32_t
tuples_find(const struct tuples *t, const uint32_t *numbers, uint32_t size)
{
	uint32_t found;

	if (t->size == 0)
		return TUPLES_NONE;
	found = t->slots[slot_of(t, numbers, size, hash_of(numbers, size))];
	return found == 0 ? TUPLES_NONE : found - 1;
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
	free(t->slots);
	arena_free(&t->arena);
	*t = (struct tuples){ 0 };
}
