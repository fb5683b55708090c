/* Stacks and allocations, in the terms of the sum. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/prefetch.h"
#include "merge/heap/engine.h"

/* Bytes of the longest stack that is worth asking for early. */
enum { LONG = 512, LINE = 64 };

enum { LANES = 4 };

static size_t
size_of(const struct mheap_stack *s)
{
	return sizeof(*s) + sizeof(s->numbers[0]) * (s->pcs_size +
	    (s->frames_size + UINT64_C(1)) / 2);
}

/* A place for a stack; it is in the way of no other until it is looked up. */
static struct mheap_stack *
new_waiting(struct merge_heap *h, const struct prof_stack *s)
{
	struct mheap_stack size = { .pcs_size = (uint32_t)s->pcs_size,
	    .frames_size = (uint32_t)s->frames_size };
	struct mheap_stack *to = arena_alloc(&h->waiting_arena,
	    size_of(&size));

	if (to == NULL)
		return NULL;
	to->pcs_size = size.pcs_size;
	to->frames_size = size.frames_size;
	/* The half of a number that no frame is in is compared, too. */
	if (to->frames_size % 2 != 0)
		mheap_frames(to)[to->frames_size] = 0;
	return to;
}

static enum prof_status
convert(struct merge_heap *h, const struct prof_stack *s,
    struct mheap_stack **out, struct prof_error *err)
{
	struct mheap_stack *to;

	if (s->pcs_size >= UINT32_MAX || s->frames_size >= UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "stack 0x%016llx has more "
		    "than 2^32 entries", (unsigned long long)s->id);
	*out = to = new_waiting(h, s);
	if (to == NULL)
		return err_memory(err);
	for (size_t i = 0; i < s->frames_size; i++) {
		uint32_t frame = mheap_frame(h, &s->frames[i]);

		if (frame == MHEAP_NONE)
			return err_memory(err);
		mheap_frames(to)[i] = frame;
	}
	return mheap_place_pcs(h, s, to, err);
}

static bool
same_numbers(const uint64_t *a, const uint64_t *b, size_t size)
{
	return size == 0 || memcmp(a, b, size * sizeof(*a)) == 0;
}

static bool
same_pcs(const struct mheap_stack *a, const struct mheap_stack *b)
{
	return a->pcs_size == b->pcs_size && (a->pcs_size == 0 ||
	    a->modules == b->modules) && same_numbers(mheap_addresses(a),
	    mheap_addresses(b), a->pcs_size);
}

struct stack_key {
	const struct mheap_context *contexts;
	const struct mheap_stack *stack;
};

static bool
same_stack(const void *arg, uint32_t item)
{
	const struct stack_key *k = arg;
	const struct mheap_stack *a = k->contexts[item].stack;
	const struct mheap_stack *b = k->stack;

	if (a->frames_size != b->frames_size)
		return false;
	return a->frames_size == 0 ? same_pcs(a, b) : same_numbers(a->numbers,
	    b->numbers, (a->frames_size + (size_t)1) / 2);
}

/*
 * Four at a time, so that the processor need not wait for each.  Who writes the
 * numbers must not know how two of the four differ.
 */
static uint64_t
hash_numbers(uint64_t hash, const uint64_t *numbers, size_t size)
{
	uint64_t lanes[LANES] = { hash, hash_mix(hash, 1), hash_mix(hash, 2),
	    hash_mix(hash, size) };
	size_t i = 0;

	for (; size - i >= LANES; i += LANES) {
#pragma GCC unroll 4
		for (size_t k = 0; k < LANES; k++)
			lanes[k] = hash_mix(lanes[k], numbers[i + k]);
	}
	for (; i < size; i++)
		lanes[0] = hash_mix(lanes[0], numbers[i]);
	lanes[0] = hash_mix(lanes[0], lanes[1]);
	return hash_mix(lanes[0], hash_mix(lanes[2], lanes[3]));
}

