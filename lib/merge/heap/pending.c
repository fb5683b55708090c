/* Copies of records of the first profile with heap data. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "merge/core/weight.h"
#include "merge/heap/state.h"
#include "model/record_copy.h"
#include "model/record_members.h"

/* Records whose memory is freed together. */
enum { DROPPED = 4096 };

/* The index of the copy of a frame, by the number that the reader gave it. */
static uint32_t
mheap_pending_frame(struct mheap_pending *h, uint32_t number,
    const struct prof_frame *from)
{
	uint32_t *known = frame_numbers_at(&h->numbers, number);
	struct prof_frame f = *from;

	if (known == NULL || *known != MHEAP_NONE)
		return known == NULL ? MHEAP_NONE : *known;
	if (h->frames_size < MHEAP_NONE &&
	    arena_keep(&h->texts, &f.function.name) &&
	    arena_keep(&h->texts, &f.file) &&
	    ARRAY_ADD(h->frames, h->frames_size, h->frames_room, f))
		*known = (uint32_t)h->frames_size - 1;
	return *known;
}

static bool
mheap_copy_stack(struct mheap_pending *h, struct prof_stack *s)
{
	const uint32_t *from = s->frame_numbers;
	uint32_t *numbers;

	if (from == NULL)
		return record_copy(&h->arena, PROF_REC_STACK, s);
	numbers = arena_array(&h->arena, s->frames_size, sizeof(*numbers));
	if (numbers == NULL ||
	    !ARRAY_RESERVE(h->lent, 0, s->frames_size, h->lent_room))
		return false;
	for (size_t i = 0; i < s->frames_size; i++) {
		numbers[i] = mheap_pending_frame(h, from[i], &s->frames[i]);
		if (numbers[i] == MHEAP_NONE)
			return false;
	}
	s->frames = NULL;
	if (!record_copy(&h->arena, PROF_REC_STACK, s))
		return false;
	s->frame_numbers = numbers;
	h->numbered++;
	return true;
}

static bool
mheap_copy_record(struct mheap_pending *h, struct prof_record *r)
{
	return r->kind == PROF_REC_STACK ? mheap_copy_stack(h, &r->u.stack) :
	    record_copy(&h->arena, r->kind, &r->u);
}

static bool
mheap_pending_append(struct mheap_pending *h, struct mheap_pending_list *l,
    const struct prof_record *r)
{
	struct prof_span structure = arena_copy(&h->arena, (struct prof_span){
	    (const uint8_t *)&r->u, record_object_of(r->kind)->size });

	return structure.data != NULL && ARRAY_ADD(l->items, l->size, l->room,
	    (struct mheap_pending_item){ r->kind, structure.data });
}

/* Stacks and allocations of pairs become records of their own. */
static bool
mheap_pending_add_pairs(struct mheap_pending *h, const struct prof_pairs *p)
{
	for (size_t i = 0; i < p->size; i++) {
		struct prof_record stack = { .kind = PROF_REC_STACK,
		    .u.stack = p->stacks[i] };
		struct prof_record a = { .kind = PROF_REC_ALLOCATION,
		    .u.allocation = p->allocations[i] };

		if (!mheap_copy_record(h, &stack) ||
		    !mheap_copy_record(h, &a) ||
		    !mheap_pending_append(h, &h->records, &stack) ||
		    !mheap_pending_append(h, &h->behind, &a))
			return false;
	}
	return true;
}

bool
mheap_pending_add(struct mheap_pending *h, const struct prof_record *r)
{
	struct prof_record copied = *r;

	if (r->kind == PROF_REC_PAIRS)
		return mheap_pending_add_pairs(h, &r->u.pairs);
	return mheap_copy_record(h, &copied) &&
	    mheap_pending_append(h, &h->records, &copied);
}

struct prof_record
mheap_pending_record(const struct mheap_pending *h, size_t i)
{
	const struct mheap_pending_item *item = i < h->records.size ?
	    &h->records.items[i] : &h->behind.items[i - h->records.size];
	struct prof_record r;

	r.kind = item->kind;
	memcpy(&r.u, item->structure, record_object_of(item->kind)->size);
	return r;
}

/* The stack gets its frames, which are valid until the next call. */
static void
mheap_pending_lend(struct mheap_pending *h, struct prof_record *r)
{
	struct prof_stack *s = &r->u.stack;

	if (r->kind != PROF_REC_STACK || s->frame_numbers == NULL)
		return;
	for (size_t i = 0; i < s->frames_size; i++)
		h->lent[i] = h->frames[s->frame_numbers[i]];
	s->frames = h->lent;
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

static bool
mheap_weigh_sites(struct prof_memprof_function *f, const struct merge_factor *w,
    struct arena *a, uint64_t *saturated)
{
	struct prof_allocation *sites = arena_array(a, f->allocs_size,
	    sizeof(*sites));

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

/* Multiplies the counts of a record.  False if out of memory. */
static bool
mheap_weigh_record(struct prof_record *r, const struct merge_factor *w,
    struct arena *a, uint64_t *saturated)
{
	uint64_t *count = &r->u.data_access.count;

	switch (r->kind) {
	case PROF_REC_ALLOCATION:
		return mheap_weigh_mib(&r->u.allocation.info, w, a, saturated);
	case PROF_REC_MEMPROF_FUNCTION:
		return mheap_weigh_sites(&r->u.memprof_function, w, a,
		    saturated);
	case PROF_REC_DATA_ACCESS:
		*saturated += !merge_weigh_fits(w, *count, count);
		return true;
	default:
		return true;
	}
}

enum prof_status
mheap_pending_put(struct mheap_pending *h, const struct merge_factor *weight,
    struct prof_writer *w, uint64_t *saturated, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct arena a = { 0 };

	for (size_t i = 0; i < mheap_pending_size(h) && status == PROF_OK;
	    i++) {
		struct prof_record r = mheap_pending_record(h, i);

		mheap_pending_lend(h, &r);
		arena_reset(&a);
		status = mheap_weigh_record(&r, weight, &a, saturated) ?
		    prof_put(w, &r, err) : err_memory(err);
	}
	arena_free(&a);
	return status;
}

static void
mheap_pending_free_frames(struct mheap_pending *h)
{
	free(h->frames);
	frame_numbers_free(&h->numbers);
	free(h->lent);
	arena_free(&h->texts);
	h->frames = h->lent = NULL;
}

void
mheap_pending_drop(struct mheap_pending *h, size_t i)
{
	const struct prof_record r = mheap_pending_record(h, i);

	if (r.kind == PROF_REC_STACK && r.u.stack.frame_numbers != NULL &&
	    --h->numbered == 0)
		mheap_pending_free_frames(h);
	if (i % DROPPED == 0 && h->behind.size == 0)
		arena_free_before(&h->arena, h->records.items[i].structure);
}

void
mheap_pending_free(struct mheap_pending *h)
{
	free(h->records.items);
	free(h->behind.items);
	mheap_pending_free_frames(h);
	arena_free(&h->arena);
	*h = (struct mheap_pending){ .arena = { 0 } };
}
