#include "base/list_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Numbers that one allocation of the arena holds. */
enum { SHARED = 256 };

struct list_pool_key {
	const struct list_pool_entry *items;
	struct list_pool_entry list;
};

/* Most are of a few numbers: too few to call memcmp. */
static bool
list_pool_same(const void *arg, uint32_t item)
{
	const struct list_pool_key *k = arg;
	const struct list_pool_entry *t = &k->items[item];
	uint32_t differ = t->size ^ k->list.size;

	for (uint32_t i = 0; differ == 0 && i < t->size; i++)
		differ = t->numbers[i] ^ k->list.numbers[i];
	return differ == 0;
}

static uint64_t
list_pool_hash(const struct list_pool *t, const uint32_t *numbers,
    uint32_t size)
{
	uint64_t hash = hash_mix(t->index.seed, size);
	uint32_t i = 0;

	for (; size - i >= 2; i += 2)
		hash = hash_mix(hash, (uint64_t)numbers[i] << 32 |
		    numbers[i + 1]);
	return i == size ? hash : hash_mix(hash, numbers[i]);
}

/*
 * Memory for numbers.  Most lists are short, and the arena rounds what it gives
 * up to 16 bytes: many lists share one allocation.
 */
static uint32_t *
list_pool_take(struct list_pool *t, uint32_t size)
{
	size_t want = size > SHARED / 8 ? size : SHARED;
	uint32_t *p;

	if (t->free == NULL || size > t->free_size) {
		p = arena_array(&t->arena, want, sizeof(*p));
		if (p == NULL || want == size)
			return p;
		t->free = p;
		t->free_size = want;
	}
	p = t->free;
	t->free += size;
	t->free_size -= size;
	return p;
}

uint32_t
list_pool_append(struct list_pool *t, const uint32_t *numbers, uint32_t size)
{
	uint32_t *copy;

	if (t->size == INDEX_NONE - 1 ||
	    !ARRAY_ROOM(t->items, t->size, t->room))
		return INDEX_NONE;
	copy = list_pool_take(t, size);
	if (copy == NULL)
		return INDEX_NONE;
	if (size != 0)
		memcpy(copy, numbers, size * sizeof(*copy));
	t->items[t->size] = (struct list_pool_entry){ copy, size };
	return t->size++;
}

uint32_t
list_pool_add(struct list_pool *t, const uint32_t *numbers, uint32_t size)
{
	struct list_pool_key key = { .list = { numbers, size } };
	struct hash_index_slot *s;
	uint32_t item;
	uint64_t hash;

	if (!hash_index_reserve(&t->index, (size_t)t->index.size + 1))
		return INDEX_NONE;
	key.items = t->items;
	hash = list_pool_hash(t, numbers, size);
	s = hash_index_slot(&t->index, hash, list_pool_same, &key);
	if (s->item != 0)
		return s->item - 1;
	item = list_pool_append(t, numbers, size);
	if (item != INDEX_NONE)
		hash_index_fill_item(&t->index, s, hash, item);
	return item;
}

uint32_t
list_pool_find(const struct list_pool *t, const uint32_t *numbers,
    uint32_t size)
{
	const struct list_pool_key key = { t->items, { numbers, size } };

	return hash_index_find(&t->index, list_pool_hash(t, numbers, size),
	    list_pool_same, &key);
}

uint32_t
list_pool_add_u64(struct list_pool *t, uint64_t n)
{
	const uint32_t numbers[] = { (uint32_t)n, (uint32_t)(n >> 32) };

	return list_pool_add(t, numbers, 2);
}

uint32_t
list_pool_find_u64(const struct list_pool *t, uint64_t n)
{
	const uint32_t numbers[] = { (uint32_t)n, (uint32_t)(n >> 32) };

	return list_pool_find(t, numbers, 2);
}

void
list_pool_free(struct list_pool *t)
{
	free(t->items);
	hash_index_free(&t->index);
	arena_free(&t->arena);
	*t = (struct list_pool){ 0 };
}
