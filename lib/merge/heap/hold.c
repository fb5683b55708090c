/* Records of the first heap profile, in case that there is no other. */
#include <stdlib.h>

#include "base/array.h"
#include "merge/heap/engine.h"
#include "merge/core/weight.h"

/*
 * Copies what *p, an array of n things, points to.  False if out of memory; an
 * array of none becomes one that is not NULL if it was not.
 */
#define COPY_ARRAY(a, p, n) \
	((p) == NULL || ((p) = copy((a), (p), (n), sizeof(*(p)))) != NULL)

static void *
copy(struct arena *a, const void *array, size_t n, size_t size)
{
	/* No product is too large: there is such an array. */
	return (void *)(uintptr_t)arena_copy(a, (struct prof_span){ array,
	    n * size }).data;
}

static bool
copy_span(struct arena *a, struct prof_span *s)
{
	if (s->data != NULL)
		*s = arena_copy(a, *s);
	return s->size == 0 || s->data != NULL;
}

static bool
copy_stack(struct arena *a, struct prof_stack *s)
{
	struct prof_frame *frames;

	if (!COPY_ARRAY(a, s->pcs, s->pcs_size) ||
	    !COPY_ARRAY(a, s->segments, s->pcs_size))
		return false;
	if (s->frames_size == 0)
		return true;
	frames = copy(a, s->frames, s->frames_size, sizeof(*frames));
	if (frames == NULL)
		return false;
	for (size_t i = 0; i < s->frames_size; i++) {
		if (!copy_span(a, &frames[i].function.name) ||
		    !copy_span(a, &frames[i].file))
			return false;
	}
	s->frames = frames;
	return true;
}

/* A weighted copy: what one block comes to. */
static bool
copy_info(struct arena *a, struct prof_mib *m, const struct merge_factor *w)
{
	struct mheap_mib sum = { .any = false };

	if (!mheap_mib_add(&sum, m, w, a))
		return false;
	*m = mheap_mib_sum(&sum);
	return true;
}

static bool
copy_alloc_sites(struct arena *a, struct prof_memprof_function *f,
    const struct merge_factor *w)
{
	struct prof_allocation *sites;

	if (f->allocs_size == 0)
		return true;
	sites = copy(a, f->alloc_sites, f->allocs_size, sizeof(*sites));
	if (sites == NULL)
		return false;
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (!copy_info(a, &sites[i].info, w))
			return false;
	}
	f->alloc_sites = sites;
	return true;
}

static bool
copy_call_sites(struct arena *a, struct prof_memprof_function *f)
{
	struct prof_call_site *sites;

	if (f->calls_size == 0)
		return true;
	sites = copy(a, f->call_sites, f->calls_size, sizeof(*sites));
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
copy_access(struct arena *a, struct prof_data_access *d,
    const struct merge_factor *w)
{
	struct prof_location *locations;

	d->count = merge_weigh(w, d->count);
	if (!copy_span(a, &d->data.symbol))
		return false;
	if (d->size == 0)
		return true;
	locations = copy(a, d->locations, d->size, sizeof(*locations));
	if (locations == NULL)
		return false;
	for (size_t i = 0; i < d->size; i++) {
		if (!copy_span(a, &locations[i].file))
			return false;
	}
	d->locations = locations;
	return true;
}

static bool
copy_record(struct arena *a, struct prof_record *r,
    const struct merge_factor *w)
{
	struct prof_memprof_function *f = &r->u.memprof_function;

	switch (r->kind) {
	case PROF_REC_SEGMENT:
		return copy_span(a, &r->u.segment.build_id);
	case PROF_REC_STACK:
		return copy_stack(a, &r->u.stack);
	case PROF_REC_ALLOCATION:
		return copy_info(a, &r->u.allocation.info, w);
	case PROF_REC_MEMPROF_FUNCTION:
		return copy_span(a, &f->symbol.name) &&
		    copy_alloc_sites(a, f, w) && copy_call_sites(a, f);
	case PROF_REC_DATA_ACCESS:
		return copy_access(a, &r->u.data_access, w);
	default:
		return copy_span(a, &r->u.cold_symbol.symbol);
	}
}

static bool
append(struct prof_record **list, size_t *size, size_t *room,
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

/* They are records as others are, but in another order. */
static bool
hold_pairs(struct mheap_hold *h, const struct prof_pairs *p,
    const struct merge_factor *w)
{
	for (size_t i = 0; i < p->size; i++) {
		struct prof_record stack = { .kind = PROF_REC_STACK,
		    .u.stack = p->stacks[i] };
		struct prof_record a = { .kind = PROF_REC_ALLOCATION,
		    .u.allocation = p->allocations[i] };

		if (!copy_record(&h->arena, &stack, w) ||
		    !copy_record(&h->arena, &a, w) || !append(&h->records,
		    &h->size, &h->room, &stack) || !append(&h->behind,
		    &h->behind_size, &h->behind_room, &a))
			return false;
	}
	return true;
}

bool
mheap_hold(struct mheap_hold *h, const struct prof_record *r,
    const struct merge_factor *w)
{
	struct prof_record copied = *r;

	if (r->kind == PROF_REC_PAIRS)
		return hold_pairs(h, &r->u.pairs, w);
	return copy_record(&h->arena, &copied, w) &&
	    append(&h->records, &h->size, &h->room, &copied);
}

void
mheap_hold_free(struct mheap_hold *h)
{
	free(h->records);
	free(h->behind);
	arena_free(&h->arena);
	*h = (struct mheap_hold){ .size = 0 };
}
