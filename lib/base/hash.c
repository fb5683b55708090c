/*
 * The hash table, and what stands on it: a map of ids, interned bytes, lists of
 * numbers.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 64 };

/* Fills the first free slot of the search. */
static void
hash_index_put_slot(struct hash_index *x, struct hash_index_slot s)
{
	size_t mask = x->slot_count - 1, i = s.tag & mask;

	while (x->slots[i].item != 0)
		i = (i + 1) & mask;
	x->slots[i] = s;
}

/* At most half of the slots are in use. */
bool
hash_index_grow(struct hash_index *x, size_t size)
{
	const struct hash_index old = *x;

	if (size >= INDEX_NONE || size > SIZE_MAX / 4 / sizeof(*x->slots))
		return false;
	if (x->slot_count == 0)
		x->slot_count = FIRST_SLOTS;
	while (x->slot_count / 2 < size)
		x->slot_count *= 2;
	x->slots = huge_zeros(x->slot_count, sizeof(*x->slots));
	if (x->slots == NULL) {
		*x = old;
		return false;
	}
	if (x->seed == 0)
		x->seed = hash_seed(x->slots);
	for (size_t i = 0; i < old.slot_count; i++) {
		if (old.slots[i].item != 0)
			hash_index_put_slot(x, old.slots[i]);
	}
	free(old.slots);
	return true;
}

bool
hash_index_add(struct hash_index *x, uint64_t hash)
{
	if (!hash_index_reserve(x, (size_t)x->size + 1))
		return false;
	hash_index_put_slot(x,
	    (struct hash_index_slot){ hash_index_tag(hash), ++x->size });
	return true;
}

/* Clearing a large table for few items would cost more than a new one. */
void
hash_index_clear(struct hash_index *x)
{
	if (x->slot_count / 16 > x->size)
		hash_index_free(x);
	else if (x->size != 0)
		memset(x->slots, 0, x->slot_count * sizeof(*x->slots));
	x->size = 0;
}

void
hash_index_seal(struct hash_index *x)
{
	free(x->slots);
	x->slots = NULL;
	x->slot_count = 0;
}

void
hash_index_free(struct hash_index *x)
{
	free(x->slots);
	*x = (struct hash_index){ 0 };
}

/*
 * Two words at a time, in two hashes that the processor computes in parallel.
 * They start from the secret seed, so that no input can make them cancel.
 */
uint64_t
hash_span(uint64_t hash, struct prof_span s)
{
	uint64_t other = hash_mix(hash, s.size), word[2];
	size_t i = 0;

	for (; s.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(word, s.data + i, sizeof(word));
		hash = hash_mix(hash, word[0]);
		other = hash_mix(other, word[1]);
	}
	word[0] = word[1] = 0;
	if (i != s.size)
		memcpy(word, s.data + i, s.size - i);
	hash = hash_mix(hash, word[0]);
	return hash_mix(hash_mix(other, word[1]), hash);
}

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
	t->items[t->size] = arena_text(&t->arena, key.bytes);
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

/* Numbers that one allocation of the arena holds. */
enum { SHARED = 256 };

struct list_pool_key {
	const struct list_pool_entry *items;
	struct list_pool_entry list;
};

/* Most are of a few numbers: too few to call memcmp; but stacks are not. */
static bool
list_pool_same(const void *arg, uint32_t item)
{
	const struct list_pool_key *k = arg;
	const struct list_pool_entry *t = &k->items[item];
	uint32_t differ = t->size ^ k->list.size;

	if (differ == 0 && t->size > 8)
		return memcmp(t->numbers, k->list.numbers,
		    t->size * sizeof(*t->numbers)) == 0;
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
list_pool_add(struct list_pool *t, const uint32_t *numbers, uint32_t size)
{
	struct list_pool_key key = { .list = { numbers, size } };
	struct hash_index_slot *s;
	uint32_t *copy;
	uint64_t hash;

	if (!hash_index_reserve(&t->index, (size_t)t->size + 1) ||
	    !ARRAY_ROOM(t->items, t->size, t->room))
		return INDEX_NONE;
	key.items = t->items;
	hash = list_pool_hash(t, numbers, size);
	s = hash_index_slot(&t->index, hash, list_pool_same, &key);
	if (s->item != 0)
		return s->item - 1;
	copy = list_pool_take(t, size);
	if (copy == NULL)
		return INDEX_NONE;
	if (size != 0)
		memcpy(copy, numbers, size * sizeof(*copy));
	t->items[t->size] = (struct list_pool_entry){ copy, size };
	hash_index_fill(&t->index, s, hash);
	return t->size++;
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

void
list_pool_free(struct list_pool *t)
{
	free(t->items);
	hash_index_free(&t->index);
	arena_free(&t->arena);
	*t = (struct list_pool){ 0 };
}
