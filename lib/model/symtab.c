#include "model/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "base/huge_pages.h"

/* Guids are digests, but files may have any number: so they are hashed. */
static size_t
symtab_first_slot(const struct symtab *t, uint64_t guid)
{
	return hash_first_slot(t->seed, guid, t->slot_count);
}

static size_t
symtab_slot(const struct symtab *t, uint64_t guid)
{
	size_t mask = t->slot_count - 1;
	size_t i = symtab_first_slot(t, guid);

	while (t->slots[i] != 0 && t->symbols[t->slots[i] - 1].guid != guid)
		i = (i + 1) & mask;
	return i;
}

/* At most half of the slots are used. */
static bool
symtab_set_room(struct symtab *t, size_t room)
{
	struct prof_symbol *symbols;
	size_t slot_count = 128;
	uint32_t *slots;

	if (room > UINT32_MAX / 2 || room > SIZE_MAX / sizeof(*symbols))
		return false;
	while (slot_count < room * 2)
		slot_count *= 2;
	symbols = huge_alloc(room * sizeof(*symbols));
	slots = huge_zeros(slot_count, sizeof(*slots));
	if (symbols == NULL || slots == NULL) {
		free(symbols);
		free(slots);
		return false;
	}
	if (t->size != 0)
		memcpy(symbols, t->symbols, t->size * sizeof(*symbols));
	free(t->symbols);
	t->symbols = symbols;
	free(t->slots);
	t->slots = slots;
	t->slot_count = slot_count;
	t->seed = hash_seed(slots);
	t->room = room;
	for (size_t i = 0; i < t->size; i++)
		slots[symtab_slot(t, symbols[i].guid)] = (uint32_t)i + 1;
	return true;
}

/* At least doubles the size, so that adding one by one takes linear time. */
bool
symtab_reserve(struct symtab *t, size_t more)
{
	size_t room = t->room == 0 ? 64 : t->room * 2;

	if (more <= t->room - t->size)
		return true;
	if (room - t->size < more)
		room = t->size + more;
	return symtab_set_room(t, room);
}

const struct prof_symbol *
symtab_put(struct symtab *t, struct prof_span name, uint64_t guid)
{
	size_t slot;

	if (t->size == t->room && !symtab_reserve(t, 1))
		return NULL;
	guid = prof_symbol_guid(&(struct prof_symbol){ name, guid });
	slot = symtab_slot(t, guid);
	if (t->slots[slot] == 0) {
		t->symbols[t->size] = (struct prof_symbol){ name, guid };
		t->slots[slot] = (uint32_t)++t->size;
	}
	return &t->symbols[t->slots[slot] - 1];
}

bool
symtab_add(struct symtab *t, struct prof_span name, uint64_t guid)
{
	return symtab_put(t, name, guid) != NULL;
}

bool
symtab_keep(struct symtab *t, struct arena *a, struct prof_span name,
    uint64_t guid)
{
	guid = prof_symbol_guid(&(struct prof_symbol){ name, guid });
	return symtab_find(t, guid, NULL) != SYMTAB_NONE ||
	    (arena_keep(a, &name) && symtab_add(t, name, guid));
}

size_t
symtab_find(const struct symtab *t, uint64_t guid, size_t *hint)
{
	size_t found;

	if (hint != NULL && *hint < t->size && t->symbols[*hint].guid == guid)
		return (*hint)++;
	if (t->size == 0)
		return SYMTAB_NONE;
	found = t->slots[symtab_slot(t, guid)];
	if (found == 0)
		return SYMTAB_NONE;
	if (hint != NULL)
		*hint = found;
	return found - 1;
}

void
symtab_prefetch(const struct symtab *t, uint64_t guid)
{
	if (t->slot_count != 0)
		__builtin_prefetch(&t->slots[symtab_first_slot(t, guid)]);
}

void
symtab_prefetch_symbol(const struct symtab *t, uint64_t guid)
{
	uint32_t number = t->slot_count == 0 ? 0 :
	    t->slots[symtab_first_slot(t, guid)];

	if (number != 0)
		__builtin_prefetch(&t->symbols[number - 1]);
}

struct prof_span
symtab_name(const struct symtab *t, uint64_t guid)
{
	size_t i = symtab_find(t, guid, NULL);

	if (i == SYMTAB_NONE)
		return (struct prof_span){ NULL, 0 };
	return t->symbols[i].name;
}

void
symtab_free(struct symtab *t)
{
	free(t->symbols);
	free(t->slots);
	*t = (struct symtab){ 0 };
}
