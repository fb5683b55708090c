/*
 * Stacks and allocations become contexts of the sum.
 *
 * Looking up the range of each address of each stack would take most of the
 * time of a merge, so that it is avoided where possible: a stack mostly has as
 * many addresses in the same ranges as the stack before
 * (mheap_place_as_before), and neighbouring addresses mostly are in one of two
 * ranges (mheap_place_absolute).
 *
 * The contexts of a large sum do not fit in the CPU's caches, so that each
 * look-up would wait for memory three times: for the slot of the hash index,
 * for the context, and for its stack.  So up to MHEAP_LOOKUPS_MAX stacks are
 * queued and looked up together, with prefetches in stages:
 *
 * - when stack n is queued, the slot of its hash is prefetched;
 * - the slot of stack n - NEAR has arrived by then, and the context that it
 *   names is prefetched;
 * - the context of stack n - FAR has arrived, and its stack and statistics are
 *   prefetched.
 *
 * Profiles of one program often have their stacks in one order.  While they do,
 * the next context is compared with the stack directly, without a hash.
 */
#include "merge/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "merge/state.h"
#include "model/heap.h"
#include "model/mib.h"

uint32_t
mheap_text(struct merge_heap *h, struct prof_span text)
{
	uint32_t n;

	if (text.data == NULL)
		return 0;
	n = intern_add(&h->frames.texts, text.data, text.size);
	return n == INDEX_NONE ? MHEAP_NONE : n + 1;
}

/*
 * Sets the members that follow from others (the guid of a name, the offset of a
 * line), so that frames are equal whether a profile stores these or not.
 */
static uint32_t
mheap_frame(struct merge_heap *h, const struct prof_frame *from)
{
	const unsigned lines = PROF_FRAME_LINE | PROF_FRAME_START_LINE;
	struct prof_frame f = *from;

	if (f.function.guid == 0 && f.function.name.size != 0)
		f.function.guid = memprof_guid(f.function.name);
	if ((f.flags & lines) == lines &&
	    (f.flags & PROF_FRAME_LINE_OFFSET) == 0) {
		f.flags |= PROF_FRAME_LINE_OFFSET;
		f.line_offset = f.line - f.start_line;
	}
	return frame_pool_add(&h->frames, &f);
}

bool
mheap_mib_add(struct mib_sum *h, const struct prof_mib *m,
    const struct merge_factor *w, struct arena *a)
{
	struct prof_mib weighed = *m;
	uint64_t size = m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE], *counts;
	uint32_t saturated = 0;

	if (merge_is_unscaled(w))
		return mib_sum_add(h, m, a);
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if ((MIB_SUMMED >> f & 1) != 0 && (!merge_weigh_fits(w,
		    m->value[f], &weighed.value[f]) ||
		    weighed.value[f] > mib_max(f))) {
			weighed.value[f] = mib_max(f);
			saturated |= UINT32_C(1) << f;
		}
	}
	if (m->histogram != NULL) {
		if (size > SIZE_MAX / sizeof(*counts))
			return false;
		counts = arena_array(a, (size_t)size, sizeof(*counts));
		if (counts == NULL)
			return false;
		for (size_t i = 0; i < size; i++) {
			if (!merge_weigh_fits(w, m->histogram[i], &counts[i]))
				saturated |= MIB_SATURATED_HISTOGRAM;
		}
		weighed.histogram = counts;
	}
	if (!mib_sum_add(h, &weighed, a))
		return false;
	h->saturated |= saturated;
	return true;
}

struct mheap_module_key {
	const struct merge_heap *heap;
	const struct prof_segment *segment;
};

static bool
mheap_same_module(const void *arg, uint32_t item)
{
	const struct mheap_module_key *k = arg;
	const struct prof_segment *s = &k->heap->modules.items[item].as;

	return s->build_id.size != 0 &&
	    s->file_addresses == k->segment->file_addresses &&
	    prof_span_equal(s->build_id, k->segment->build_id);
}

