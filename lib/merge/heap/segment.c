/*
 * Segments, and the modules of the addresses of stacks.
 *
 * Looking up the range of each address of each stack would take most of the
 * time of a merge, so that it is avoided where possible: a stack mostly has as
 * many addresses in the same ranges as the stack before
 * (mheap_place_as_before), and neighbouring addresses mostly are in one of two
 * ranges (mheap_place_absolute).
 */
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "merge/heap/state.h"

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

/*
 * Absolute addresses of a sum were in no segment of any input, and its segments
 * that have a range are of different runs and may overlap: the ranges of a sum
 * are not used.  False if out of memory.
 */
static bool
mheap_add_range(struct mheap_local *l, const struct prof_segment *s,
    uint32_t module)
{
	if (!s->has_range || l->refs.is_sum)
		return true;
	if (l->ranges_size == UINT32_MAX || !intervals_add(&l->by_address,
	    s->start, s->end, UINT32_MAX - (uint32_t)l->ranges_size))
		return false;
	l->ranges[l->ranges_size++] = (struct mheap_range){ s->start,
	    s->end - s->start, s->file_addresses ? s->offset - s->start :
	    -s->offset, module };
	return true;
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
	return mheap_add_range(l, s, module) ? PROF_OK : err_memory(err);
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
 * Makes the range of an address the last one.  Calls often go back and forth
 * between two modules, so that the other recent range is tried first.
 */
static bool
mheap_switch_range(struct mheap_local *l, uint64_t pc)
{
	struct mheap_range *other = &l->recent[!l->last];

	l->last = !l->last;
	return pc - other->start < other->size ||
	    mheap_find_range(l, pc, other);
}

static void
mheap_add_run(struct mheap_runs *runs, const struct mheap_range *r, size_t end)
{
	if (runs->size < MHEAP_RUNS_MAX)
		runs->ranges[runs->size] = *r;
	if (runs->size < MHEAP_RUNS_MAX)
		runs->ends[runs->size] = end;
	runs->size++;
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

		for (; i < size && pcs[i] - r.start < r.size; i++) {
			addresses[i] = pcs[i] + r.shift;
			modules[i] = r.module;
		}
		if (i != begin)
			mheap_add_run(&l->runs, &r, i);
		if (i < size && !mheap_switch_range(l, pcs[i]))
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

/* Whether h->list equals the list of the last stack, as it mostly does. */
static bool
mheap_is_last_list(const struct merge_heap *h, size_t size)
{
	const struct list_pool_entry *t;

	if (h->modules_of.size == 0)
		return false;
	t = &h->modules_of.items[h->last_list];
	return t->size == size && (size == 0 || memcmp(t->numbers, h->list,
	    size * sizeof(*h->list)) == 0);
}

enum prof_status
mheap_place_pcs(struct merge_heap *h, const struct prof_stack *s,
    struct mheap_stack *to, struct prof_error *err)
{
	if (mheap_place_as_before(&h->local.runs, s, mheap_addresses(to))) {
		to->modules = h->last_list;
		return PROF_OK;
	}
	if (!ARRAY_RESERVE(h->list, 0, s->pcs_size, h->list_room))
		return err_memory(err);
	if (mheap_place_all(h, s, to, err) != PROF_OK)
		return PROF_FAIL;
	if (!mheap_is_last_list(h, s->pcs_size))
		h->last_list = list_pool_add(&h->modules_of, h->list,
		    (uint32_t)s->pcs_size);
	to->modules = h->last_list;
	if (to->modules != INDEX_NONE)
		return PROF_OK;
	h->last_list = 0;
	h->local.runs.size = 0;
	return err_memory(err);
}
