#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/md5.h"

/* Where the bytes are, or would be.  MD5: nobody chooses colliding bytes. */
static size_t
slot_of(const struct intern *t, const void *data, size_t size,
    uint64_t hash)
{
	size_t i = (size_t)hash & (t->slot_count - 1);

	for (; t->slots[i] != 0; i = (i + 1) & (t->slot_count - 1)) {
		uint32_t n = t->slots[i] - 1;

		if (t->hashes[n] == hash && t->items[n].size == size &&
		    (size == 0 || memcmp(t->items[n].data, data, size) == 0))
			break;
	}
	return i;
}

static bool
grow_slots(struct intern *t)
{
	size_t count = t->slot_count == 0 ? 256 : t->slot_count * 2;
	uint32_t *slots = calloc(count, sizeof(*slots));

	if (slots == NULL)
		return false;
	free(t->slots);
	t->slots = slots;
	t->slot_count = count;
	for (uint32_t i = 0; i < t->size; i++) {
		size_t n = (size_t)t->hashes[i] & (count - 1);

		while (slots[n] != 0)
			n = (n + 1) & (count - 1);
		slots[n] = i + 1;
	}
	return true;
}

static bool
make_room(struct intern *t)
{
	size_t room = t->room == 0 ? 128 : t->room * 2;
	struct prof_span *items;
	uint64_t *hashes;

	if (t->size == INTERN_NONE - 1)
		return false;
	if (t->size < t->room)
		return t->size < t->slot_count / 4 * 3 || grow_slots(t);
	items = reallocarray(t->items, room, sizeof(*items));
	if (items != NULL)
		t->items = items;
	hashes = reallocarray(t->hashes, room, sizeof(*hashes));
	if (hashes != NULL)
		t->hashes = hashes;
	if (items == NULL || hashes == NULL)
		return false;
	t->room = room;
	return t->size < t->slot_count / 4 * 3 || grow_slots(t);
}

uint32_t
intern_find(const struct intern *t, const void *data, size_t size)
{
	size_t slot;

	if (t->slot_count == 0)
		return INTERN_NONE;
	slot = slot_of(t, data, size, md5_u64(data, size));
	return t->slots[slot] == 0 ? INTERN_NONE : t->slots[slot] - 1;
}

uint32_t
intern_add(struct intern *t, const void *data, size_t size)
{
	uint64_t hash = md5_u64(data, size);
	struct prof_span copy;
	size_t slot;

	if (!make_room(t))
		return INTERN_NONE;
	slot = slot_of(t, data, size, hash);
	if (t->slots[slot] != 0)
		return t->slots[slot] - 1;
	copy = arena_copy(&t->arena, (struct prof_span){ data, size });
	if (copy.data == NULL)
		return INTERN_NONE;
	t->items[t->size] = copy;
	t->hashes[t->size] = hash;
	t->slots[slot] = (uint32_t)++t->size;
	return t->slots[slot] - 1;
}

void
intern_free(struct intern *t)
{
	arena_free(&t->arena);
	free(t->items);
	free(t->hashes);
	free(t->slots);
	*t = (struct intern){ .size = 0 };
}