/* A segment without build id is a new module, even if it equals another. */
static uint32_t
mheap_module_of(struct merge_heap *h, const struct prof_segment *s)
{
	const struct mheap_module_key key = { h, s };
	uint64_t hash = hash_span(h->seed, s->build_id);
	struct mheap_module m = { .as = *s };
	uint32_t item = MHEAP_NONE;

	if (s->build_id.size != 0) {
		item = hash_index_find(&h->modules.index, hash,
		    mheap_same_module, &key);
		m.as = (struct prof_segment){ .build_id = arena_copy(&h->arena,
		    s->build_id),
		    .file_addresses = s->file_addresses };
		if (m.as.build_id.data == NULL)
			return MHEAP_NONE;
	} else
		/* Different hashes, since equal ones make long probe runs. */
		hash = hash_mix(h->seed, h->modules.index.size);
	if (item == MHEAP_NONE &&
	    (item = MHEAP_NEXT(h->modules, hash)) != MHEAP_NONE)
		h->modules.items[item] = m;
	return item;
}

enum prof_status
mheap_add_segment(struct merge_heap *h, const struct prof_segment *s,
    struct prof_error *err)
{
	struct mheap_local *l = &h->local;
	enum prof_status status = heap_refs_add_segment(&l->refs, s, err);
	size_t place = l->refs.segments.size - 1;
	uint32_t module;

	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	module = mheap_module_of(h, s);
	if (module == MHEAP_NONE ||
	    !ARRAY_ROOM(l->modules, place, l->modules_room) ||
	    !ARRAY_ROOM(l->ranges, l->ranges_size, l->ranges_room))
		return err_memory(err);
	l->modules[place] = module;
	/*
	 * Absolute addresses of a sum were in no segment of any input, and its
	 * segments that have a range are of different runs and may overlap: the
	 * ranges of a sum are not used.
	 */
	if (!s->has_range || l->refs.is_sum)
		return PROF_OK;
	if (l->ranges_size == UINT32_MAX || !intervals_add(&l->by_address,
	    s->start, s->end, UINT32_MAX - (uint32_t)l->ranges_size))
		return err_memory(err);
	l->ranges[l->ranges_size++] = (struct mheap_range){ s->start,
	    s->end - s->start, s->file_addresses ? s->offset - s->start :
	    -s->offset, module };
	return PROF_OK;
}

/*
 * Finds the range with the address: the part of it that is in no range before
 * it.  An address outside of all ranges gets a range of one byte without
 * module.  Sorts the ranges at the first call; false if out of memory.
 */
static bool
mheap_find_range(struct mheap_local *l, uint64_t pc, struct mheap_range *out)
{
	const struct interval *found;

	if (!l->refs.placed && !intervals_build(&l->by_address))
		return false;
	l->refs.placed = true;
	found = intervals_find(&l->by_address, pc);
	if (found == NULL) {
		*out = (struct mheap_range){ .start = pc, .size = 1,
		    .module = MHEAP_NONE };
		return true;
	}
	*out = l->ranges[UINT32_MAX - found->rank];
	out->start = found->start;
	out->size = found->end - found->start;
	return true;
}

/*
 * Places absolute addresses, of which several in a row are in one range.  False
 * if out of memory.
 */
static bool
mheap_place_absolute(struct mheap_local *l, const uint64_t *pcs, size_t size,
    uint64_t *addresses, uint32_t *modules)
{
	for (size_t i = 0; i < size;) {
		const struct mheap_range r = l->recent[l->last];
		const size_t begin = i;
		struct mheap_runs *runs = &l->runs;
		struct mheap_range *other;

		for (; i < size && pcs[i] - r.start < r.size; i++) {
			addresses[i] = pcs[i] + r.shift;
			modules[i] = r.module;
		}
		if (i != begin && runs->size < MHEAP_RUNS_MAX) {
			runs->ranges[runs->size] = r;
			runs->ends[runs->size] = i;
		}
		runs->size += i != begin;
		if (i == size)
			break;
		/*
		 * Calls often go back and forth between two modules, so that
		 * the other recent range is tried first.
		 */
		other = &l->recent[!l->last];
		l->last = !l->last;
		if (pcs[i] - other->start >= other->size &&
		    !mheap_find_range(l, pcs[i], other))
			return false;
	}
	return true;
}