static uint64_t
hash_stack(uint64_t seed, const struct mheap_stack *s)
{
	if (s->frames_size != 0)
		return hash_numbers(hash_mix(seed, s->frames_size),
		    s->numbers, (s->frames_size + (size_t)1) / 2);
	return hash_numbers(hash_mix(seed, (uint64_t)s->modules << 32),
	    s->numbers, s->pcs_size);
}

static uint32_t
new_context(struct merge_heap *h, const struct mheap_waiting *w)
{
	struct prof_span copy = arena_copy(&h->arena, (struct prof_span){
	    (const uint8_t *)w->stack, size_of(w->stack) });
	uint32_t item;

	if (copy.data == NULL)
		return MHEAP_NONE;
	item = MHEAP_NEXT(h->contexts, w->hash);
	if (item != MHEAP_NONE)
		h->contexts.items[item] = (struct mheap_context){
		    .stack = (void *)(uintptr_t)copy.data };
	return item;
}

static uint32_t
context_of(struct merge_heap *h, const struct mheap_waiting *w)
{
	const struct stack_key key = { h->contexts.items, w->stack };
	uint32_t item = w->item;
	struct mheap_stack *s;

	if (item == MHEAP_NONE)
		item = hash_index_find(&h->contexts.index, w->hash, same_stack,
		    &key);
	if (item == MHEAP_NONE)
		item = new_context(h, w);
	if (item == MHEAP_NONE)
		return item;
	s = h->contexts.items[item].stack;
	/* Addresses beside frames, in which not all agree. */
	if (s->frames_size != 0 && !same_pcs(s, w->stack))
		s->pcs_size = 0;
	return item;
}

static enum prof_status
look_up(struct merge_heap *h, const struct mheap_waiting *w,
    const struct merge_factor *factor, struct prof_error *err)
{
	uint32_t item = context_of(h, w);
	uint64_t *known;

	if (item == MHEAP_NONE)
		return err_memory(err);
	h->guess = item == h->next;
	h->next = item + 1;
	if (w->info != NULL)
		return mheap_add_info(h, &h->contexts.items[item].allocation,
		    w->info, factor, err);
	known = id_map_add(&h->local.stacks, w->id, item);
	if (known == NULL)
		return err_memory(err);
	return *known == item ? PROF_OK : err_set(err, PROF_E_CORRUPT,
	    "two stacks have the id 0x%016llx", (unsigned long long)w->id);
}

PREFETCH_INLINE void
ask_for(const void *p, size_t size)
{
	for (size_t i = 0; i < size && i < LONG; i += LINE)
		__builtin_prefetch((const char *)p + i);
}

/*
 * Contexts are all over memory: of each that waits, a slot is asked for when it
 * comes, later the number that is there, and then what is known by that.
 */
enum { NEAR = 4, FAR = 8 };

PREFETCH_INLINE void
ask_for_context(struct merge_heap *h, struct mheap_waiting *w)
{
	if (w->item != MHEAP_NONE)
		return;
	w->likely = hash_index_guess(&h->contexts.index, w->hash);
	if (w->likely != MHEAP_NONE)
		ask_for(&h->contexts.items[w->likely], 1);
}

PREFETCH_INLINE void
ask_for_known(const struct merge_heap *h, const struct mheap_waiting *w)
{
	const struct mheap_context *c;

	if (w->likely == MHEAP_NONE)
		return;
	c = &h->contexts.items[w->likely];
	ask_for(c->stack, size_of(w->stack));
	if (w->info != NULL && c->allocation != NULL)
		ask_for(c->allocation, sizeof(struct mheap_mib));
}

/* Does what there is to do once as many as n have come. */
static void
look_ahead(struct merge_heap *h, size_t n)
{
	if (n >= NEAR && n - NEAR < h->waiting_size)
		ask_for_context(h, &h->waiting[n - NEAR]);
	if (n >= FAR)
		ask_for_known(h, &h->waiting[n - FAR]);
}

