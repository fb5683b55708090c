/* The sum of heap data, in canonical order. */
#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/number_sort.h"
#include "merge/heap/state.h"
#include "merge/heap/order.h"

static enum prof_status
mheap_put_modules(const struct merge_heap *h, const struct mheap_order *o,
    struct prof_writer *w, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_SEGMENT };

	for (size_t i = 0; i < h->modules.index.size; i++) {
		r.u.segment = h->modules.items[o->modules[i]].as;
		r.u.segment.id = i;
		if (prof_put(w, &r, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static bool
mheap_get_pcs(const struct merge_heap *h, const struct mheap_stack *from,
    struct prof_stack *s, struct arena *a)
{
	uint64_t *segments = arena_array(a, from->pcs_size, sizeof(*segments));
	const uint32_t *modules = mheap_modules(h, from);

	if (segments == NULL)
		return false;
	for (size_t i = 0; i < from->pcs_size; i++) {
		segments[i] = PROF_NO_SEGMENT;
		if (modules[i] == MHEAP_NONE)
			continue;
		segments[i] = h->modules.items[modules[i]].order;
		s->segments = segments;
	}
	s->pcs = mheap_addresses(from);
	s->pcs_size = from->pcs_size;
	return true;
}

static bool
mheap_get_frames(const struct merge_heap *h, const struct mheap_stack *from,
    struct prof_stack *s, struct arena *a)
{
	struct prof_frame *frames = arena_array(a, from->frames_size,
	    sizeof(*frames));

	if (frames == NULL)
		return false;
	for (size_t i = 0; i < from->frames_size; i++)
		frames[i] = h->frames.frames[mheap_frames(from)[i]];
	s->frames = frames;
	s->frame_numbers = mheap_frames(from);
	s->frames_size = from->frames_size;
	return true;
}

static enum prof_status
mheap_put_stacks(const struct merge_heap *h, const struct mheap_order *o,
    struct prof_writer *w, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct arena a = { 0 };

	for (size_t i = 0; i < h->contexts.index.size && status == PROF_OK;
	    i++) {
		const struct mheap_context *c =
		    &h->contexts.items[o->contexts[i]];
		struct prof_record r = { .kind = PROF_REC_STACK };

		r.u.stack = (struct prof_stack){ .id = c->id };
		arena_reset(&a);
		status = mheap_get_pcs(h, c->stack, &r.u.stack, &a) &&
		    mheap_get_frames(h, c->stack, &r.u.stack, &a) ?
		    prof_put(w, &r, err) : err_memory(err);
	}
	arena_free(&a);
	return status;
}

/* No record but those of stacks is made of these. */
static void
mheap_free_stacks(struct merge_heap *h)
{
	free(h->frames.frames);
	h->frames.frames = NULL;
	list_pool_free(&h->modules_of);
	arena_free(&h->stacks);
}

static enum prof_status
mheap_put_allocations(const struct merge_heap *h, const struct mheap_order *o,
    struct prof_writer *w, uint64_t *saturated, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_ALLOCATION };

	for (size_t i = 0; i < h->contexts.index.size; i++) {
		const struct mheap_context *c =
		    &h->contexts.items[o->contexts[i]];

		if (c->allocation == NULL)
			continue;
		*saturated += mib_sum_is_saturated(c->allocation);
		r.u.allocation.stack = c->id;
		r.u.allocation.info = mib_sum_result(c->allocation);
		if (prof_put(w, &r, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static int
mheap_compare_functions(const void *a, const void *b)
{
	const struct mheap_function *x = a, *y = b;

	return compare_u64(x->guid, y->guid);
}

static int
mheap_compare_sites(const void *a, const void *b)
{
	const struct mheap_site *x = a, *y = b;
	int order = compare_u64(x->guid, y->guid);

	return order != 0 ? order : compare_u64(x->stack, y->stack);
}

#define SORT(table, compare) \
	((table).index.size < 2 ? (void)0 : qsort((table).items, \
	    (table).index.size, sizeof(*(table).items), (compare)))

static void
mheap_sort_functions(struct merge_heap *h)
{
	for (size_t i = 0; i < h->sites.index.size; i++) {
		struct mheap_site *s = &h->sites.items[i];

		s->stack = h->contexts.items[s->context].id;
	}
	for (size_t i = 0; i < h->calls.index.size; i++) {
		struct mheap_call *c = &h->calls.items[i];

		c->stack = h->contexts.items[c->context].id;
		number_set_sort(&c->callees);
	}
	SORT(h->functions, mheap_compare_functions);
	SORT(h->sites, mheap_compare_sites);
}

/*
 * The order of call sites by function and stack, to be freed; NULL if out of
 * memory.  There are too many for qsort: a call leads to each allocation.
 */
static uint32_t *
mheap_order_calls(const struct merge_heap *h)
{
	const struct mheap_call *c = h->calls.items;
	size_t n = h->calls.index.size;
	struct number_sort_item *s = calloc(n + 1, sizeof(*s));
	uint32_t *order = calloc(n + 1, sizeof(*order));
	bool done = s != NULL && order != NULL;

	for (size_t i = 0; done && i < n; i++)
		s[i] = (struct number_sort_item){ c[i].stack, (uint32_t)i };
	done = done && number_sort(s, n);
	for (size_t i = 0; done && i < n; i++)
		s[i].key = c[s[i].item].guid;
	done = done && number_sort(s, n);
	for (size_t i = 0; done && i < n; i++)
		order[i] = s[i].item;
	free(s);
	if (done)
		return order;
	free(order);
	return NULL;
}

/* The first sites and calls of the next function. */
struct mheap_places {
	size_t site, call;
	uint32_t *calls;		/* their order */
	struct arena arena;
};

static bool
mheap_get_sites(const struct merge_heap *h, struct prof_memprof_function *f,
    struct mheap_places *p, uint64_t *saturated)
{
	const struct mheap_site *s = h->sites.items;
	size_t end = p->site;
	struct prof_allocation *sites;

	while (end < h->sites.index.size && s[end].guid == f->symbol.guid)
		end++;
	sites = arena_array(&p->arena, end - p->site, sizeof(*sites));
	if (sites == NULL)
		return false;
	f->alloc_sites = sites;
	for (; p->site < end; p->site++) {
		sites[f->allocs_size++] = (struct prof_allocation){
		    s[p->site].stack, mib_sum_result(s[p->site].info) };
		*saturated += mib_sum_is_saturated(s[p->site].info);
	}
	return true;
}

static bool
mheap_get_calls(const struct merge_heap *h, struct prof_memprof_function *f,
    struct mheap_places *p)
{
	size_t end = p->call;
	struct prof_call_site *calls;

	while (end < h->calls.index.size &&
	    h->calls.items[p->calls[end]].guid == f->symbol.guid)
		end++;
	calls = arena_array(&p->arena, end - p->call, sizeof(*calls));
	if (calls == NULL)
		return false;
	f->call_sites = calls;
	for (; p->call < end; p->call++) {
		const struct mheap_call *c =
		    &h->calls.items[p->calls[p->call]];

		calls[f->calls_size++] = (struct prof_call_site){
		    c->stack, c->callees.items, c->callees.size };
	}
	return true;
}

static enum prof_status
mheap_put_functions(struct merge_heap *h, struct prof_writer *w,
    uint64_t *saturated, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct mheap_places p = { .site = 0 };

	mheap_sort_functions(h);
	/* Only their ids were needed. */
	free(h->contexts.items);
	h->contexts.items = NULL;
	p.calls = mheap_order_calls(h);
	if (p.calls == NULL)
		return err_memory(err);
	for (size_t i = 0; i < h->functions.index.size && status == PROF_OK;
	    i++) {
		struct prof_record r = { .kind = PROF_REC_MEMPROF_FUNCTION };
		struct prof_memprof_function *f = &r.u.memprof_function;

		*f = (struct prof_memprof_function){ .symbol = { mheap_text_of(
		    h, h->functions.items[i].name),
		    h->functions.items[i].guid } };
		arena_reset(&p.arena);
		status = mheap_get_sites(h, f, &p, saturated) &&
		    mheap_get_calls(h, f, &p) ? prof_put(w, &r, err) :
		    err_memory(err);
	}
	arena_free(&p.arena);
	free(p.calls);
	return status;
}

struct mheap_sorted_data {
	struct prof_data data;
	const struct mheap_data *from;
};

static int
mheap_compare_data(const void *a, const void *b)
{
	const struct mheap_sorted_data *x = a, *y = b;
	int order = prof_span_compare(x->data.symbol, y->data.symbol);

	return order != 0 ? order :
	    compare_u64(x->data.hash, y->data.hash);
}

static struct mheap_sorted_data *
mheap_sorted_data(const struct merge_heap *h)
{
	size_t n = h->data.index.size;
	struct mheap_sorted_data *s = calloc(n + 1, sizeof(*s));

	for (size_t i = 0; s != NULL && i < n; i++) {
		const struct mheap_data *d = &h->data.items[i];

		s[i] = (struct mheap_sorted_data){ { mheap_text_of(h,
		    d->symbol), d->hash }, d };
	}
	if (s != NULL)
		qsort(s, n, sizeof(*s), mheap_compare_data);
	return s;
}

static int
mheap_compare_locations(const void *a, const void *b)
{
	const struct prof_location *x = a, *y = b;
	int order = prof_span_compare(x->file, y->file);

	return order != 0 ? order : compare_u64(x->line, y->line);
}

static bool
mheap_get_locations(const struct merge_heap *h, const struct mheap_data *d,
    struct prof_data_access *access, struct arena *a)
{
	struct number_set set = d->locations;
	struct prof_location *l = arena_array(a, set.size, sizeof(*l));

	if (l == NULL)
		return false;
	number_set_sort(&set);
	for (size_t i = 0; i < set.size; i++)
		l[i] = (struct prof_location){ mheap_text_of(h,
		    (uint32_t)(set.items[i] >> 32)), (uint32_t)set.items[i] };
	if (set.size != 0)
		qsort(l, set.size, sizeof(*l), mheap_compare_locations);
	access->locations = l;
	access->size = set.size;
	return true;
}

static enum prof_status
mheap_put_accesses(const struct merge_heap *h,
    const struct mheap_sorted_data *s, struct prof_writer *w,
    uint64_t *saturated, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct arena a = { 0 };

	for (size_t i = 0; i < h->data.index.size && status == PROF_OK; i++) {
		struct prof_record r = { .kind = PROF_REC_DATA_ACCESS };

		if (!s[i].from->accessed)
			continue;
		*saturated += s[i].from->saturated;
		r.u.data_access = (struct prof_data_access){
		    .data = s[i].data, .count = s[i].from->count };
		arena_reset(&a);
		status = mheap_get_locations(h, s[i].from, &r.u.data_access,
		    &a) ? prof_put(w, &r, err) : err_memory(err);
	}
	arena_free(&a);
	return status;
}

/* Symbols that were accessed in no profile are cold. */
static enum prof_status
mheap_put_cold_symbols(const struct merge_heap *h,
    const struct mheap_sorted_data *s, struct prof_writer *w,
    struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_COLD_SYMBOL };

	for (size_t i = 0; i < h->data.index.size; i++) {
		if (s[i].from->accessed)
			continue;
		r.u.cold_symbol = s[i].data;
		if (prof_put(w, &r, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Puts all that refers to stacks, and them; frees what was put. */
static enum prof_status
mheap_put_contexts(struct merge_heap *h, const struct mheap_order *o,
    struct prof_writer *w, uint64_t *saturated, struct prof_error *err)
{
	if (mheap_put_modules(h, o, w, err) != PROF_OK ||
	    mheap_put_stacks(h, o, w, err) != PROF_OK)
		return PROF_FAIL;
	mheap_free_stacks(h);
	return mheap_put_allocations(h, o, w, saturated, err);
}

enum prof_status
mheap_put(struct merge_heap *h, struct prof_writer *w, uint64_t *saturated,
    struct prof_error *err)
{
	struct mheap_order o;
	struct mheap_sorted_data *data = NULL;
	enum prof_status status;

	mheap_free_lookups(h);
	status = mheap_set_order(h, &o, err);
	if (status == PROF_OK)
		status = mheap_put_contexts(h, &o, w, saturated, err);
	free(o.modules);
	free(o.contexts);
	if (status == PROF_OK)
		status = mheap_put_functions(h, w, saturated, err);
	if (status == PROF_OK && (data = mheap_sorted_data(h)) == NULL)
		status = err_memory(err);
	if (status == PROF_OK &&
	    (mheap_put_accesses(h, data, w, saturated, err) != PROF_OK ||
	    mheap_put_cold_symbols(h, data, w, err) != PROF_OK))
		status = PROF_FAIL;
	free(data);
	mheap_free_things(h);
	return status;
}
