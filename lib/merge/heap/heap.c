#include "merge/heap/heap.h"

#include <stdlib.h>

#include "base/error.h"
#include "merge/heap/state.h"

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
	if (h == NULL)
		return;
	mheap_free_lookups(h);
	mheap_free_things(h);
	mheap_pending_free(&h->pending);
	free(h->list);
	free(h);
}

static void
mheap_begin_profile(struct merge_heap *h, uint64_t inputs)
{
	struct mheap_local *l = &h->local;

	heap_refs_begin(&l->refs, inputs);
	l->ranges_size = 0;
	intervals_clear(&l->by_address);
	l->recent[0] = l->recent[1] = (struct mheap_range){ 0 };
	l->runs.size = 0;
	frame_numbers_clear(&l->frames);
	h->next = h->ahead = 0;
	h->guess = true;
}

void
merge_heap_begin(struct merge_heap *h, const struct prof_header *head)
{
	h->own = false;
	h->own_inputs = head->inputs;
	h->own_folded = head->folded;
}

bool
merge_heap_takes(enum prof_record_kind kind)
{
	return kind >= PROF_REC_SEGMENT && kind <= PROF_REC_COLD_SYMBOL;
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
	case PROF_REC_PAIRS:
		return mheap_add_pairs(h, &r->u.pairs, w, err);
	case PROF_REC_MEMPROF_FUNCTION:
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
	for (size_t i = 0; i < mheap_pending_size(&h->pending) &&
	    status == PROF_OK; i++) {
		struct prof_record r = mheap_pending_record(&h->pending, i);

		status = mheap_add_record(h, &r, &h->pending_weight, err);
		/* The sum grows as the pending records shrink. */
		mheap_pending_drop(&h->pending, i);
	}
	mheap_pending_free(&h->pending);
	return status == PROF_OK ? mheap_flush_lookups(h, err) : status;
}

/* Its ids are checked at once: later, another input would be blamed. */
static enum prof_status
mheap_add_to_pending(struct merge_heap *h, const struct prof_record *r,
    struct prof_error *err)
{
	if (heap_refs_check(&h->local.refs, r, err) != PROF_OK)
		return PROF_FAIL;
	return mheap_pending_add(&h->pending, r) ? PROF_OK : err_memory(err);
}

enum prof_status
merge_heap_add(struct merge_heap *h, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	if (!h->own) {
		h->own = true;
		if (++h->profiles == 2 && mheap_add_pending(h, err) != PROF_OK)
			return PROF_FAIL;
		mheap_begin_profile(h, h->own_inputs);
		h->pending_inputs = h->own_inputs;
		h->pending_folded = h->own_folded;
		h->pending_weight = *w;
	}
	if (h->profiles == 1)
		return mheap_add_to_pending(h, r, err);
	return mheap_add_record(h, r, w, err);
}

enum prof_status
merge_heap_end(struct merge_heap *h, struct prof_error *err)
{
	/* The ids of pending records were checked. */
	if (h->profiles == 1)
		heap_refs_free(&h->local.refs);
	return mheap_flush_lookups(h, err);
}

uint64_t
merge_heap_profiles(const struct merge_heap *h)
{
	return h->profiles;
}

bool
merge_heap_is_folded(const struct merge_heap *h, bool as_read)
{
	return h->profiles > 1 || (h->profiles == 1 &&
	    (!as_read || h->pending_folded));
}

enum prof_status
merge_heap_write(struct merge_heap *h, bool as_read, struct prof_writer *w,
    uint64_t *saturated, struct prof_error *err)
{
	*saturated = 0;
	if (h->profiles == 1 && as_read)
		return mheap_pending_put(&h->pending, &h->pending_weight, w,
		    saturated, err);
	if (h->profiles == 1 && mheap_add_pending(h, err) != PROF_OK)
		return PROF_FAIL;
	return mheap_put(h, w, saturated, err);
}
