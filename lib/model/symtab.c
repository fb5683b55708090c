#include "model/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/digests.h"
#include "base/hash.h"
#include "base/numbers.h"

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

/*
 * Names longer than LONGEST are not cached.  The cache is emptied when its
 * names take more than LIMIT bytes.  It has FEW_BITS until as many names came
 * as it has slots, since a large table of few names takes a page of each.
 */
enum { FEW_BITS = 9, MANY_BITS = 16, LONGEST = 1 << 12, LIMIT = 1 << 23 };

/* A name may be in two slots; a new name replaces the older of the two. */
struct guid_cache_slot {
	struct prof_span name;
	uint64_t guid;
};

/* The last 8 bytes of a name, or all of a shorter one. */
static uint64_t
guid_cache_tail(struct prof_span name)
{
	uint64_t tail = 0;

	if (name.size >= sizeof(tail))
		return swar_load(name.data + name.size - sizeof(tail));
	memcpy(&tail, name.data, name.size);
	return tail;
}

/* Names chosen to collide cost no more than the digest of each. */
static size_t
guid_cache_slot_of(const struct guid_cache *g, struct prof_span name)
{
	const uint64_t factor = 0x9E3779B97F4A7C15;
	const uint8_t *end = name.data + name.size;
	uint64_t h = name.size;

	for (const uint8_t *p = name.data; end - p >= 8; p += 8) {
		h = (h ^ swar_load(p)) * factor;
		h ^= h >> 32;
	}
	h = (h ^ guid_cache_tail(name)) * factor;
	return (size_t)(h >> (64 - g->bits));
}

static void
guid_cache_add(struct guid_cache *g, struct guid_cache_slot *slots,
    struct prof_span name, uint64_t guid)
{
	if (arena_size(&g->names) > LIMIT) {
		arena_reset(&g->names);
		memset(g->slots, 0, sizeof(*slots) << g->bits);
	}
	slots[1] = slots[0];
	slots[0] = (struct guid_cache_slot){ arena_copy(&g->names, name),
	    guid };
	g->added++;
}

static bool
guid_cache_find(const struct guid_cache_slot *slots, struct prof_span name,
    uint64_t *out)
{
	for (size_t i = 0; i < 2; i++) {
		if (slots[i].name.size == name.size && memcmp(
		    slots[i].name.data, name.data, name.size) == 0) {
			*out = slots[i].guid;
			return true;
		}
	}
	return false;
}

/* Gives the cache 2^bits slots, all of them empty. */
static void
guid_cache_clear(struct guid_cache *g, unsigned bits)
{
	free(g->slots);
	arena_reset(&g->names);
	g->bits = bits;
	g->slots = huge_zeros((size_t)1 << bits, sizeof(*g->slots));
	g->none = g->slots == NULL;
}

/* To be called before slots are used. */
static void
guid_cache_make_room(struct guid_cache *g)
{
	if (g->slots == NULL && !g->none)
		guid_cache_clear(g, FEW_BITS);
	else if (g->bits == FEW_BITS && g->added >> FEW_BITS != 0 && !g->none)
		guid_cache_clear(g, MANY_BITS);
}

/* The two slots of a name; NULL if it is not cached. */
static struct guid_cache_slot *
guid_cache_slots(struct guid_cache *g, struct prof_span name)
{
	if (g->none || name.size == 0 || name.size > LONGEST)
		return NULL;
	return &g->slots[guid_cache_slot_of(g, name) & ~(size_t)1];
}

uint64_t
guid_cache_of(struct guid_cache *g, struct prof_span name)
{
	struct guid_cache_slot *slots;
	uint64_t guid;

	guid_cache_make_room(g);
	slots = guid_cache_slots(g, name);
	if (slots != NULL && guid_cache_find(slots, name, &guid))
		return guid;
	guid = md5_u64(name.data, name.size);
	if (slots != NULL)
		guid_cache_add(g, slots, name, guid);
	return guid;
}

void
guid_cache_free(struct guid_cache *g)
{
	free(g->slots);
	arena_free(&g->names);
	*g = (struct guid_cache){ 0 };
}

/*
 * Up to LLVM 17 the separator is the last ':' before the function; Objective-C
 * methods and blocks inside them, as __15+[Class a:b:]_block_invoke, have more
 * of them behind their bracket.
 */
const uint8_t *
local_name_separator(struct prof_span name)
{
	const uint8_t *p = name.size == 0 ? NULL :
	    memchr(name.data, ';', name.size);
	const uint8_t *colon = NULL;

	if (p != NULL)
		return p;
	for (size_t i = 0; i + 1 < name.size; i++) {
		if (name.data[i] == ':')
			colon = name.data + i;
		else if ((name.data[i] == '-' || name.data[i] == '+') &&
		    name.data[i + 1] == '[')
			break;
	}
	return colon;
}

struct prof_span
local_name_split(struct prof_span name, struct prof_span *file)
{
	const uint8_t *at = local_name_separator(name);
	size_t size;

	*file = (struct prof_span){ NULL, 0 };
	if (at == NULL)
		return name;
	size = (size_t)(at - name.data);
	*file = (struct prof_span){ name.data, size };
	return (struct prof_span){ at + 1, name.size - size - 1 };
}

enum { HASH_PART = 20 };	/* 17h, 16 digits, E */

static bool
rust_is_hash_part(const uint8_t *p)
{
	if (memcmp(p, "17h", 3) != 0 || p[HASH_PART - 1] != 'E')
		return false;
	for (size_t i = 3; i < HASH_PART - 1; i++) {
		if (!(p[i] >= '0' && p[i] <= '9') &&
		    !(p[i] >= 'a' && p[i] <= 'f'))
			return false;
	}
	return true;
}

/* The hash part stands at the end, or before a suffix such as .llvm.123. */
static bool
rust_is_legacy(struct prof_span name)
{
	const uint8_t *end, *dot;

	if (name.size < 3 + HASH_PART || memcmp(name.data, "_ZN", 3) != 0)
		return false;
	end = name.data + name.size;
	if (rust_is_hash_part(end - HASH_PART))
		return true;
	dot = name.data + 3 + HASH_PART;
	while ((dot = memchr(dot, '.', (size_t)(end - dot))) != NULL) {
		if (rust_is_hash_part(dot - HASH_PART))
			return true;
		dot++;
	}
	return false;
}

bool
rust_mangled(struct prof_span name)
{
	if (name.size > 2 && name.data[0] == '_' && name.data[1] == 'R' &&
	    memchr("CMXYNIB0123456789", name.data[2], 17) != NULL)
		return true;
	return rust_is_legacy(name);
}
