/* The sum of heap data, in canonical order, and what is freed on the way. */
#include "merge/heap.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/numbers.h"

void
mheap_free_lookups(struct merge_heap *h)
{
	struct mheap_local *l = &h->local;

	hash_index_seal(&h->modules.index);
	hash_index_seal(&h->frames.index);
	hash_index_seal(&h->frames.texts.index);
	hash_index_seal(&h->stacks.index);
	hash_index_seal(&h->functions.index);
	hash_index_seal(&h->allocs.index);
	hash_index_seal(&h->calls.index);
	hash_index_seal(&h->data_keys.index);
	hash_index_seal(&h->modules_of.index);
	id_map_free(&h->deep);
	free(h->leaves);
	h->leaves = NULL;
	free(l->modules);
	free(l->ranges);
	intervals_free(&l->by_address);
	heap_refs_free(&l->refs);
	frame_numbers_free(&l->frames);
	*l = (struct mheap_local){ .ranges = NULL };
}

#define FREE_TABLE(t) \
	(free((t).items), (t).items = NULL, hash_index_free(&(t).index))

void
mheap_free_things(struct merge_heap *h)
{
	FREE_TABLE(h->modules);
	frame_pool_free(&h->frames);
	list_pool_free(&h->stacks);
	free(h->contexts);
	h->contexts = NULL;
	id_map_free(&h->functions);
	FREE_TABLE(h->allocs);
	FREE_TABLE(h->calls);
	list_pool_free(&h->data_keys);
	free(h->data);
	h->data = NULL;
	list_pool_free(&h->modules_of);
	arena_free(&h->arena);
}

/*
 * The numbers of all contexts by ascending id, and of all modules in their
 * order.  Both arrays are for free().
 */
struct mheap_order {
	uint32_t *contexts, *modules;
	size_t size;			/* of contexts */
};

/* A thing to be sorted: compare functions of qsort get no argument. */
struct mheap_sorted {
	uint32_t item;
	const struct merge_heap *heap;
};

static int
mheap_compare_modules(const void *a, const void *b)
{
	const struct mheap_sorted *x = a, *y = b;

	return mheap_compare_segments(&x->heap->modules.items[x->item].as,
	    &y->heap->modules.items[y->item].as);
}

static uint64_t
mheap_take_digest(struct buf *b)
{
	uint64_t digest = md5_u64(b->data, b->size);

	b->size = 0;
	return digest;
}

static void
mheap_digest_modules(struct merge_heap *h, struct buf *b)
{
	for (size_t i = 0; i < h->modules.index.size; i++) {
		const struct prof_segment *s = &h->modules.items[i].as;

		buf_u64le(b, s->file_addresses);
		buf_u64le(b, s->has_range);
		buf_u64le(b, s->start);
		buf_u64le(b, s->end);
		buf_u64le(b, s->offset);
		buf_put(b, s->build_id.data, s->build_id.size);
		h->modules.items[i].digest = mheap_take_digest(b);
	}
}

static bool
mheap_digest_frames(struct merge_heap *h, struct buf *b)
{
	h->frame_digests = calloc((size_t)h->frames.index.size + 1,
	    sizeof(*h->frame_digests));
	if (h->frame_digests == NULL)
		return false;
	for (size_t i = 0; i < h->frames.index.size; i++) {
		const struct prof_frame *f = &h->frames.frames[i];

		buf_u64le(b, f->function.guid);
		buf_u32le(b, f->flags);
		buf_u32le(b, f->line);
		buf_u32le(b, f->start_line);
		buf_u32le(b, f->line_offset);
		buf_u32le(b, f->column);
		buf_u32le(b, f->discriminator);
		buf_u64le(b, f->function.name.size);
		buf_put(b, f->function.name.data, f->function.name.size);
		buf_put(b, f->file.data, f->file.size);
		h->frame_digests[i] = mheap_take_digest(b);
	}
	return true;
}

