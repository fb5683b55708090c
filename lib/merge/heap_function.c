/* Functions with their alloc and call sites, and symbols of data. */
#include "merge/heap.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/number_search.h"
#include "merge/state.h"
#include "model/heap.h"

/* So many frames of an address are compared with each guid, one by one. */
enum { FEW_FRAMES = 16 };

struct key {
	const struct merge_heap *heap;
	uint64_t a, b;
};

static bool
mheap_same_function(const void *arg, uint32_t item)
{
	const struct key *k = arg;

	return k->heap->functions.items[item].guid == k->a;
}

static bool
mheap_same_site(const void *arg, uint32_t item)
{
	const struct key *k = arg;
	const struct mheap_site *s = &k->heap->sites.items[item];

	return s->guid == k->a && s->context == k->b;
}

static bool
mheap_same_call(const void *arg, uint32_t item)
{
	const struct key *k = arg;
	const struct mheap_call *c = &k->heap->calls.items[item];

	return c->guid == k->a && c->context == k->b;
}

static uint32_t
mheap_function_of(struct merge_heap *h, const struct prof_symbol *s)
{
	const struct key key = { h, s->guid != 0 || s->name.data == NULL ?
	    s->guid : memprof_guid(s->name), 0 };
	uint64_t hash = hash_mix(h->seed, key.a);
	uint32_t item = hash_index_find(&h->functions.index, hash,
	    mheap_same_function, &key);
	struct mheap_function *f;
	uint32_t text;

	if (item == MHEAP_NONE) {
		item = MHEAP_NEXT(h->functions, hash);
		if (item == MHEAP_NONE)
			return item;
		h->functions.items[item] = (struct mheap_function){ key.a, 0 };
	}
	f = &h->functions.items[item];
	text = s->name.size == 0 ? 0 : mheap_text(h, s->name);
	if (text == MHEAP_NONE)
		return text;
	/* Of two names with one guid, the first in the order of bytes stays. */
	if (text != 0 && (f->name == 0 || prof_span_compare(s->name,
	    mheap_text_of(h, f->name)) < 0))
		f->name = text;
	return item;
}

