#include "ops/merge_heap_index.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 64 };

/* Puts a thing where none is. */
static void
put_slot(struct mheap_index *x, struct mheap_slot s)
{
	size_t mask = x->slot_count - 1, i = s.tag & mask;

	while (x->slots[i].item != 0)
		i = (i + 1) & mask;
	x->slots[i] = s;
}

/* At most half of the slots are in use. */
static bool
grow_index(struct mheap_index *x)
{
	struct mheap_index old = *x;

	if (x->size < x->slot_count / 2)
		return true;
	x->slot_count = old.slot_count == 0 ? FIRST_SLOTS :
	    old.slot_count * 2;
	x->slots = calloc(x->slot_count, sizeof(*x->slots));
	if (x->slots == NULL) {
		*x = old;
		return false;
	}
	for (size_t i = 0; i < old.slot_count; i++) {
		if (old.slots[i].item != 0)
			put_slot(x, old.slots[i]);
	}
	free(old.slots);
	return true;
}

uint32_t
mheap_index_find(const struct mheap_index *x, uint64_t hash, mheap_same *same,
    const void *arg)
{
	uint32_t tag = (uint32_t)(hash >> 32);
	size_t mask = x->slot_count - 1;

	if (x->slot_count == 0)
		return MHEAP_NONE;
	for (size_t i = tag & mask; x->slots[i].item != 0;
	    i = (i + 1) & mask) {
		const struct mheap_slot *s = &x->slots[i];

		if (s->tag == tag && same(arg, s->item - 1))
			return s->item - 1;
	}
	return MHEAP_NONE;
}

bool
mheap_index_add(struct mheap_index *x, uint64_t hash)
{
	if (x->size == MHEAP_NONE - 1 || !grow_index(x))
		return false;
	put_slot(x, (struct mheap_slot){ (uint32_t)(hash >> 32),
	    ++x->size });
	return true;
}

void
mheap_index_free(struct mheap_index *x)
{
	free(x->slots);
	*x = (struct mheap_index){ 0 };
}

/*
 * A file may choose ids that meet in one slot; it does not know where in memory
 * the slots are.
 */
static size_t
pair_of(const struct mheap_map *m, uint64_t key)
{
	size_t mask = m->pair_count - 1;
	size_t i = (size_t)(mheap_mix((uintptr_t)m->pairs, key) >> 32) & mask;

	while (m->pairs[i].value != 0 && m->pairs[i].key != key)
		i = (i + 1) & mask;
	return i;
}

uint32_t
mheap_map_get(const struct mheap_map *m, uint64_t key)
{
	/* Nothing is 0, which is MHEAP_NONE + 1. */
	return m->size == 0 ? MHEAP_NONE : m->pairs[pair_of(m, key)].value - 1;
}

static bool
grow_map(struct mheap_map *m)
{
	struct mheap_map old = *m;

	if (m->size < m->pair_count / 2)
		return true;
	m->pair_count = old.pair_count == 0 ? FIRST_SLOTS :
	    old.pair_count * 2;
	m->pairs = calloc(m->pair_count, sizeof(*m->pairs));
	if (m->pairs == NULL) {
		*m = old;
		return false;
	}
	for (size_t i = 0; i < old.pair_count; i++) {
		if (old.pairs[i].value != 0)
			m->pairs[pair_of(m, old.pairs[i].key)] = old.pairs[i];
	}
	free(old.pairs);
	return true;
}

uint32_t
mheap_map_add(struct mheap_map *m, uint64_t key, uint32_t value)
{
	struct mheap_pair *p;

	if (!grow_map(m))
		return MHEAP_NONE;
	p = &m->pairs[pair_of(m, key)];
	if (p->value == 0) {
		*p = (struct mheap_pair){ key, value + 1 };
		m->size++;
	}
	return p->value - 1;
}

/* A table that one large profile left costs the small ones nothing. */
void
mheap_map_clear(struct mheap_map *m)
{
	if (m->pair_count / 16 > m->size)
		mheap_map_free(m);
	else if (m->size != 0)
		memset(m->pairs, 0, m->pair_count * sizeof(*m->pairs));
	m->size = 0;
}

void
mheap_map_free(struct mheap_map *m)
{
	free(m->pairs);
	*m = (struct mheap_map){ 0 };
}

static int
compare_numbers(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
mheap_set_sort(struct mheap_set *s)
{
	size_t kept = 0;

	if (s->size > 1)
		qsort(s->items, s->size, sizeof(*s->items), compare_numbers);
	for (size_t i = 0; i < s->size; i++) {
		if (kept == 0 || s->items[kept - 1] != s->items[i])
			s->items[kept++] = s->items[i];
	}
	s->size = kept;
}

static bool
grow_set(struct mheap_set *s, struct arena *a)
{
	size_t room = s->room == 0 ? 4 : s->room * 2;
	uint64_t *items = arena_array(a, room, sizeof(*items));

	if (items == NULL)
		return false;
	if (s->size != 0)
		memcpy(items, s->items, s->size * sizeof(*items));
	s->items = items;
	s->room = room;
	return true;
}

bool
mheap_set_add(struct mheap_set *s, struct arena *a, uint64_t item)
{
	if (s->size != 0 && s->items[s->size - 1] == item)
		return true;
	/* Half of the room is won or made, so that sorting stays cheap. */
	if (s->size == s->room) {
		mheap_set_sort(s);
		if (s->size >= s->room / 2 && !grow_set(s, a))
			return false;
	}
	s->items[s->size++] = item;
	return true;
}

uint64_t
mheap_hash_bytes(uint64_t hash, struct prof_span s)
{
	uint64_t word;
	size_t i = 0;

	for (; s.size - i >= sizeof(word); i += sizeof(word)) {
		memcpy(&word, s.data + i, sizeof(word));
		hash = mheap_mix(hash, word);
	}
	for (word = 0; i < s.size; i++)
		word = word << 8 | s.data[i];
	return mheap_mix(hash, word);
}
