#include "merge/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "merge/state.h"
#include "model/record.h"

/* Records whose memory is freed together. */
enum { DROPPED = 4096 };

/*
 * Replaces the frames of a stack by their numbers among those of the sum, which
 * are numbered as they come.
 */
static bool
mheap_copy_stack(struct merge_heap *h, struct prof_stack *s)
{
	struct mheap_pending *p = &h->pending;
	const struct prof_frame *frames = s->frames;
	const uint32_t *from = s->frame_numbers;
	uint32_t *numbers = arena_array(&p->arena, s->frames_size,
	    sizeof(*numbers));

	if (numbers == NULL ||
	    !ARRAY_RESERVE(p->lent, 0, s->frames_size, p->lent_room))
		return false;
	for (size_t i = 0; i < s->frames_size; i++) {
		uint32_t unknown = MHEAP_NONE, *known = from == NULL ?
		    &unknown : frame_numbers_at(&h->local.frames, from[i]);

		if (known != NULL && *known == MHEAP_NONE)
			*known = frame_pool_add(&h->frames, &frames[i]);
		if (known == NULL || *known == MHEAP_NONE)
			return false;
		numbers[i] = *known;
	}
	s->frames = NULL;
	if (!record_copy(&p->arena, PROF_REC_STACK, s))
		return false;
	s->frame_numbers = numbers;
	return true;
}

/* Appends a copy of a record, with all that it points to. */
static bool
mheap_pending_add(struct merge_heap *h, struct prof_record r)
{
	struct mheap_pending *p = &h->pending;
	struct arena *a = &p->arena;
	struct prof_span structure;

	if (r.kind == PROF_REC_STACK ? !mheap_copy_stack(h, &r.u.stack) :
	    !record_copy(a, r.kind, &r.u))
		return false;
	structure = arena_copy(a, (struct prof_span){
	    (const uint8_t *)&r.u, record_object_of(r.kind)->size });
	return structure.data != NULL && ARRAY_ADD(p->items, p->size, p->room,
	    (struct mheap_pending_item){ r.kind, structure.data });
}

/*
 * The i-th record; what it points to is borrowed.  A stack has frame_numbers,
 * of merge_heap.frames, and no frames.
 */
static struct prof_record
mheap_pending_record(const struct mheap_pending *h, size_t i)
{
	const struct mheap_pending_item *item = &h->items[i];
	struct prof_record r;

	r.kind = item->kind;
	memcpy(&r.u, item->structure, record_object_of(item->kind)->size);
	return r;
}

/* Weighted statistics: the sum of one. */
static bool
mheap_weigh_mib(struct prof_mib *m, const struct merge_factor *w,
    struct arena *a, uint64_t *saturated)
{
	struct mib_sum sum = { .any = false };

	if (!mheap_mib_add(&sum, m, w, a))
		return false;
	*m = mib_sum_result(&sum);
	*saturated += mib_sum_is_saturated(&sum);
	return true;
}

/* Multiplies the counts of a record.  False if out of memory. */
static bool
mheap_weigh_record(struct prof_record *r, const struct merge_factor *w,
    struct arena *a, uint64_t *saturated)
{
	struct prof_memprof_function *f = &r->u.memprof_function;
	uint64_t *count = &r->u.data_access.count;
	struct prof_allocation *sites;

	if (r->kind == PROF_REC_ALLOCATION)
		return mheap_weigh_mib(&r->u.allocation.info, w, a, saturated);
	if (r->kind == PROF_REC_DATA_ACCESS)
		*saturated += !merge_weigh_fits(w, *count, count);
	if (r->kind != PROF_REC_MEMPROF_FUNCTION)
		return true;
	sites = arena_array(a, f->allocs_size, sizeof(*sites));
	if (sites == NULL)
		return false;
	for (size_t i = 0; i < f->allocs_size; i++) {
		sites[i] = f->alloc_sites[i];
		if (!mheap_weigh_mib(&sites[i].info, w, a, saturated))
			return false;
	}
	f->alloc_sites = sites;
	return true;
}

/*
 * Puts all records in the order they came, multiplied by the weight; adds to
 * *saturated those whose counts become too large.
 */
static enum prof_status
mheap_pending_put(struct merge_heap *h, struct prof_writer *w,
    uint64_t *saturated, struct prof_error *err)
{
	struct mheap_pending *p = &h->pending;
	enum prof_status status = PROF_OK;
	struct arena a = { 0 };

	for (size_t i = 0; i < p->size && status == PROF_OK;
	    i++) {
		struct prof_record r = mheap_pending_record(p, i);
		struct prof_stack *s = &r.u.stack;

		for (size_t k = 0; r.kind == PROF_REC_STACK &&
		    k < s->frames_size; k++)
			p->lent[k] = h->frames.frames[s->frame_numbers[k]];
		if (r.kind == PROF_REC_STACK)
			s->frames = p->lent;
		arena_reset(&a);
		status = mheap_weigh_record(&r, &h->pending_weight, &a,
		    saturated) ? prof_put(w, &r, err) : err_memory(err);
	}
	arena_free(&a);
	return status;
}

