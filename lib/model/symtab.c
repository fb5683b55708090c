#include "model/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/digests.h"
#include "base/hash.h"

struct symtab_key {
	const struct prof_symbol *symbols;
	uint64_t guid;
};

static bool
symtab_same(const void *arg, uint32_t item)
{
	const struct symtab_key *k = arg;

	return k->symbols[item].guid == k->guid;
}

/* Guids are digests, but files may have any number: so they are hashed. */
static uint64_t
symtab_hash(const struct symtab *t, uint64_t guid)
{
	return hash_mix(t->index.seed, guid);
}

bool
symtab_reserve(struct symtab *t, size_t more)
{
	return more <= SIZE_MAX - t->size &&
	    hash_index_reserve(&t->index, t->size + more) &&
	    ARRAY_RESERVE(t->symbols, t->size, more, t->room);
}

const struct prof_symbol *
symtab_put(struct symtab *t, struct prof_span name, uint64_t guid)
{
	struct hash_index_slot *slot;
	uint64_t hash;

	if (!symtab_reserve(t, 1))
		return NULL;
	guid = prof_symbol_guid(&(struct prof_symbol){ name, guid });
	hash = symtab_hash(t, guid);
	slot = hash_index_slot(&t->index, hash, symtab_same,
	    &(struct symtab_key){ t->symbols, guid });
	if (slot->item == 0) {
		t->symbols[t->size++] = (struct prof_symbol){ name, guid };
		hash_index_fill(&t->index, slot, hash);
	}
	return &t->symbols[slot->item - 1];
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
	uint32_t found;

	if (hint != NULL && *hint < t->size && t->symbols[*hint].guid == guid)
		return (*hint)++;
	found = hash_index_find(&t->index, symtab_hash(t, guid), symtab_same,
	    &(struct symtab_key){ t->symbols, guid });
	if (found == INDEX_NONE)
		return SYMTAB_NONE;
	if (hint != NULL)
		*hint = found + (size_t)1;
	return found;
}

void
symtab_prefetch(const struct symtab *t, uint64_t guid)
{
	hash_index_prefetch(&t->index, symtab_hash(t, guid));
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
	hash_index_free(&t->index);
	*t = (struct symtab){ 0 };
}

/*
 * Names longer than LONGEST are not cached.  The cache is emptied when its
 * names take more than LIMIT bytes.
 */
enum { LONGEST = 1 << 12, LIMIT = 1 << 23 };

uint64_t
guid_cache_of(struct guid_cache *g, struct prof_span name)
{
	size_t size;
	uint32_t i = INDEX_NONE;

	if (arena_size(&g->names.arena) > LIMIT)
		guid_cache_free(g);
	size = g->names.size;
	if (name.size != 0 && name.size <= LONGEST &&
	    ARRAY_ROOM(g->guids, size, g->room))
		i = intern_add(&g->names, name.data, name.size);
	if (i == INDEX_NONE)
		return md5_u64(name.data, name.size);
	if (i == size)
		g->guids[i] = md5_u64(name.data, name.size);
	return g->guids[i];
}

void
guid_cache_free(struct guid_cache *g)
{
	intern_free(&g->names);
	free(g->guids);
	*g = (struct guid_cache){ .room = 0 };
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