static bool
mheap_order_modules(struct merge_heap *h, uint32_t **out)
{
	size_t n = h->modules.index.size;
	struct mheap_sorted *s = calloc(n + 1, sizeof(*s));

	*out = calloc(n + 1, sizeof(**out));
	if (s == NULL || *out == NULL) {
		free(s);
		return false;
	}
	for (size_t i = 0; i < n; i++)
		s[i] = (struct mheap_sorted){ (uint32_t)i, h };
	qsort(s, n, sizeof(*s), mheap_compare_modules);
	for (size_t i = 0; i < n; i++) {
		(*out)[i] = s[i].item;
		h->modules.items[s[i].item].order = (uint32_t)i;
	}
	free(s);
	return true;
}

static uint64_t
mheap_context_id(const struct merge_heap *h, size_t context, struct buf *b)
{
	const struct mheap_context *c = &h->contexts[context];
	const uint32_t *modules = mheap_modules(h, c);
	uint32_t size;
	const uint32_t *frames = mheap_frames(h, context, &size);

	buf_u64le(b, size != 0);
	for (size_t i = 0; i < size; i++)
		buf_u64le(b, h->frame_digests[frames[i]]);
	for (size_t i = 0; mheap_is_by_address(h, context) && i < c->pcs_size;
	    i++) {
		buf_u64le(b, modules[i] == MHEAP_NONE ? 0 :
		    h->modules.items[modules[i]].digest);
		buf_u64le(b, mheap_address(c, i));
	}
	return mheap_take_digest(b);
}

static int
mheap_compare_frames(const struct merge_heap *h, uint32_t m, uint32_t n)
{
	const struct prof_frame *a = &h->frames.frames[m];
	const struct prof_frame *b = &h->frames.frames[n];
	const uint64_t x[] = { h->frame_digests[m], a->function.guid, a->flags,
	    a->line, a->start_line, a->line_offset, a->column,
	    a->discriminator };
	const uint64_t y[] = { h->frame_digests[n], b->function.guid, b->flags,
	    b->line, b->start_line, b->line_offset, b->column,
	    b->discriminator };
	int order = 0;

	for (size_t i = 0; order == 0 && i < sizeof(x) / sizeof(x[0]); i++)
		order = compare_u64(x[i], y[i]);
	if (order == 0)
		order = prof_span_compare(a->function.name, b->function.name);
	return order != 0 ? order : prof_span_compare(a->file, b->file);
}

/* Absolute addresses come first. */
static int
mheap_compare_pcs(const struct merge_heap *h, const struct mheap_context *a,
    const struct mheap_context *b, size_t i)
{
	int order = compare_u64(mheap_address(a, i), mheap_address(b, i));
	uint32_t m = mheap_modules(h, a)[i], n = mheap_modules(h, b)[i];

	if (order != 0 || m == n)
		return order;
	if (m == MHEAP_NONE || n == MHEAP_NONE)
		return m == MHEAP_NONE ? -1 : 1;
	return compare_u64(h->modules.items[m].order,
	    h->modules.items[n].order);
}

static int
mheap_compare_contexts(const void *p, const void *q)
{
	const struct mheap_sorted *x = p, *y = q;
	const struct merge_heap *h = x->heap;
	const struct mheap_context *a = &h->contexts[x->item];
	const struct mheap_context *b = &h->contexts[y->item];
	uint32_t m, n;
	const uint32_t *frames = mheap_frames(h, x->item, &m);
	const uint32_t *others = mheap_frames(h, y->item, &n);
	bool by_address = mheap_is_by_address(h, x->item);
	int order = compare_u64(m, n);

	for (size_t i = 0; order == 0 && i < m; i++)
		order = mheap_compare_frames(h, frames[i], others[i]);
	if (order == 0)
		order = compare_u64(by_address,
		    mheap_is_by_address(h, y->item));
	if (order != 0 || !by_address)
		return order;
	order = compare_u64(a->pcs_size, b->pcs_size);
	for (size_t i = 0; order == 0 && i < a->pcs_size; i++)
		order = mheap_compare_pcs(h, a, b, i);
	return order;
}

bool
mheap_next_id(uint64_t *last, bool first, uint64_t *id)
{
	if (!first && *id <= *last) {
		if (*last == UINT64_MAX)
			return false;
		*id = *last + 1;
	}
	*last = *id;
	return true;
}