/*
 * Places a stack as the one before, if its addresses are in the same ranges in
 * the same order; false if not.  The loop has no branches: the upper bit of
 * `outside` is set if a distance from the start or the end of a range is
 * negative.  In ranges larger than half of all addresses, some addresses are
 * taken for outside, too, which costs time only.
 */
static bool
mheap_place_as_before(const struct mheap_runs *runs, const struct prof_stack *s,
    uint64_t *addresses)
{
	size_t i = 0;

	if (s->segments != NULL || runs->size == 0 ||
	    runs->size > MHEAP_RUNS_MAX ||
	    runs->ends[runs->size - 1] != s->pcs_size)
		return false;
	for (size_t k = 0; k < runs->size; k++) {
		const struct mheap_range r = runs->ranges[k];
		const size_t end = runs->ends[k];
		uint64_t outside = 0;

		for (; i < end; i++) {
			uint64_t distance = s->pcs[i] - r.start;

			outside |= distance | (r.size - 1 - distance);
			addresses[i] = s->pcs[i] + r.shift;
		}
		if (outside >> 63 != 0)
			return false;
	}
	return true;
}

static enum prof_status
mheap_place_all(struct merge_heap *h, const struct prof_stack *s,
    struct mheap_stack *to, struct prof_error *err)
{
	uint64_t *addresses = mheap_addresses(to);
	struct mheap_local *l = &h->local;

	l->runs.size = 0;
	if (s->segments == NULL)
		return mheap_place_absolute(l, s->pcs, s->pcs_size, addresses,
		    h->list) ? PROF_OK : err_memory(err);
	for (size_t i = 0; i < s->pcs_size; i++) {
		uint32_t place;

		if (s->segments[i] == PROF_NO_SEGMENT) {
			if (!mheap_place_absolute(l, &s->pcs[i], 1,
			    &addresses[i], &h->list[i]))
				return err_memory(err);
			continue;
		}
		if (heap_refs_segment_of(&l->refs, s, i, &place, err) !=
		    PROF_OK)
			return PROF_FAIL;
		addresses[i] = s->pcs[i];
		h->list[i] = l->modules[place];
	}
	l->runs.size = 0;
	return PROF_OK;
}

static enum prof_status
mheap_place_pcs(struct merge_heap *h, const struct prof_stack *s,
    struct mheap_stack *to, struct prof_error *err)
{
	const struct list_pool_entry *last;

	if (mheap_place_as_before(&h->local.runs, s, mheap_addresses(to))) {
		to->modules = h->last_list;
		return PROF_OK;
	}
	if (!ARRAY_RESERVE(h->list, 0, s->pcs_size, h->list_room))
		return err_memory(err);
	if (mheap_place_all(h, s, to, err) != PROF_OK)
		return PROF_FAIL;
	/* The list mostly equals that of the last stack. */
	last = h->modules_of.size == 0 ? NULL :
	    &h->modules_of.items[h->last_list];
	if (last == NULL || last->size != s->pcs_size || (s->pcs_size != 0 &&
	    memcmp(last->numbers, h->list, s->pcs_size * sizeof(*h->list)) !=
	    0))
		h->last_list = list_pool_add(&h->modules_of, h->list,
		    (uint32_t)s->pcs_size);
	to->modules = h->last_list;
	if (to->modules != INDEX_NONE)
		return PROF_OK;
	h->last_list = 0;
	h->local.runs.size = 0;
	return err_memory(err);
}

/* Bytes of the longest stack that is prefetched; bytes of a cache line. */
enum { LONG = 512, LINE = 64 };

enum { LANES = 4 };			/* of mheap_hash_numbers */

static size_t
mheap_stack_size(const struct mheap_stack *s)
{
	return sizeof(*s) + sizeof(s->numbers[0]) * ((size_t)s->pcs_size +
	    s->frames_size / 2 + s->frames_size % 2);
}

/* The i-th frame of a stack; see mheap_pending_record. */
static const struct prof_frame *
mheap_frame_of(const struct merge_heap *h, const struct prof_stack *s, size_t i)
{
	return s->frames != NULL ? &s->frames[i] :
	    &h->pending.frames[s->frame_numbers[i]];
}

