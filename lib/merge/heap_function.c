/* Functions with their alloc and call sites, and symbols of data. */
#include "merge/heap.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/numbers.h"
#include "merge/state.h"
#include "model/heap.h"

/* So many frames of an address are compared with each guid, one by one. */
enum { FEW_FRAMES = 16 };

struct mheap_site_key {
	const struct mheap_site *items;
	uint64_t guid;
	uint32_t context;
};

static bool
mheap_same_site(const void *arg, uint32_t item)
{
	const struct mheap_site_key *k = arg;

	return k->items[item].guid == k->guid &&
	    k->items[item].context == k->context;
}

/* The site of a stack in a function, added if it is new; NULL: it failed. */
static struct mheap_site *
mheap_site_of(struct merge_heap *h, struct mheap_sites *t, uint64_t guid,
    uint64_t stack, struct prof_error *err)
{
	struct mheap_site_key key = { t->items, guid, 0 };
	uint64_t hash;
	uint32_t item;

	if (mheap_context_of_id(h, stack, &key.context, err) != PROF_OK)
		return NULL;
	hash = hash_mix(hash_mix(h->seed, guid), key.context);
	item = hash_index_find(&t->index, hash, mheap_same_site, &key);
	if (item == MHEAP_NONE) {
		item = MHEAP_NEXT(*t, hash);
		if (item == MHEAP_NONE) {
			err_memory(err);
			return NULL;
		}
		t->items[item] = (struct mheap_site){
		    .guid = guid, .context = key.context };
	}
	return &t->items[item];
}

static int
mheap_compare_guids(const void *a, const void *b)
{
	return compare_u64(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The frames from the leaf to the first one that is not inline. */
static bool
mheap_make_leaf(struct merge_heap *h, uint32_t context,
    struct mheap_leaf *out)
{
	uint32_t size;
	const uint32_t *frames = mheap_frames(h, context, &size);
	uint64_t *guids = arena_array(&h->arena, size, sizeof(*guids));
	size_t n = 0;

	if (guids == NULL)
		return false;
	while (n < size) {
		const struct prof_frame *f = &h->frames.frames[frames[n]];

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
	    !mheap_make_leaf(h, context, &h->leaves[place]) ||
	    id_map_add(&h->deep, context, place) == NULL)
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
	uint32_t n = 0, size;
	const uint32_t *frames = mheap_frames(h, context, &size);
	const struct mheap_leaf *l;

	for (size_t i = 0; i < size && i < FEW_FRAMES; i++) {
		const struct prof_frame *f = &h->frames.frames[frames[i]];

		n += f->function.guid == guid;
		if ((f->flags & PROF_FRAME_INLINE) == 0)
			return n == 0 ? 1 : n;
	}
	if (size > FEW_FRAMES) {
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
	struct mheap_site *s = mheap_site_of(h, &h->allocs, guid, a->stack,
	    err);
	uint32_t n;

	if (s == NULL)
		return PROF_FAIL;
	if (s->record != h->record) {
		s->record = h->record;
		s->seen = 0;
	}
	n = mheap_count_repeats(h, s->context, guid);
	if (n == 0)
		return err_memory(err);
	if (s->seen++ % n != 0)
		return PROF_OK;
	return mheap_add_mib(h, &s->info, &a->info, w, err);
}

enum prof_status
mheap_add_function(struct merge_heap *h,
    const struct prof_memprof_function *f, const struct merge_factor *w,
    struct prof_error *err)
{
	struct prof_span name = f->symbol.name;
	uint64_t guid = f->symbol.guid != 0 || name.data == NULL ?
	    f->symbol.guid : memprof_guid(name);
	uint64_t *known = id_map_add(&h->functions, guid, 0);
	uint32_t text = name.size == 0 ? 0 : mheap_text(h, name);

	if (known == NULL || text == MHEAP_NONE)
		return err_memory(err);
	/* Of two names with one guid, the first in the order of bytes stays. */
	if (text != 0 && (*known == 0 || prof_span_compare(name,
	    mheap_text_of(h, (uint32_t)*known)) < 0))
		*known = text;
	h->record++;
	for (size_t i = 0; i < f->allocs_size; i++) {
		if (mheap_add_alloc_site(h, guid, &f->alloc_sites[i], w, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	for (size_t i = 0; i < f->calls_size; i++) {
		const struct prof_call_site *c = &f->call_sites[i];
		struct mheap_site *s = mheap_site_of(h, &h->calls, guid,
		    c->stack, err);

		if (s == NULL)
			return PROF_FAIL;
		for (size_t k = 0; k < c->callees_size; k++) {
			if (!number_set_add(&s->callees, &h->arena,
			    c->callee_guids[k]))
				return err_memory(err);
		}
	}
	return PROF_OK;
}

/* The sum of a symbol or literal, added if it is new; NULL: no memory. */
static struct mheap_data *
mheap_data_of(struct merge_heap *h, const struct prof_data *d)
{
	uint32_t symbol = mheap_text(h, d->symbol), size = h->data_keys.size;
	uint64_t hash = d->symbol.data == NULL ? d->hash : 0;
	const uint32_t key[] = { symbol, (uint32_t)hash,
	    (uint32_t)(hash >> 32) };
	uint32_t item;

	if (symbol == MHEAP_NONE || !ARRAY_ROOM(h->data, size, h->data_room))
		return NULL;
	item = list_pool_add(&h->data_keys, key, 3);
	if (item == MHEAP_NONE)
		return NULL;
	if (item == size)
		h->data[item] = (struct mheap_data){ .symbol = symbol,
		    .hash = hash };
	return &h->data[item];
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