static enum prof_status
look_up_all(struct merge_heap *h, const struct merge_factor *factor,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	if (h->waiting_size == 0)
		return PROF_OK;
	for (size_t i = 0; i < FAR; i++)
		look_ahead(h, h->waiting_size + i);
	for (size_t i = 0; i < h->waiting_size && status == PROF_OK; i++)
		status = look_up(h, &h->waiting[i], factor, err);
	h->waiting_size = 0;
	h->ahead = h->next;
	arena_reset(&h->waiting_arena);
	return status;
}

enum prof_status
mheap_find(struct merge_heap *h, struct prof_error *err)
{
	return look_up_all(h, NULL, err);
}

/*
 * Most profiles have their stacks in the order of the one before, or in none: a
 * guess is made as long as the last one was right.
 */
static bool
guess(struct merge_heap *h, const struct mheap_stack *s)
{
	const struct stack_key key = { h->contexts.items, s };

	return h->guess && h->ahead < h->contexts.index.size &&
	    same_stack(&key, h->ahead);
}

static enum prof_status
let_wait(struct merge_heap *h, const struct prof_stack *s,
    const struct prof_mib *info, struct prof_error *err)
{
	struct mheap_waiting *w = &h->waiting[h->waiting_size];

	*w = (struct mheap_waiting){ .id = s->id, .info = info,
	    .likely = MHEAP_NONE };
	if (convert(h, s, &w->stack, err) != PROF_OK)
		return PROF_FAIL;
	if (guess(h, w->stack))
		w->item = h->ahead++;
	else {
		h->guess = false;
		w->item = MHEAP_NONE;
		w->hash = hash_stack(h->seed, w->stack);
		hash_index_prefetch(&h->contexts.index, w->hash);
	}
	look_ahead(h, h->waiting_size++);
	return PROF_OK;
}

enum prof_status
mheap_add_stack(struct merge_heap *h, const struct prof_stack *s,
    struct prof_error *err)
{
	if (let_wait(h, s, NULL, err) != PROF_OK)
		return PROF_FAIL;
	return h->waiting_size < MHEAP_WAITING_MAX ? PROF_OK :
	    mheap_find(h, err);
}

enum prof_status
mheap_add_pairs(struct merge_heap *h, const struct prof_pairs *p,
    const struct merge_factor *w, struct prof_error *err)
{
	if (mheap_find(h, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < p->size; i++) {
		if (let_wait(h, &p->stacks[i], &p->allocations[i].info, err)
		    != PROF_OK)
			return PROF_FAIL;
		if (h->waiting_size == MHEAP_WAITING_MAX &&
		    look_up_all(h, w, err) != PROF_OK)
			return PROF_FAIL;
	}
	return look_up_all(h, w, err);
}

enum prof_status
mheap_context_of(struct merge_heap *h, uint64_t stack, uint32_t *out,
    struct prof_error *err)
{
	struct mheap_local *l = &h->local;
	const uint64_t *known;

	if (mheap_find(h, err) != PROF_OK)
		return PROF_FAIL;
	known = id_map_find_next(&l->stacks, &l->next, stack);
	if (known == NULL)
		return err_set(err, PROF_E_CORRUPT, "there is no stack "
		    "0x%016llx", (unsigned long long)stack);
	*out = (uint32_t)*known;
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

/* The blocks to come are far from each other in memory, too. */
PREFETCH_INLINE void
ask_for_blocks(const struct merge_heap *h)
{
	const struct mheap_local *l = &h->local;
	const struct mheap_context *c = h->contexts.items;
	const struct id_map_entry *e = l->stacks.entries + l->next;

	if (l->stacks.size - l->next <= FAR)
		return;
	ask_for(&c[e[FAR].value].allocation, 1);
	if (c[e[NEAR].value].allocation != NULL)
		ask_for(c[e[NEAR].value].allocation, sizeof(struct mheap_mib));
}

enum prof_status
mheap_add_allocation(struct merge_heap *h, const struct prof_allocation *a,
    const struct merge_factor *w, struct prof_error *err)
{
	uint32_t item;

	if (mheap_context_of(h, a->stack, &item, err) != PROF_OK)
		return PROF_FAIL;
	ask_for_blocks(h);
	return mheap_add_info(h, &h->contexts.items[item].allocation, &a->info,
	    w, err);
}