static void
mheap_pending_free(struct mheap_pending *h)
{
	free(h->items);
	free(h->lent);
	arena_free(&h->arena);
	*h = (struct mheap_pending){ .arena = { 0 } };
}

struct merge_heap *
merge_heap_new(void)
{
	struct merge_heap *h = calloc(1, sizeof(*h));

	if (h != NULL)
		h->seed = hash_mix(0, (uintptr_t)h);
	return h;
}

void
merge_heap_free(struct merge_heap *h)
{
	mheap_free_lookups(h);
	mheap_free_things(h);
	mheap_pending_free(&h->pending);
	free(h->list);
	free(h->key);
	free(h);
}

void
merge_heap_begin(struct merge_heap *h, const struct prof_header *head)
{
	h->own = false;
	h->own_inputs = head->inputs;
	h->own_folded = head->folded;
}

static enum prof_status
mheap_add_record(struct merge_heap *h, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	switch (r->kind) {
	case PROF_REC_SEGMENT:
		return mheap_add_segment(h, &r->u.segment, err);
	case PROF_REC_STACK:
		return mheap_add_stack(h, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		return mheap_add_allocation(h, &r->u.allocation, w, err);
	case PROF_REC_MEMPROF_FUNCTION:
		if (heap_check_symbol(&r->u.memprof_function.symbol, err) !=
		    PROF_OK)
			return PROF_FAIL;
		return mheap_add_function(h, &r->u.memprof_function, w, err);
	default:
		return mheap_add_data(h, r, w, err);
	}
}

/* Folds the pending records.  Their profile is the one that was begun last. */
static enum prof_status
mheap_add_pending(struct merge_heap *h, struct prof_error *err)
{
	enum prof_status status = PROF_OK;

	heap_refs_begin(&h->local.refs, h->pending_inputs);
	frame_numbers_clear(&h->local.frames);
	for (size_t i = 0; i < h->pending.size && status == PROF_OK; i++) {
		struct prof_record r = mheap_pending_record(&h->pending, i);

		status = mheap_add_record(h, &r, &h->pending_weight, err);
		/* The sum grows as the pending records shrink. */
		if (i % DROPPED == 0)
			arena_free_before(&h->pending.arena,
			    h->pending.items[i].structure);
	}
	mheap_pending_free(&h->pending);
	return status;
}

enum prof_status
merge_heap_add(struct merge_heap *h, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	struct mheap_local *l = &h->local;

	if (!h->own) {
		h->own = true;
		if (++h->profiles == 2 && mheap_add_pending(h, err) != PROF_OK)
			return PROF_FAIL;
		heap_refs_begin(&l->refs, h->own_inputs);
		l->ranges_size = 0;
		intervals_clear(&l->by_address);
		l->recent[0] = l->recent[1] = (struct mheap_range){ 0 };
		frame_numbers_clear(&l->frames);
		h->pending_inputs = h->own_inputs;
		h->pending_folded = h->own_folded;
		h->pending_weight = *w;
	}
	if (h->profiles != 1)
		return mheap_add_record(h, r, w, err);
	/* Ids are checked at once: later, another input would be blamed. */
	if (heap_refs_check(&l->refs, r, err) != PROF_OK)
		return PROF_FAIL;
	return mheap_pending_add(h, *r) ? PROF_OK : err_memory(err);
}

void
merge_heap_end(struct merge_heap *h)
{
	/* The ids of pending records were checked. */
	if (h->profiles == 1)
		heap_refs_free(&h->local.refs);
}

uint64_t
merge_heap_profiles(const struct merge_heap *h)
{
	return h == NULL ? 0 : h->profiles;
}

bool
merge_heap_is_folded(const struct merge_heap *h, bool as_read)
{
	return h != NULL && (h->profiles > 1 || !as_read ||
	    h->pending_folded);
}

enum prof_status
merge_heap_write(struct merge_heap *h, bool as_read, struct prof_writer *w,
    uint64_t *saturated, struct prof_error *err)
{
	*saturated = 0;
	if (h->profiles == 1 && as_read)
		return mheap_pending_put(h, w, saturated, err);
	if (h->profiles == 1 && mheap_add_pending(h, err) != PROF_OK)
		return PROF_FAIL;
	return mheap_put(h, w, saturated, err);
}