static int
mheap_compare_guids(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The frames from the leaf to the first one that is not inline. */
static bool
mheap_make_leaf(struct merge_heap *h, const struct mheap_stack *s,
    struct mheap_leaf *out)
{
	uint64_t *guids = arena_array(&h->arena, s->frames_size,
	    sizeof(*guids));
	size_t n = 0;

	if (guids == NULL)
		return false;
	while (n < s->frames_size) {
		const struct prof_frame *f =
		    &h->frames.frames[mheap_frames(s)[n]];

		guids[n++] = f->function.guid;
		if ((f->flags & PROF_FRAME_INLINE) == 0)
			break;
	}
	qsort(guids, n, sizeof(*guids), mheap_compare_guids);
	*out = (struct mheap_leaf){ guids, n };
	return true;
}

/* The leaf of a context, made at the first call; NULL if out of memory. */
static const struct mheap_leaf *
mheap_leaf_of(struct merge_heap *h, uint32_t context)
{
	const uint64_t *known = id_map_find(&h->deep, context);
	size_t place = h->deep.size;

	if (known != NULL)
		return &h->leaves[*known];
	if (!ARRAY_ROOM(h->leaves, place, h->leaves_room) ||
	    !mheap_make_leaf(h, h->contexts.items[context].stack,
	    &h->leaves[place]) || id_map_add(&h->deep, context, place) == NULL)
		return NULL;
	return &h->leaves[place];
}

/*
 * How often LLVM repeats one context in the record of a function: once for each
 * frame of that function, from the leaf to the first frame that is not inline
 * (RawMemProfReader, LLVM 15 to 22).  Only one of the repeats is added.  0 if
 * out of memory.
 */
static uint32_t
mheap_count_repeats(struct merge_heap *h, uint32_t context, uint64_t guid)
{
	const struct mheap_stack *s = h->contexts.items[context].stack;
	const uint32_t *frames = mheap_frames(s);
	const struct mheap_leaf *l;
	uint32_t n = 0;

	for (size_t i = 0; i < s->frames_size && i < FEW_FRAMES; i++) {
		const struct prof_frame *f = &h->frames.frames[frames[i]];

		n += f->function.guid == guid;
		if ((f->flags & PROF_FRAME_INLINE) == 0)
			return n == 0 ? 1 : n;
	}
	if (s->frames_size > FEW_FRAMES) {
		l = mheap_leaf_of(h, context);
		if (l == NULL)
			return 0;
		n = (uint32_t)(numbers_up_to(l->guids, l->size,
		    sizeof(*l->guids), guid) - numbers_below(l->guids,
		    l->size, sizeof(*l->guids), guid));
	}
	return n == 0 ? 1 : n;
}

static enum prof_status
mheap_add_alloc_site(struct merge_heap *h, uint64_t guid,
    const struct prof_allocation *a, const struct merge_factor *w,
    struct prof_error *err)
{
	struct key key = { h, guid, 0 };
	struct mheap_site *s;
	uint32_t context, item, n;
	uint64_t hash;

	if (mheap_context_of_id(h, a->stack, &context, err) != PROF_OK)
		return PROF_FAIL;
	key.b = context;
	hash = hash_mix(hash_mix(h->seed, guid), context);
	item = hash_index_find(&h->sites.index, hash, mheap_same_site, &key);
	if (item == MHEAP_NONE) {
		item = MHEAP_NEXT(h->sites, hash);
		if (item == MHEAP_NONE)
			return err_memory(err);
		h->sites.items[item] = (struct mheap_site){
		    .guid = guid, .context = context };
	}
	s = &h->sites.items[item];
	if (s->record != h->record) {
		s->record = h->record;
		s->seen = 0;
	}
	n = mheap_count_repeats(h, context, guid);
	if (n == 0)
		return err_memory(err);
	if (s->seen++ % n != 0)
		return PROF_OK;
	return mheap_add_mib(h, &s->info, &a->info, w, err);
}

static enum prof_status
mheap_add_call_site(struct merge_heap *h, uint64_t guid,
    const struct prof_call_site *c, struct prof_error *err)
{
	struct key key = { h, guid, 0 };
	uint32_t context, item;
	uint64_t hash;

	if (mheap_context_of_id(h, c->stack, &context, err) != PROF_OK)
		return PROF_FAIL;
	key.b = context;
	hash = hash_mix(hash_mix(h->seed, guid), context);
	item = hash_index_find(&h->calls.index, hash, mheap_same_call, &key);
	if (item == MHEAP_NONE) {
		item = MHEAP_NEXT(h->calls, hash);
		if (item == MHEAP_NONE)
			return err_memory(err);
		h->calls.items[item] = (struct mheap_call){
		    .guid = guid, .context = context };
	}
	for (size_t i = 0; i < c->callees_size; i++) {
		if (!number_set_add(&h->calls.items[item].callees, &h->arena,
		    c->callee_guids[i]))
			return err_memory(err);
	}
	return PROF_OK;
}

enum prof_status
mheap_add_function(struct merge_heap *h,
    const struct prof_memprof_function *f, const struct merge_factor *w,
    struct prof_error *err)
{
	uint32_t function = mheap_function_of(h, &f->symbol);
	uint64_t guid;

	if (function == MHEAP_NONE)
		return err_memory(err);
	guid = h->functions.items[function].guid;
	h->record++;
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (mheap_add_alloc_site(h, guid, &f->alloc_sites[i], w, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	for (size_t i = 0; i < f->calls_size; i++) {
		if (mheap_add_call_site(h, guid, &f->call_sites[i], err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static bool
mheap_same_data(const void *arg, uint32_t item)
{
	const struct key *k = arg;
	const struct mheap_data *d = &k->heap->data.items[item];

	return d->symbol == k->a && d->hash == k->b;
}

static struct mheap_data *
mheap_data_of(struct merge_heap *h, const struct prof_data *d)
{
	struct key key = { h, mheap_text(h, d->symbol),
	    d->symbol.data == NULL ? d->hash : 0 };
	uint64_t hash = hash_mix(hash_mix(h->seed, key.a), key.b);
	uint32_t item;

	if (key.a == MHEAP_NONE)
		return NULL;
	item = hash_index_find(&h->data.index, hash, mheap_same_data, &key);
	if (item == MHEAP_NONE) {
		item = MHEAP_NEXT(h->data, hash);
		if (item == MHEAP_NONE)
			return NULL;
		h->data.items[item] = (struct mheap_data){
		    .symbol = (uint32_t)key.a, .hash = key.b };
	}
	return &h->data.items[item];
}

enum prof_status
mheap_add_data(struct merge_heap *h, const struct prof_record *r,
    const struct merge_factor *w, struct prof_error *err)
{
	const struct prof_data_access *a = &r->u.data_access;
	bool accessed = r->kind == PROF_REC_DATA_ACCESS;
	struct mheap_data *d = mheap_data_of(h, accessed ? &a->data :
	    &r->u.cold_symbol);
	uint64_t count;

	if (d == NULL)
		return err_memory(err);
	if (!accessed)
		return PROF_OK;
	d->accessed = true;
	if (!merge_weigh_fits(w, a->count, &count) ||
	    count > UINT64_MAX - d->count)
		d->saturated = true;
	d->count = saturating_add(d->count, count);
	for (size_t i = 0; i < a->size; i++) {
		const struct prof_location *l = &a->locations[i];
		uint32_t file = l->file.size == 0 ? 0 : mheap_text(h, l->file);

		if (file == MHEAP_NONE || !number_set_add(&d->locations,
		    &h->arena, (uint64_t)file << 32 | l->line))
			return err_memory(err);
	}
	return PROF_OK;
}