/* Sorts contexts of one hash by their stacks. */
static bool
mheap_sort_alike(const struct merge_heap *h, struct number_sort_item *items,
    size_t n)
{
	struct mheap_sorted *s = calloc(n, sizeof(*s));

	for (size_t i = 0; s != NULL && i < n; i++)
		s[i] = (struct mheap_sorted){ items[i].item, h };
	if (s != NULL)
		qsort(s, n, sizeof(*s), mheap_compare_contexts);
	for (size_t i = 0; s != NULL && i < n; i++)
		items[i].item = s[i].item;
	free(s);
	return s != NULL;
}

/* Sorts contexts by their hashes, and those of one hash by their stacks. */
static bool
mheap_sort_contexts(const struct merge_heap *h, struct number_sort_item *items,
    size_t n)
{
	bool done = number_sort(items, n);

	for (size_t i = 0, end; done && i < n; i = end) {
		for (end = i + 1; end < n && items[end].key == items[i].key;)
			end++;
		done = end == i + 1 ||
		    mheap_sort_alike(h, items + i, end - i);
	}
	return done;
}

static enum prof_status
mheap_order_contexts(struct merge_heap *h, struct buf *b, uint32_t **out,
    struct prof_error *err)
{
	size_t n = h->stacks.size;
	struct number_sort_item *s = calloc(n + 1, sizeof(*s));
	enum prof_status status = PROF_OK;
	uint64_t last = 0;

	*out = calloc(n + 1, sizeof(**out));
	for (size_t i = 0; s != NULL && i < n; i++)
		s[i] = (struct number_sort_item){ mheap_context_id(h, i, b),
		    (uint32_t)i };
	if (s == NULL || *out == NULL || b->failed ||
	    !mheap_sort_contexts(h, s, n))
		status = err_memory(err);
	for (size_t i = 0; i < n && status == PROF_OK; i++) {
		uint64_t *id = &h->contexts[s[i].item].id;

		(*out)[i] = s[i].item;
		*id = s[i].key;
		if (!mheap_next_id(&last, i == 0, id))
			status = err_set(err, PROF_E_LIMIT,
			    "no id is left for a stack");
	}
	free(s);
	return status;
}

/*
 * Sets digest, order and id of modules, frames and contexts.  PROF_E_LIMIT if
 * no id is left for a context.
 */
static enum prof_status
mheap_set_order(struct merge_heap *h, struct mheap_order *o,
    struct prof_error *err)
{
	struct buf b = { 0 };
	enum prof_status status;

	*o = (struct mheap_order){ .size = h->stacks.size };
	mheap_digest_modules(h, &b);
	status = mheap_digest_frames(h, &b) && !b.failed &&
	    mheap_order_modules(h, &o->modules) ?
	    mheap_order_contexts(h, &b, &o->contexts, err) : err_memory(err);
	free(h->frame_digests);
	h->frame_digests = NULL;
	buf_free(&b);
	return status;
}

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

/* A stack as a record, which borrows from the sum and the arena. */
static bool
mheap_get_stack(const struct merge_heap *h, size_t context,
    struct prof_stack *s, struct arena *a)
{
	const struct mheap_context *from = &h->contexts[context];
	uint64_t *segments = arena_array(a, from->pcs_size, sizeof(*segments));
	uint64_t *pcs = arena_array(a, from->pcs_size, sizeof(*pcs));
	const uint32_t *modules = mheap_modules(h, from);
	uint32_t size;
	const uint32_t *numbers = mheap_frames(h, context, &size);
	struct prof_frame *frames = arena_array(a, size, sizeof(*frames));

	if (segments == NULL || pcs == NULL || frames == NULL)
		return false;
	for (size_t i = 0; i < from->pcs_size; i++) {
		pcs[i] = mheap_address(from, i);
		segments[i] = PROF_NO_SEGMENT;
		if (modules[i] == MHEAP_NONE)
			continue;
		segments[i] = h->modules.items[modules[i]].order;
		s->segments = segments;
	}
	s->pcs = pcs;
	s->pcs_size = from->pcs_size;
	for (size_t i = 0; i < size; i++)
		frames[i] = h->frames.frames[numbers[i]];
	s->frames = frames;
	s->frame_numbers = numbers;
	s->frames_size = size;
	return true;
}

