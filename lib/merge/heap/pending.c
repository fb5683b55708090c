/* Weighted copies of records of the first profile with heap data. */
#include <stdlib.h>

#include "base/array.h"
#include "merge/heap/state.h"
#include "merge/core/weight.h"

/*
 * Replaces p, an array of n things, by a copy.  False if out of memory.  NULL
 * stays NULL, and an empty array does not become NULL.
 */
#define COPY_ARRAY(a, p, n) \
	((p) == NULL || ((p) = mheap_copy_array((a), (p), (n), \
	    sizeof(*(p)))) != NULL)

static void *
mheap_copy_array(struct arena *a, const void *array, size_t n, size_t size)
{
	/* n * size cannot overflow: an array of that size exists. */
	return (void *)(uintptr_t)arena_copy(a, (struct prof_span){ array,
	    n * size }).data;
}

static bool
mheap_copy_span(struct arena *a, struct prof_span *s)
{
	if (s->data != NULL)
		*s = arena_copy(a, *s);
	return s->size == 0 || s->data != NULL;
}

static bool
mheap_copy_stack(struct arena *a, struct prof_stack *s)
{
	struct prof_frame *frames;

	if (!COPY_ARRAY(a, s->pcs, s->pcs_size) ||
	    !COPY_ARRAY(a, s->segments, s->pcs_size))
		return false;
	if (s->frames_size == 0)
		return true;
	frames = mheap_copy_array(a, s->frames, s->frames_size,
	    sizeof(*frames));
	if (frames == NULL)
		return false;
	for (size_t i = 0; i < s->frames_size; i++) {
		if (!mheap_copy_span(a, &frames[i].function.name) ||
		    !mheap_copy_span(a, &frames[i].file))
			return false;
	}
	s->frames = frames;
	return true;
}

/* A weighted copy: the sum of one. */
static bool
mheap_copy_mib(struct arena *a, struct prof_mib *m,
    const struct merge_factor *w)
{
	struct mheap_mib sum = { .any = false };

	if (!mheap_mib_add(&sum, m, w, a))
		return false;
	*m = mheap_mib_sum(&sum);
	return true;
}

static bool
mheap_copy_alloc_sites(struct arena *a, struct prof_memprof_function *f,
    const struct merge_factor *w)
{
	struct prof_allocation *sites;

	if (f->allocs_size == 0)
		return true;
	sites = mheap_copy_array(a, f->alloc_sites, f->allocs_size,
	    sizeof(*sites));
	if (sites == NULL)
		return false;
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (!mheap_copy_mib(a, &sites[i].info, w))
			return false;
	}
	f->alloc_sites = sites;
	return true;
}

static bool
mheap_copy_call_sites(struct arena *a, struct prof_memprof_function *f)
{
	struct prof_call_site *sites;

	if (f->calls_size == 0)
		return true;
	sites = mheap_copy_array(a, f->call_sites, f->calls_size,
	    sizeof(*sites));
	if (sites == NULL)
		return false;
	for (size_t i = 0; i < f->calls_size; i++) {
		if (!COPY_ARRAY(a, sites[i].callee_guids,
		    sites[i].callees_size))
			return false;
	}
	f->call_sites = sites;
	return true;
}

static bool
mheap_copy_access(struct arena *a, struct prof_data_access *d,
    const struct merge_factor *w)
{
	struct prof_location *locations;

	d->count = merge_weigh(w, d->count);
	if (!mheap_copy_span(a, &d->data.symbol))
		return false;
	if (d->size == 0)
		return true;
	locations = mheap_copy_array(a, d->locations, d->size,
	    sizeof(*locations));
	if (locations == NULL)
		return false;
	for (size_t i = 0; i < d->size; i++) {
		if (!mheap_copy_span(a, &locations[i].file))
			return false;
	}
	d->locations = locations;
	return true;
}

static bool
mheap_copy_record(struct arena *a, struct prof_record *r,
    const struct merge_factor *w)
{
	struct prof_memprof_function *f = &r->u.memprof_function;

	switch (r->kind) {
	case PROF_REC_SEGMENT:
		return mheap_copy_span(a, &r->u.segment.build_id);
	case PROF_REC_STACK:
		return mheap_copy_stack(a, &r->u.stack);
	case PROF_REC_ALLOCATION:
		return mheap_copy_mib(a, &r->u.allocation.info, w);
	case PROF_REC_MEMPROF_FUNCTION:
		return mheap_copy_span(a, &f->symbol.name) &&
		    mheap_copy_alloc_sites(a, f, w) &&
		    mheap_copy_call_sites(a, f);
	case PROF_REC_DATA_ACCESS:
		return mheap_copy_access(a, &r->u.data_access, w);
	default:
		return mheap_copy_span(a, &r->u.cold_symbol.symbol);
	}
}

static bool
mheap_append_record(struct prof_record **list, size_t *size, size_t *room,
    const struct prof_record *r)
{
	struct prof_record *records = array_room(*list, *size, room,
	    sizeof(*records));

	if (records == NULL)
		return false;
	*list = records;
	records[(*size)++] = *r;
	return true;
}

/* Stacks and allocations of pairs become records of their own. */
static bool
mheap_pending_add_pairs(struct mheap_pending *h, const struct prof_pairs *p,
    const struct merge_factor *w)
{
	for (size_t i = 0; i < p->size; i++) {
		struct prof_record stack = { .kind = PROF_REC_STACK,
		    .u.stack = p->stacks[i] };
		struct prof_record a = { .kind = PROF_REC_ALLOCATION,
		    .u.allocation = p->allocations[i] };

		if (!mheap_copy_record(&h->arena, &stack, w) ||
		    !mheap_copy_record(&h->arena, &a, w) ||
		    !mheap_append_record(&h->records, &h->size, &h->room,
		    &stack) || !mheap_append_record(&h->behind,
		    &h->behind_size, &h->behind_room, &a))
			return false;
	}
	return true;
}

bool
mheap_pending_add(struct mheap_pending *h, const struct prof_record *r,
    const struct merge_factor *w)
{
	struct prof_record copied = *r;

	if (r->kind == PROF_REC_PAIRS)
		return mheap_pending_add_pairs(h, &r->u.pairs, w);
	return mheap_copy_record(&h->arena, &copied, w) &&
	    mheap_append_record(&h->records, &h->size, &h->room, &copied);
}

void
mheap_pending_free(struct mheap_pending *h)
{
	free(h->records);
	free(h->behind);
	arena_free(&h->arena);
	*h = (struct mheap_pending){ .size = 0 };
}
