#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct intern_key {
	struct prof_span *items;
	struct prof_span bytes;
};

static bool
intern_same(const void *arg, uint32_t item)
{
	const struct intern_key *k = arg;
	struct prof_span bytes = k->items[item];

	return bytes.size == k->bytes.size && (bytes.size == 0 ||
	    memcmp(bytes.data, k->bytes.data, bytes.size) == 0);
}

static uint64_t
intern_hash(const struct intern *t, struct prof_span bytes)
{
	return hash_span(t->index.seed, bytes);
}

uint32_t
intern_find(const struct intern *t, const void *data, size_t size)
{
	const struct intern_key key = { t->items, { data, size } };

	return hash_index_find(&t->index, intern_hash(t, key.bytes),
	    intern_same, &key);
}

uint32_t
intern_add(struct intern *t, const void *data, size_t size)
{
	struct intern_key key = { .bytes = { data, size } };
	struct hash_index_slot *s;
	uint64_t hash;

	if (!hash_index_reserve(&t->index, t->size + 1) ||
	    !ARRAY_ROOM(t->items, t->size, t->room))
		return INDEX_NONE;
	key.items = t->items;
	hash = intern_hash(t, key.bytes);
	s = hash_index_slot(&t->index, hash, intern_same, &key);
	if (s->item != 0)
		return s->item - 1;
	t->items[t->size] = arena_copy(&t->arena, key.bytes);
	if (t->items[t->size].data == NULL)
		return INDEX_NONE;
	hash_index_fill(&t->index, s, hash);
	return (uint32_t)t->size++;
}

void
intern_free(struct intern *t)
{
	arena_free(&t->arena);
	free(t->items);
	hash_index_free(&t->index);
	*t = (struct intern){ .size = 0 };
}
