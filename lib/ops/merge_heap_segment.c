/* Segments, and where in them the addresses of stacks are. */
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "ops/merge_heap_engine.h"

struct module_key {
	const struct merge_heap *heap;
	const struct prof_segment *segment;
};

static bool
same_module(const void *arg, uint32_t item)
{
	const struct module_key *k = arg;
	const struct prof_segment *s = &k->heap->modules.items[item].as;

	return s->build_id.size != 0 &&
	    s->file_addresses == k->segment->file_addresses &&
	    prof_span_equal(s->build_id, k->segment->build_id);
}

/* A segment without build id is like no other. */
static uint32_t
module_of(struct merge_heap *h, const struct prof_segment *s)
{
	const struct module_key key = { h, s };
	uint64_t hash = mheap_hash_bytes(h->seed, s->build_id);
	struct mheap_module m = { .as = *s };
	uint32_t item = MHEAP_NONE;

	if (s->build_id.size != 0) {
		item = mheap_index_find(&h->modules.index, hash, same_module,
		    &key);
		m.as = (struct prof_segment){ .build_id = arena_copy(
		    &h->arena, s->build_id),
		    .file_addresses = s->file_addresses };
		if (m.as.build_id.data == NULL)
			return MHEAP_NONE;
	} else
		/* All of one hash would be found one behind the other. */
		hash = mheap_mix(h->seed, h->modules.index.size);
	if (item == MHEAP_NONE &&
	    (item = MHEAP_NEXT(h->modules, hash)) != MHEAP_NONE)
		h->modules.items[item] = m;
	return item;
}

static bool
same_segment(const struct prof_segment *a, const struct prof_segment *b)
{
	return a->has_range == b->has_range &&
	    a->file_addresses == b->file_addresses && a->start == b->start &&
	    a->end == b->end && a->offset == b->offset &&
	    prof_span_equal(a->build_id, b->build_id);
}

static bool
grow_segments(struct mheap_local *l)
{
	struct prof_segment *segments = array_room(l->segments,
	    l->segments_size, &l->segments_room, sizeof(*segments));
	uint32_t *modules;
	struct mheap_range *ranges;

	if (segments == NULL)
		return false;
	l->segments = segments;
	modules = array_room(l->modules, l->segments_size, &l->modules_room,
	    sizeof(*modules));
	if (modules == NULL)
		return false;
	l->modules = modules;
	ranges = array_room(l->ranges, l->ranges_size, &l->ranges_room,
	    sizeof(*ranges));
	if (ranges == NULL)
		return false;
	l->ranges = ranges;
	return true;
}

/*
 * The absolute addresses of a sum were in no segment, and those of its segments
 * that have a range are of several runs.
 */
static enum prof_status
add_range(struct mheap_local *l, const struct prof_segment *s, uint32_t module,
    struct prof_error *err)
{
	if (!s->has_range || l->is_sum)
		return PROF_OK;
	if (l->ranges_used)
		return err_set(err, PROF_E_CORRUPT, "segment %llu comes behind "
		    "a stack that may be in it", (unsigned long long)s->id);
	l->ranges[l->ranges_size++] = (struct mheap_range){ s->start,
	    s->end - s->start, s->file_addresses ? s->offset - s->start :
	    -s->offset, s->id, module };
	return PROF_OK;
}

enum prof_status
mheap_add_segment(struct merge_heap *h, const struct prof_segment *s,
    struct prof_error *err)
{
	struct mheap_local *l = &h->local;
	uint32_t i = mheap_map_get(&l->segment_ids, s->id), module;

	if (i != MHEAP_NONE && same_segment(&l->segments[i], s))
		return PROF_OK;
	if (i != MHEAP_NONE)
		return err_set(err, PROF_E_CORRUPT, "two segments have the id "
		    "%llu", (unsigned long long)s->id);
	module = module_of(h, s);
	if (module == MHEAP_NONE || !grow_segments(l) ||
	    mheap_map_add(&l->segment_ids, s->id,
	    (uint32_t)l->segments_size) == MHEAP_NONE)
		return err_memory(err);
	l->segments[l->segments_size] = *s;
	l->segments[l->segments_size].build_id = arena_copy(&l->arena,
	    s->build_id);
	if (l->segments[l->segments_size].build_id.data == NULL)
		return err_memory(err);
	l->modules[l->segments_size++] = module;
	return add_range(l, s, module, err);
}

static int
compare_ranges(const void *a, const void *b)
{
	const struct mheap_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return (x->id > y->id) - (x->id < y->id);
}

/* The last range that begins at the address or below, if it has it. */
static bool
find_range(struct mheap_local *l, uint64_t pc)
{
	size_t low = 0, high = l->ranges_size;

	if (!l->ranges_used && l->ranges_size > 1)
		qsort(l->ranges, l->ranges_size, sizeof(*l->ranges),
		    compare_ranges);
	l->ranges_used = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->ranges[middle].start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || pc - l->ranges[low - 1].start >=
	    l->ranges[low - 1].size)
		return false;
	l->before_last = l->last;
	l->last = l->ranges[low - 1];
	return true;
}

/* Calls go to and fro between two modules. */
static inline bool
is_in_range(struct mheap_local *l, uint64_t pc)
{
	struct mheap_range r = l->before_last;

	if (pc - l->last.start < l->last.size)
		return true;
	if (pc - r.start >= r.size)
		return find_range(l, pc);
	l->before_last = l->last;
	l->last = r;
	return true;
}

enum prof_status
mheap_place_pcs(struct merge_heap *h, const struct prof_stack *s,
    struct prof_error *err)
{
	struct mheap_local *l = &h->local;
	struct mheap_context *k = &h->key;

	for (size_t i = 0; i < s->pcs_size; i++) {
		uint64_t pc = s->pcs[i], segment = s->segments == NULL ?
		    PROF_NO_SEGMENT : s->segments[i];
		uint32_t place;

		k->addresses[i] = pc;
		k->modules[i] = MHEAP_NONE;
		if (segment != PROF_NO_SEGMENT) {
			place = mheap_map_get(&l->segment_ids, segment);
			if (place == MHEAP_NONE)
				return err_set(err, PROF_E_CORRUPT, "stack "
				    "0x%016llx is in segment %llu, which is "
				    "not there", (unsigned long long)s->id,
				    (unsigned long long)segment);
			k->modules[i] = l->modules[place];
		} else if (is_in_range(l, pc)) {
			k->addresses[i] = pc + l->last.shift;
			k->modules[i] = l->last.module;
		}
	}
	return PROF_OK;
}
