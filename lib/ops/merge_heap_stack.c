/* Stacks and allocations, in the terms of the sum. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "ops/merge_heap_engine.h"

static bool
grow_key(struct merge_heap *h, const struct prof_stack *s)
{
	struct mheap_context *k = &h->key;
	void *p;

	if (s->pcs_size > h->pcs_room) {
		p = reallocarray(k->addresses, s->pcs_size, sizeof(uint64_t));
		if (p == NULL)
			return false;
		k->addresses = p;
		p = reallocarray(k->modules, s->pcs_size, sizeof(uint32_t));
		if (p == NULL)
			return false;
		k->modules = p;
		h->pcs_room = s->pcs_size;
	}
	if (s->frames_size > h->frames_room) {
		p = reallocarray(k->frames, s->frames_size, sizeof(uint32_t));
		if (p == NULL)
			return false;
		k->frames = p;
		h->frames_room = s->frames_size;
	}
	return true;
}

/* The stack becomes h->key. */
static enum prof_status
set_key(struct merge_heap *h, const struct prof_stack *s,
    struct prof_error *err)
{
	if (s->pcs_size >= UINT32_MAX || s->frames_size >= UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "stack 0x%016llx has more "
		    "than 2^32 entries", (unsigned long long)s->id);
	if (!grow_key(h, s))
		return err_memory(err);
	h->key.pcs_size = (uint32_t)s->pcs_size;
	h->key.frames_size = (uint32_t)s->frames_size;
	for (size_t i = 0; i < s->frames_size; i++) {
		h->key.frames[i] = mheap_frame(h, &s->frames[i]);
		if (h->key.frames[i] == MHEAP_NONE)
			return err_memory(err);
	}
	return mheap_place_pcs(h, s, err);
}

static bool
same_pcs(const struct mheap_context *a, const struct mheap_context *b)
{
	if (a->pcs_size != b->pcs_size || a->pcs_size == 0)
		return a->pcs_size == b->pcs_size;
	return memcmp(a->addresses, b->addresses,
	    a->pcs_size * sizeof(*a->addresses)) == 0 &&
	    memcmp(a->modules, b->modules,
	    a->pcs_size * sizeof(*a->modules)) == 0;
}

static bool
same_context(const void *arg, uint32_t item)
{
	const struct merge_heap *h = arg;
	const struct mheap_context *a = &h->contexts.items[item], *b = &h->key;

	if (a->frames_size != b->frames_size)
		return false;
	return a->frames_size == 0 ? same_pcs(a, b) : memcmp(a->frames,
	    b->frames, a->frames_size * sizeof(*a->frames)) == 0;
}

static uint64_t
hash_key(uint64_t hash, const struct mheap_context *k)
{
	hash = mheap_mix(hash, k->frames_size);
	for (size_t i = 0; i < k->frames_size; i++)
		hash = mheap_mix(hash, k->frames[i]);
	for (size_t i = 0; k->frames_size == 0 && i < k->pcs_size; i++)
		hash = mheap_mix(hash, k->addresses[i] ^
		    (uint64_t)k->modules[i] << 40);
	return hash;
}

static uint32_t
new_context(struct merge_heap *h, uint64_t hash)
{
	const struct mheap_context *k = &h->key;
	struct mheap_context c = *k;
	uint32_t item;

	c.addresses = arena_array(&h->arena, k->pcs_size,
	    sizeof(*c.addresses));
	c.modules = arena_array(&h->arena, k->pcs_size, sizeof(*c.modules));
	c.frames = arena_array(&h->arena, k->frames_size, sizeof(*c.frames));
	if (c.addresses == NULL || c.modules == NULL || c.frames == NULL)
		return MHEAP_NONE;
	if (k->pcs_size != 0) {
		memcpy(c.addresses, k->addresses,
		    k->pcs_size * sizeof(*c.addresses));
		memcpy(c.modules, k->modules,
		    k->pcs_size * sizeof(*c.modules));
	}
	if (k->frames_size != 0)
		memcpy(c.frames, k->frames,
		    k->frames_size * sizeof(*c.frames));
	item = MHEAP_NEXT(h->contexts, hash);
	if (item != MHEAP_NONE)
		h->contexts.items[item] = c;
	return item;
}

/*
 * The context of h->key.  Most profiles have them in the order of the one
 * before, or in none: a guess is made as long as the last one was right.
 */
