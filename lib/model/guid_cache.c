#include "model/guid_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/swar.h"
#include "base/md5.h"

/*
 * Names longer than LONGEST are not cached.  The cache is emptied when its
 * names take more than LIMIT bytes.  It has FEW_BITS until as many names came
 * as it has slots, since a large table of few names takes a page of each.
 */
enum { FEW_BITS = 9, MANY_BITS = 16, LONGEST = 1 << 12, LIMIT = 1 << 23,
	BATCH = 32 };

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
slot_holds(const struct guid_cache_slot *slot, struct prof_span name)
{
	return slot->name.size == name.size &&
	    memcmp(slot->name.data, name.data, name.size) == 0;
}

static bool
guid_cache_find(const struct guid_cache_slot *slots, struct prof_span name,
    uint64_t *out)
{
	for (size_t i = 0; i < 2; i++) {
		if (slot_holds(&slots[i], name)) {
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

/* Finds the slots of names, and prefetches them and their names in turn. */
static void
guid_cache_prefetch(struct guid_cache *g, const struct prof_span *names,
    size_t n, struct guid_cache_slot **slots)
{
	for (size_t i = 0; i < n; i++) {
		slots[i] = guid_cache_slots(g, names[i]);
		__builtin_prefetch(slots[i]);
	}
	for (size_t i = 0; i < n; i++) {
		if (slots[i] == NULL)
			continue;
		__builtin_prefetch(slots[i][0].name.data);
		__builtin_prefetch(slots[i][1].name.data);
	}
}

/* The same for BATCH names at most. */
static void
guid_cache_batch(struct guid_cache *g, const struct prof_span *names, size_t n,
    uint64_t *guids)
{
	struct guid_cache_slot *slots[BATCH];
	struct prof_span missing[BATCH];
	size_t places[BATCH], missed = 0;
	uint64_t computed[BATCH];

	guid_cache_make_room(g);
	guid_cache_prefetch(g, names, n, slots);
	for (size_t i = 0; i < n; i++) {
		if (slots[i] != NULL &&
		    guid_cache_find(slots[i], names[i], &guids[i]))
			continue;
		missing[missed] = names[i];
		places[missed++] = i;
	}
	md5_u64_many(missing, missed, computed);
	for (size_t i = 0; i < missed; i++) {
		size_t at = places[i];

		guids[at] = computed[i];
		if (slots[at] != NULL)
			guid_cache_add(g, slots[at], missing[i], computed[i]);
	}
}

void
guid_cache_many(struct guid_cache *g, const struct prof_span *names, size_t n,
    uint64_t *guids)
{
	for (size_t i = 0; i < n; i += BATCH)
		guid_cache_batch(g, names + i, n - i < BATCH ? n - i : BATCH,
		    guids + i);
}

void
guid_cache_free(struct guid_cache *g)
{
	free(g->slots);
	arena_free(&g->names);
	*g = (struct guid_cache){ 0 };
}