/* Its number in the sum, or MHEAP_NONE if out of memory. */
static uint32_t
mheap_number_of(struct merge_heap *h, const struct prof_stack *s, size_t i)
{
	uint32_t *known;

	if (s->frame_numbers == NULL)
		return mheap_frame(h, &s->frames[i]);
	known = frame_numbers_at(&h->local.frames, s->frame_numbers[i]);
	if (known != NULL && *known == MHEAP_NONE)
		*known = mheap_frame(h, mheap_frame_of(h, s, i));
	return known == NULL ? MHEAP_NONE : *known;
}

/* Whether no frame tells what one of the addresses is. */
static bool
mheap_has_unknown_address(const struct merge_heap *h,
    const struct prof_stack *s)
{
	bool unknown = s->frames_size == 0;

	if (s->pcs_size == 0)
		return false;
	for (size_t i = 0; i < s->frames_size && !unknown; i++)
		unknown = frame_is_empty(mheap_frame_of(h, s, i));
	return unknown;
}

/* *out is a queued stack, which is valid until the queue is looked up. */
static enum prof_status
mheap_convert_stack(struct merge_heap *h, const struct prof_stack *s,
    struct mheap_stack **out, struct prof_error *err)
{
	struct mheap_stack head = { .pcs_size = (uint32_t)s->pcs_size,
	    .frames_size = (uint32_t)s->frames_size };
	struct mheap_stack *to;

	if (s->pcs_size >= UINT32_MAX || s->frames_size >= UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "stack 0x%016llx has more "
		    "than 2^32 entries", (unsigned long long)s->id);
	*out = to = arena_alloc(&h->lookup_arena, mheap_stack_size(&head));
	if (to == NULL)
		return err_memory(err);
	to->pcs_size = head.pcs_size;
	to->frames_size = head.frames_size;
	/* Words are compared: the half without a frame must be defined. */
	if (to->frames_size % 2 != 0)
		mheap_frames(to)[to->frames_size] = 0;
	for (size_t i = 0; i < s->frames_size; i++) {
		uint32_t frame = mheap_number_of(h, s, i);

		if (frame == MHEAP_NONE)
			return err_memory(err);
		mheap_frames(to)[i] = frame;
	}
	to->by_address = mheap_has_unknown_address(h, s);
	return mheap_place_pcs(h, s, to, err);
}

static bool
mheap_same_numbers(const uint64_t *a, const uint64_t *b, size_t size)
{
	return size == 0 || memcmp(a, b, size * sizeof(*a)) == 0;
}

static bool
mheap_same_pcs(const struct mheap_stack *a, const struct mheap_stack *b)
{
	return a->pcs_size == b->pcs_size && (a->pcs_size == 0 ||
	    a->modules == b->modules) && mheap_same_numbers(mheap_addresses(a),
	    mheap_addresses(b), a->pcs_size);
}

struct mheap_stack_key {
	const struct mheap_context *contexts;
	const struct mheap_stack *stack;
};

static bool
mheap_same_stack(const void *arg, uint32_t item)
{
	const struct mheap_stack_key *k = arg;
	const struct mheap_stack *a = k->contexts[item].stack;
	const struct mheap_stack *b = k->stack;

	return a->frames_size == b->frames_size &&
	    a->by_address == b->by_address &&
	    (!a->by_address || mheap_same_pcs(a, b)) &&
	    mheap_same_numbers(a->numbers, b->numbers,
	    (a->frames_size + (size_t)1) / 2);
}

/*
 * Four words at a time, so that the processor need not wait for each product.
 * The lanes start from different secret values: whoever writes a profile cannot
 * choose words that cancel each other out in two lanes.
 */
static uint64_t
mheap_hash_numbers(uint64_t hash, const uint64_t *numbers, size_t size)
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
mheap_hash_stack(uint64_t seed, const struct mheap_stack *s)
{
	size_t frames = (s->frames_size + (size_t)1) / 2;
	uint64_t hash = hash_mix(seed, s->frames_size);

	if (!s->by_address)
		return mheap_hash_numbers(hash, s->numbers, frames);
	return mheap_hash_numbers(hash_mix(hash, (uint64_t)s->modules << 32),
	    s->numbers, frames + s->pcs_size);
}