static uint32_t
context_of_key(struct merge_heap *h)
{
	uint32_t item = h->next;
	struct mheap_context *c;
	uint64_t hash;

	if (!h->guess || item >= h->contexts.index.size ||
	    !same_context(h, item)) {
		hash = hash_key(h->seed, &h->key);
		item = mheap_index_find(&h->contexts.index, hash,
		    same_context, h);
		if (item == MHEAP_NONE)
			item = new_context(h, hash);
		if (item == MHEAP_NONE)
			return item;
	}
	h->guess = item == h->next;
	h->next = item + 1;
	c = &h->contexts.items[item];
	/* Addresses beside frames, in which not all agree. */
	if (c->frames_size != 0 && !same_pcs(c, &h->key))
		c->pcs_size = 0;
	return item;
}

/* The context of the id, which is this one if it had none. */
static uint32_t
add_id(struct mheap_local *l, uint64_t id, uint32_t context)
{
	uint32_t *contexts = array_room(l->contexts, l->size,
	    &l->contexts_room, sizeof(*contexts));
	uint64_t *ids;
	uint32_t place;

	if (contexts == NULL || l->size == MHEAP_NONE - 1)
		return MHEAP_NONE;
	l->contexts = contexts;
	ids = array_room(l->ids, l->size, &l->ids_room, sizeof(*ids));
	if (ids == NULL)
		return MHEAP_NONE;
	l->ids = ids;
	place = mheap_map_add(&l->stack_ids, id, (uint32_t)l->size);
	if (place != l->size)
		return place == MHEAP_NONE ? MHEAP_NONE : contexts[place];
	ids[l->size] = id;
	contexts[l->size++] = context;
	return context;
}

enum prof_status
mheap_add_stack(struct merge_heap *h, const struct prof_stack *s,
    struct prof_error *err)
{
	uint32_t item, known;

	if (set_key(h, s, err) != PROF_OK)
		return PROF_FAIL;
	item = context_of_key(h);
	if (item == MHEAP_NONE)
		return err_memory(err);
	known = add_id(&h->local, s->id, item);
	if (known == MHEAP_NONE)
		return err_memory(err);
	return known == item ? PROF_OK : err_set(err,
	    PROF_E_CORRUPT, "two stacks have the id 0x%016llx",
	    (unsigned long long)s->id);
}

enum prof_status
mheap_context_of(struct merge_heap *h, uint64_t stack, uint32_t *out,
    struct prof_error *err)
{
	struct mheap_local *l = &h->local;
	uint32_t place;

	if (l->next >= l->size || l->ids[l->next] != stack) {
		place = mheap_map_get(&l->stack_ids, stack);
		if (place == MHEAP_NONE)
			return err_set(err, PROF_E_CORRUPT, "there is no stack "
			    "0x%016llx", (unsigned long long)stack);
		l->next = place;
	}
	*out = l->contexts[l->next++];
	return PROF_OK;
}

enum prof_status
mheap_add_info(struct merge_heap *h, struct mheap_mib **sum,
    const struct prof_mib *info, const struct merge_factor *w,
    struct prof_error *err)
{
	if (*sum == NULL) {
		*sum = arena_alloc(&h->arena, sizeof(**sum));
		if (*sum == NULL)
			return err_memory(err);
		**sum = (struct mheap_mib){ .any = false };
	}
	return mheap_mib_add(*sum, info, w, &h->arena) ? PROF_OK :
	    err_memory(err);
}

/* The blocks to come are far from each other in memory. */
static void
look_ahead(const struct merge_heap *h)
{
	enum { NEAR = 4, FAR = 8 };
	const struct mheap_local *l = &h->local;
	const struct mheap_context *c = h->contexts.items;
	const char *block;

	if (l->size - l->next <= FAR)
		return;
	__builtin_prefetch(&c[l->contexts[l->next + FAR]].allocation);
	block = (const char *)c[l->contexts[l->next + NEAR]].allocation;
	for (size_t i = 0; block != NULL && i < sizeof(struct mheap_mib);
	    i += 64)
		__builtin_prefetch(block + i, 1);
}

enum prof_status
mheap_add_allocation(struct merge_heap *h, const struct prof_allocation *a,
    const struct merge_factor *w, struct prof_error *err)
{
	uint32_t item;

	if (mheap_context_of(h, a->stack, &item, err) != PROF_OK)
		return PROF_FAIL;
	look_ahead(h);
	return mheap_add_info(h, &h->contexts.items[item].allocation, &a->info,
	    w, err);
}