static enum prof_status
mheap_put_stacks(const struct merge_heap *h, const struct mheap_order *o,
    struct prof_writer *w, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct arena a = { 0 };

	for (size_t i = 0; i < o->size && status == PROF_OK; i++) {
		size_t context = o->contexts[i];
		struct prof_record r = { .kind = PROF_REC_STACK };

		r.u.stack = (struct prof_stack){
		    .id = h->contexts[context].id };
		arena_reset(&a);
		status = mheap_get_stack(h, context, &r.u.stack, &a) ?
		    prof_put(w, &r, err) : err_memory(err);
	}
	arena_free(&a);
	return status;
}

static enum prof_status
mheap_put_allocations(const struct merge_heap *h, const struct mheap_order *o,
    struct prof_writer *w, uint64_t *saturated, struct prof_error *err)
{
	struct prof_record r = { .kind = PROF_REC_ALLOCATION };

	for (size_t i = 0; i < o->size; i++) {
		const struct mheap_context *c = &h->contexts[o->contexts[i]];

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

/*
 * Sets the stacks of sites.  Returns their order by function and stack, to be
 * freed; NULL if out of memory.  There are too many for qsort: a call leads to
 * each allocation.
 */
static uint32_t *
mheap_order_sites(const struct merge_heap *h, struct mheap_sites *t)
{
	size_t n = t->index.size;
	struct number_sort_item *s = calloc(n + 1, sizeof(*s));
	uint32_t *order = calloc(n + 1, sizeof(*order));
	bool done = s != NULL && order != NULL;

	for (size_t i = 0; done && i < n; i++) {
		t->items[i].stack = h->contexts[t->items[i].context].id;
		s[i] = (struct number_sort_item){ t->items[i].stack,
		    (uint32_t)i };
	}
	done = done && number_sort(s, n);
	for (size_t i = 0; done && i < n; i++)
		s[i].key = t->items[s[i].item].guid;
	done = done && number_sort(s, n);
	for (size_t i = 0; done && i < n; i++)
		order[i] = s[i].item;
	free(s);
	if (done)
		return order;
	free(order);
	return NULL;
}

/* The sites of one table in their order, function by function. */
struct mheap_places {
	const struct mheap_sites *table;
	uint32_t *order;
	size_t next;			/* the first of the next function */
};

/* How many sites of the function come next. */
static size_t
mheap_places_count(const struct mheap_places *p, uint64_t guid)
{
	size_t end = p->next;

	while (end < p->table->index.size &&
	    p->table->items[p->order[end]].guid == guid)
		end++;
	return end - p->next;
}

static bool
mheap_get_allocs(struct mheap_places *p, struct prof_memprof_function *f,
    struct arena *a, uint64_t *saturated)
{
	size_t n = mheap_places_count(p, f->symbol.guid);
	struct prof_allocation *allocs = arena_array(a, n, sizeof(*allocs));

	if (allocs == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct mheap_site *s =
		    &p->table->items[p->order[p->next++]];

		allocs[i] = (struct prof_allocation){ s->stack,
		    mib_sum_result(s->info) };
		*saturated += mib_sum_is_saturated(s->info);
	}
	f->alloc_sites = allocs;
	f->allocs_size = n;
	return true;
}

static bool
mheap_get_calls(struct mheap_places *p, struct prof_memprof_function *f,
    struct arena *a)
{
	size_t n = mheap_places_count(p, f->symbol.guid);
	struct prof_call_site *calls = arena_array(a, n, sizeof(*calls));

	if (calls == NULL)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct mheap_site *s =
		    &p->table->items[p->order[p->next++]];
		struct number_set callees = s->callees;

		number_set_sort(&callees);
		calls[i] = (struct prof_call_site){ s->stack, callees.items,
		    callees.size };
	}
	f->call_sites = calls;
	f->calls_size = n;
	return true;
}

static enum prof_status
mheap_put_functions(struct merge_heap *h, struct prof_writer *w,
    uint64_t *saturated, struct prof_error *err)
{
	struct mheap_places allocs = { &h->allocs,
	    mheap_order_sites(h, &h->allocs), 0 };
	struct mheap_places calls = { &h->calls,
	    mheap_order_sites(h, &h->calls), 0 };
	enum prof_status status = allocs.order == NULL || calls.order == NULL ?
	    err_memory(err) : PROF_OK;
	struct arena a = { 0 };

	/* Only their ids were needed. */
	free(h->contexts);
	h->contexts = NULL;
	if (h->functions.size > 1)
		qsort(h->functions.entries, h->functions.size,
		    sizeof(*h->functions.entries), mheap_compare_guids);
	for (size_t i = 0; i < h->functions.size && status == PROF_OK; i++) {
		const struct id_map_entry *e = &h->functions.entries[i];
		struct prof_record r = { .kind = PROF_REC_MEMPROF_FUNCTION };
		struct prof_memprof_function *f = &r.u.memprof_function;

		*f = (struct prof_memprof_function){ .symbol = {
		    mheap_text_of(h, (uint32_t)e->value), e->id } };
		arena_reset(&a);
		status = mheap_get_allocs(&allocs, f, &a, saturated) &&
		    mheap_get_calls(&calls, f, &a) ? prof_put(w, &r, err) :
		    err_memory(err);
	}
	arena_free(&a);
	free(allocs.order);
	free(calls.order);
	return status;
}

/* It begins with what heap_compare_data compares. */
struct mheap_sorted_data {
	struct prof_data data;
	const struct mheap_data *from;
};

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
		qsort(l, set.size, sizeof(*l), heap_compare_locations);
	access->locations = l;
	access->size = set.size;
	return true;
}

