#include "model/guid_cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/swar.h"
#include "base/md5.h"

/*
 * Names longer than LONGEST are not cached.  The cache is emptied when its
 * names take more than LIMIT bytes.
 */
enum { SLOT_BITS = 16, LONGEST = 1 << 12, LIMIT = 1 << 23 };

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
guid_cache_slot_of(struct prof_span name)
{
	const uint64_t factor = 0x9E3779B97F4A7C15;
	const uint8_t *end = name.data + name.size;
	uint64_t h = name.size;

	for (const uint8_t *p = name.data; end - p >= 8; p += 8) {
		h = (h ^ swar_load(p)) * factor;
		h ^= h >> 32;
	}
	h = (h ^ guid_cache_tail(name)) * factor;
	return (size_t)(h >> (64 - SLOT_BITS));
}

static void
guid_cache_add(struct guid_cache *g, struct guid_cache_slot *slots,
    struct prof_span name)
{
	if (arena_size(&g->names) > LIMIT) {
		arena_reset(&g->names);
		memset(g->slots, 0, sizeof(*slots) << SLOT_BITS);
	}
	slots[1] = slots[0];
	slots[0] = (struct guid_cache_slot){ arena_copy(&g->names, name),
	    md5_u64(name.data, name.size) };
}

static bool
slot_holds(const struct guid_cache_slot *slot, struct prof_span name)
{
	return slot->name.size == name.size &&
	    memcmp(slot->name.data, name.data, name.size) == 0;
}

uint64_t
guid_cache_of(struct guid_cache *g, struct prof_span name)
{
	struct guid_cache_slot *slot;

	if (g->slots == NULL && !g->none) {
		g->slots = calloc((size_t)1 << SLOT_BITS, sizeof(*slot));
		g->none = g->slots == NULL;
	}
	if (g->none || name.size == 0 || name.size > LONGEST)
		return md5_u64(name.data, name.size);
	slot = &g->slots[guid_cache_slot_of(name) & ~(size_t)1];
	if (slot_holds(&slot[1], name))
		return slot[1].guid;
	if (!slot_holds(&slot[0], name))
		guid_cache_add(g, slot, name);
	return slot[0].guid;
}

void
guid_cache_free(struct guid_cache *g)
{
	free(g->slots);
	arena_free(&g->names);
	*g = (struct guid_cache){ 0 };
}
