#include "base/idmap.h"

#include <stdlib.h>

/*
 * A file may choose its ids so that they meet in one slot; it does not know
 * where in memory the slots are.  (The mixer is that of MurmurHash3.)
 */
static size_t
hash(const struct idmap *m, uint64_t id)
{
	id ^= m->seed;
	id = (id ^ id >> 33) * 0xFF51AFD7ED558CCD;
	id = (id ^ id >> 33) * 0xC4CEB9FE1A85EC53;
	return (size_t)(id ^ id >> 33) & (m->slot_count - 1);
}

static struct idmap_slot *
slot_of(const struct idmap *m, uint64_t id)
{
	size_t i = hash(m, id);

	while (m->slots[i].value != 0 && m->slots[i].id != id)
		i = (i + 1) & (m->slot_count - 1);
	return &m->slots[i];
}

/* At most half of the slots are used. */
bool
idmap_reserve(struct idmap *m, size_t size)
{
	struct idmap bigger = { .slot_count = 64, .size = m->size };

	if (size <= m->slot_count / 2)
		return true;
	if (size > SIZE_MAX / 4 / sizeof(*m->slots))
		return false;
	while (bigger.slot_count / 2 < size)
		bigger.slot_count *= 2;
	bigger.slots = calloc(bigger.slot_count, sizeof(*m->slots));
	if (bigger.slots == NULL)
		return false;
	bigger.seed = (uintptr_t)bigger.slots * UINT64_C(0x9E3779B97F4A7C15);
	for (size_t i = 0; i < m->slot_count; i++) {
		if (m->slots[i].value != 0)
			*slot_of(&bigger, m->slots[i].id) = m->slots[i];
	}
	free(m->slots);
	*m = bigger;
	return true;
}

uint64_t *
idmap_add(struct idmap *m, uint64_t id, uint64_t value)
{
	struct idmap_slot *s;

	if (m->size == m->slot_count / 2 && !idmap_reserve(m, m->size + 1))
		return NULL;
	s = slot_of(m, id);
	if (s->value == 0) {
		*s = (struct idmap_slot){ id, value };
		m->size++;
	}
	return &s->value;
}

uint64_t *
idmap_find(const struct idmap *m, uint64_t id)
{
	struct idmap_slot *s;

	if (m->size == 0)
		return NULL;
	s = slot_of(m, id);
	return s->value == 0 ? NULL : &s->value;
}

void
idmap_free(struct idmap *m)
{
	free(m->slots);
	*m = (struct idmap){ 0 };
}