/* Accesses, then cold symbols: those that were accessed in no profile. */
static enum prof_status
mheap_put_data(const struct merge_heap *h, struct prof_writer *w,
    uint64_t *saturated, struct prof_error *err)
{
	size_t n = h->data_keys.size;
	struct mheap_sorted_data *s = calloc(n + 1, sizeof(*s));
	enum prof_status status = s == NULL ? err_memory(err) : PROF_OK;
	struct arena a = { 0 };

	for (size_t i = 0; s != NULL && i < n; i++) {
		const struct mheap_data *d = &h->data[i];

		s[i] = (struct mheap_sorted_data){ { mheap_text_of(h,
		    d->symbol), d->hash }, d };
	}
	if (s != NULL)
		qsort(s, n, sizeof(*s), heap_compare_data);
	for (size_t i = 0; i < n && status == PROF_OK; i++) {
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
	for (size_t i = 0; i < n && status == PROF_OK; i++) {
		struct prof_record r = { .kind = PROF_REC_COLD_SYMBOL,
		    .u.cold_symbol = s[i].data };

		if (!s[i].from->accessed)
			status = prof_put(w, &r, err);
	}
	arena_free(&a);
	free(s);
	return status;
}

enum prof_status
mheap_put(struct merge_heap *h, struct prof_writer *w, uint64_t *saturated,
    struct prof_error *err)
{
	struct mheap_order o;
	enum prof_status status;

	mheap_free_lookups(h);
	status = mheap_set_order(h, &o, err);
	if (status == PROF_OK && (mheap_put_modules(h, &o, w, err) != PROF_OK ||
	    mheap_put_stacks(h, &o, w, err) != PROF_OK))
		status = PROF_FAIL;
	if (status == PROF_OK) {
		/* No record but those of stacks is made of these. */
		free(h->frames.frames);
		h->frames.frames = NULL;
		list_pool_free(&h->modules_of);
		list_pool_free(&h->stacks);
		status = mheap_put_allocations(h, &o, w, saturated, err);
	}
	free(o.modules);
	free(o.contexts);
	if (status == PROF_OK)
		status = mheap_put_functions(h, w, saturated, err);
	if (status == PROF_OK)
		status = mheap_put_data(h, w, saturated, err);
	mheap_free_things(h);
	return status;
}