static uint32_t
mheap_new_context(struct merge_heap *h, const struct mheap_lookup *w)
{
	struct prof_span copy = arena_copy(&h->stacks, (struct prof_span){
	    (const uint8_t *)w->stack, mheap_stack_size(w->stack) });
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
mheap_find_context(struct merge_heap *h, const struct mheap_lookup *w)
{
	const struct mheap_stack_key key = { h->contexts.items, w->stack };
	uint32_t item = w->item;
	struct mheap_stack *s;

	if (item == MHEAP_NONE)
		item = hash_index_find(&h->contexts.index, w->hash,
		    mheap_same_stack, &key);
	if (item == MHEAP_NONE)
		item = mheap_new_context(h, w);
	if (item == MHEAP_NONE)
		return item;
	s = h->contexts.items[item].stack;
	/* Addresses beside frames are dropped if they are not the same. */
	if (!s->by_address && !mheap_same_pcs(s, w->stack))
		s->pcs_size = 0;
	return item;
}

static enum prof_status
mheap_look_up(struct merge_heap *h, const struct mheap_lookup *w,
    const struct merge_factor *factor, struct prof_error *err)
{
	uint32_t item = mheap_find_context(h, w);

	if (item == MHEAP_NONE)
		return err_memory(err);
	h->guess = item == h->next;
	h->next = item + 1;
	if (w->info != NULL)
		return mheap_add_mib(h, &h->contexts.items[item].allocation,
		    w->info, factor, err);
	return heap_refs_add_stack(&h->local.refs, w->id, item, err);
}

PREFETCH_INLINE void
mheap_prefetch_bytes(const void *p, size_t size)
{
	for (size_t i = 0; i < size && i < LONG; i += LINE)
		__builtin_prefetch((const char *)p + i);
}

/* How many stacks later a context, and its stack, are prefetched: see above. */
enum { NEAR = 4, FAR = 8 };

PREFETCH_INLINE void
mheap_prefetch_context(struct merge_heap *h, struct mheap_lookup *w)
{
	if (w->item != MHEAP_NONE)
		return;
	w->likely = hash_index_guess(&h->contexts.index, w->hash);
	if (w->likely != MHEAP_NONE)
		mheap_prefetch_bytes(&h->contexts.items[w->likely], 1);
}

PREFETCH_INLINE void
mheap_prefetch_found(const struct merge_heap *h, const struct mheap_lookup *w)
{
	const struct mheap_context *c;

	if (w->likely == MHEAP_NONE)
		return;
	c = &h->contexts.items[w->likely];
	mheap_prefetch_bytes(c->stack, mheap_stack_size(w->stack));
	if (w->info != NULL && c->allocation != NULL)
		mheap_prefetch_bytes(c->allocation, sizeof(struct mib_sum));
}

/* Prefetches for the queue once n stacks were queued, see above. */
static void
mheap_prefetch_lookups(struct merge_heap *h, size_t n)
{
	if (n >= NEAR && n - NEAR < h->lookups_size)
		mheap_prefetch_context(h, &h->lookups[n - NEAR]);
	if (n >= FAR)
		mheap_prefetch_found(h, &h->lookups[n - FAR]);
}

static enum prof_status
mheap_look_up_all(struct merge_heap *h, const struct merge_factor *factor,
    struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	if (h->lookups_size == 0)
		return PROF_OK;
	for (size_t i = 0; i < FAR; i++)
		mheap_prefetch_lookups(h, h->lookups_size + i);
	for (size_t i = 0; i < h->lookups_size && status == PROF_OK; i++)
		status = mheap_look_up(h, &h->lookups[i], factor, err);
	h->lookups_size = 0;
	h->ahead = h->next;
	arena_reset(&h->lookup_arena);
	return status;
}

enum prof_status
mheap_flush_lookups(struct merge_heap *h, struct prof_error *err)
{
	return mheap_look_up_all(h, NULL, err);
}

static enum prof_status
mheap_queue_lookup(struct merge_heap *h, const struct prof_stack *s,
    const struct prof_mib *info, struct prof_error *err)
{
	struct mheap_lookup *w = &h->lookups[h->lookups_size];
	struct mheap_stack_key key;

	*w = (struct mheap_lookup){ .id = s->id, .info = info,
	    .likely = MHEAP_NONE };
	if (mheap_convert_stack(h, s, &w->stack, err) != PROF_OK)
		return PROF_FAIL;
	key = (struct mheap_stack_key){ h->contexts.items, w->stack };
	/* The next context is tried as long as it was right before. */
	if (h->guess && h->ahead < h->contexts.index.size &&
	    mheap_same_stack(&key, h->ahead))
		w->item = h->ahead++;
	else {
		h->guess = false;
		w->item = MHEAP_NONE;
		w->hash = mheap_hash_stack(h->seed, w->stack);
		hash_index_prefetch(&h->contexts.index, w->hash);
	}
	mheap_prefetch_lookups(h, h->lookups_size++);
	return PROF_OK;
}

enum prof_status
mheap_add_stack(struct merge_heap *h, const struct prof_stack *s,
    struct prof_error *err)
{
	if (mheap_queue_lookup(h, s, NULL, err) != PROF_OK)
		return PROF_FAIL;
	return h->lookups_size < MHEAP_LOOKUPS_MAX ? PROF_OK :
	    mheap_flush_lookups(h, err);
}

enum prof_status
mheap_add_pairs(struct merge_heap *h, const struct prof_pairs *p,
    const struct merge_factor *w, struct prof_error *err)
{
	if (mheap_flush_lookups(h, err) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < p->size; i++) {
		if (mheap_queue_lookup(h, &p->stacks[i],
		    &p->allocations[i].info, err) != PROF_OK)
			return PROF_FAIL;
		if (h->lookups_size == MHEAP_LOOKUPS_MAX &&
		    mheap_look_up_all(h, w, err) != PROF_OK)
			return PROF_FAIL;
	}
	return mheap_look_up_all(h, w, err);
}

enum prof_status
mheap_context_of_id(struct merge_heap *h, uint64_t stack, uint32_t *out,
    struct prof_error *err)
{
	uint64_t context = 0;

	if (mheap_flush_lookups(h, err) != PROF_OK ||
	    heap_refs_find_stack(&h->local.refs, stack, &context, err) !=
	    PROF_OK)
		return PROF_FAIL;
	*out = (uint32_t)context;
	return PROF_OK;
}

enum prof_status
mheap_add_mib(struct merge_heap *h, struct mib_sum **sum,
    const struct prof_mib *info, const struct merge_factor *w,
    struct prof_error *err)
{
	if (*sum == NULL) {
		*sum = arena_alloc(&h->arena, sizeof(**sum));
		if (*sum == NULL)
			return err_memory(err);
		**sum = (struct mib_sum){ .any = false };
	}
	return mheap_mib_add(*sum, info, w, &h->arena) ? PROF_OK :
	    err_memory(err);
}

/* Statistics of the allocations to come are scattered over the memory, too. */
PREFETCH_INLINE void
mheap_prefetch_mibs(const struct merge_heap *h)
{
	const struct heap_refs *r = &h->local.refs;
	const struct mheap_context *c = h->contexts.items;
	const struct id_map_entry *e = r->stacks.entries + r->next;

	if (r->stacks.size - r->next <= FAR)
		return;
	mheap_prefetch_bytes(&c[e[FAR].value].allocation, 1);
	if (c[e[NEAR].value].allocation != NULL)
		mheap_prefetch_bytes(c[e[NEAR].value].allocation,
		    sizeof(struct mib_sum));
}

enum prof_status
mheap_add_allocation(struct merge_heap *h, const struct prof_allocation *a,
    const struct merge_factor *w, struct prof_error *err)
{
	uint32_t item;

	if (mheap_context_of_id(h, a->stack, &item, err) != PROF_OK)
		return PROF_FAIL;
	mheap_prefetch_mibs(h);
	return mheap_add_mib(h, &h->contexts.items[item].allocation, &a->info,
	    w, err);
}
