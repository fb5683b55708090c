/*
 * Stacks and allocations become contexts of the sum; functions with their alloc
 * and call sites, and symbols of data.
 *
 * Looking up the range of each address of each stack would take most of the
 * time of a merge: neighbouring addresses mostly are in one of two ranges,
 * which are tried first (mheap_place_absolute).
 */
#include "merge/heap.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "base/numbers.h"
#include "merge/state.h"
#include "model/heap.h"
#include "model/mib.h"

/* The number of a text, from 1, or MHEAP_NONE if out of memory. */
static uint32_t
mheap_text(struct merge_heap *h, struct prof_span text)
{
	uint32_t n;

	if (text.data == NULL)
		return 0;
	n = intern_add(&h->frames.texts, text.data, text.size);
	return n == INDEX_NONE ? MHEAP_NONE : n + 1;
}

/*
 * Sets the members that follow from others (the guid of a name, the offset of a
 * line), so that frames are equal whether a profile stores these or not.
 */
static uint32_t
mheap_frame(struct merge_heap *h, const struct prof_frame *from)
{
	const unsigned lines = PROF_FRAME_LINE | PROF_FRAME_START_LINE;
	struct prof_frame f = *from;

	f.function.guid = memprof_symbol_guid(&f.function);
	if ((f.flags & lines) == lines &&
	    (f.flags & PROF_FRAME_LINE_OFFSET) == 0) {
		f.flags |= PROF_FRAME_LINE_OFFSET;
		f.line_offset = f.line - f.start_line;
	}
	return frame_pool_add(&h->frames, &f);
}

bool
mheap_mib_add(struct mib_sum *h, const struct prof_mib *m,
    const struct merge_factor *w, struct arena *a)
{
	struct prof_mib weighed = *m;
	uint64_t size = m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE], *counts;
	uint32_t saturated = 0;

	if (merge_is_unscaled(w))
		return mib_sum_add(h, m, a);
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if ((MIB_SUMMED >> f & 1) != 0 && (!merge_weigh_fits(w,
		    m->value[f], &weighed.value[f]) ||
		    weighed.value[f] > mib_max(f))) {
			weighed.value[f] = mib_max(f);
			saturated |= UINT32_C(1) << f;
		}
	}
	if (m->histogram != NULL) {
		if (size > SIZE_MAX / sizeof(*counts))
			return false;
		counts = arena_array(a, (size_t)size, sizeof(*counts));
		if (counts == NULL)
			return false;
		for (size_t i = 0; i < size; i++) {
			if (!merge_weigh_fits(w, m->histogram[i], &counts[i]))
				saturated |= MIB_SATURATED_HISTOGRAM;
		}
		weighed.histogram = counts;
	}
	if (!mib_sum_add(h, &weighed, a))
		return false;
	h->saturated |= saturated;
	return true;
}

int
mheap_compare_segments(const struct prof_segment *a,
    const struct prof_segment *b)
{
	int order = compare_u64(a->build_id.size == 0,
	    b->build_id.size == 0);

	if (order == 0)
		order = prof_span_compare(a->build_id, b->build_id);
	if (order == 0)
		order = compare_u64(a->file_addresses, b->file_addresses);
	if (order == 0)
		order = compare_u64(a->has_range, b->has_range);
	if (order == 0)
		order = compare_u64(a->start, b->start);
	if (order == 0)
		order = compare_u64(a->end, b->end);
	return order != 0 ? order : compare_u64(a->offset, b->offset);
}

struct mheap_module_key {
	const struct merge_heap *heap;
	const struct prof_segment *segment;
};

static bool
mheap_same_module(const void *arg, uint32_t item)
{
	const struct mheap_module_key *k = arg;

	return mheap_compare_segments(&k->heap->modules.items[item].as,
	    k->segment) == 0;
}

/* Without build id, segments of one range are one module. */
static uint32_t
mheap_module_of(struct merge_heap *h, const struct prof_segment *s)
{
	struct mheap_module m = { .as = *s };
	const struct mheap_module_key key = { h, &m.as };
	uint64_t hash;
	uint32_t item;

	m.as.id = 0;
	if (s->build_id.size != 0)
		m.as = (struct prof_segment){ .build_id = s->build_id,
		    .file_addresses = s->file_addresses };
	hash = hash_mix(hash_span(h->seed, s->build_id), m.as.start);
	item = hash_index_find(&h->modules.index, hash, mheap_same_module,
	    &key);
	if (item != MHEAP_NONE)
		return item;
	if (arena_keep(&h->arena, &m.as.build_id) &&
	    (item = MHEAP_NEXT(h->modules, hash)) != MHEAP_NONE)
		h->modules.items[item] = m;
	return item;
}

enum prof_status
mheap_add_segment(struct merge_heap *h, const struct prof_segment *s,
    struct prof_error *err)
{
	struct mheap_local *l = &h->local;
	enum prof_status status = heap_refs_add_segment(&l->refs, s, err);
	size_t place = l->refs.segments.size - 1;
	uint32_t module;

	if (status != PROF_OK)
		return status == PROF_END ? PROF_OK : PROF_FAIL;
	module = mheap_module_of(h, s);
	if (module == MHEAP_NONE ||
	    !ARRAY_ROOM(l->modules, place, l->modules_room) ||
	    !ARRAY_ROOM(l->ranges, l->ranges_size, l->ranges_room))
		return err_memory(err);
	l->modules[place] = module;
	/*
	 * Absolute addresses of a sum were in no segment of any input, and its
	 * segments that have a range are of different runs and may overlap: the
	 * ranges of a sum are not used.
	 */
	if (!s->has_range || l->refs.is_sum)
		return PROF_OK;
	if (l->ranges_size == UINT32_MAX || !intervals_add(&l->by_address,
	    s->start, s->end, UINT32_MAX - (uint32_t)l->ranges_size))
		return err_memory(err);
	l->ranges[l->ranges_size++] = (struct mheap_range){ s->start,
	    s->end - s->start, s->file_addresses ? s->offset - s->start :
	    -s->offset, module };
	return PROF_OK;
}

/*
 * Finds the range with the address: the part of it that is in no range before
 * it.  An address outside of all ranges gets a range of one byte without
 * module.  Sorts the ranges at the first call; false if out of memory.
 */
static bool
mheap_find_range(struct mheap_local *l, uint64_t pc, struct mheap_range *out)
{
	const struct interval *found;

	if (!l->refs.placed && !intervals_build(&l->by_address))
		return false;
	l->refs.placed = true;
	found = intervals_find(&l->by_address, pc);
	if (found == NULL) {
		*out = (struct mheap_range){ .start = pc, .size = 1,
		    .module = MHEAP_NONE };
		return true;
	}
	*out = l->ranges[UINT32_MAX - found->rank];
	out->start = found->start;
	out->size = found->end - found->start;
	return true;
}

static void
mheap_set_address(uint32_t *to, uint64_t address)
{
	to[0] = (uint32_t)address;
	to[1] = (uint32_t)(address >> 32);
}

/*
 * Places absolute addresses, of which several in a row are in one range.  False
 * if out of memory.
 */
static bool
mheap_place_absolute(struct mheap_local *l, const uint64_t *pcs, size_t size,
    uint32_t *addresses, uint32_t *modules)
{
	for (size_t i = 0; i < size;) {
		const struct mheap_range r = l->recent[l->last];
		struct mheap_range *other;

		for (; i < size && pcs[i] - r.start < r.size; i++) {
			mheap_set_address(addresses + 2 * i, pcs[i] + r.shift);
			modules[i] = r.module;
		}
		if (i == size)
			break;
		/*
		 * Calls often go back and forth between two modules, so that
		 * the other recent range is tried first.
		 */
		other = &l->recent[!l->last];
		l->last = !l->last;
		if (pcs[i] - other->start >= other->size &&
		    !mheap_find_range(l, pcs[i], other))
			return false;
	}
	return true;
}

/* Sets the addresses of a stack, and in h->list their modules. */
static enum prof_status
mheap_place_all(struct merge_heap *h, const struct prof_stack *s,
    uint32_t *addresses, struct prof_error *err)
{
	struct mheap_local *l = &h->local;

	if (s->segments == NULL)
		return mheap_place_absolute(l, s->pcs, s->pcs_size, addresses,
		    h->list) ? PROF_OK : err_memory(err);
	for (size_t i = 0; i < s->pcs_size; i++) {
		uint32_t place;

		if (s->segments[i] == PROF_NO_SEGMENT) {
			if (!mheap_place_absolute(l, &s->pcs[i], 1,
			    addresses + 2 * i, &h->list[i]))
				return err_memory(err);
			continue;
		}
		if (heap_refs_segment_of(&l->refs, s, i, &place, err) !=
		    PROF_OK)
			return PROF_FAIL;
		mheap_set_address(addresses + 2 * i, s->pcs[i]);
		h->list[i] = l->modules[place];
	}
	return PROF_OK;
}

/* Sets the number of the list of modules, and behind it the addresses. */
static enum prof_status
mheap_place_pcs(struct merge_heap *h, const struct prof_stack *s,
    uint32_t *to, struct prof_error *err)
{
	const struct list_pool_entry *last;
	size_t size = s->pcs_size;

	if (!ARRAY_RESERVE(h->list, 0, size, h->list_room))
		return err_memory(err);
	if (mheap_place_all(h, s, to + 1, err) != PROF_OK)
		return PROF_FAIL;
	/* The list mostly equals that of the last stack. */
	last = h->modules_of.size == 0 ? NULL :
	    &h->modules_of.items[h->last_list];
	if (last == NULL || last->size != size || (size != 0 &&
	    memcmp(last->numbers, h->list, size * sizeof(*h->list)) != 0))
		h->last_list = list_pool_add(&h->modules_of, h->list,
		    (uint32_t)size);
	to[0] = h->last_list;
	if (h->last_list != INDEX_NONE)
		return PROF_OK;
	h->last_list = 0;
	return err_memory(err);
}

/* The i-th frame of a stack; see mheap_pending_record. */
static const struct prof_frame *
mheap_frame_of(const struct merge_heap *h, const struct prof_stack *s, size_t i)
{
	return s->frames != NULL ? &s->frames[i] :
	    &h->frames.frames[s->frame_numbers[i]];
}

/* Its number in the sum, or MHEAP_NONE if out of memory. */
static uint32_t
mheap_number_of(struct merge_heap *h, const struct prof_stack *s, size_t i)
{
	uint32_t *known;

	if (s->frame_numbers == NULL)
		return mheap_frame(h, &s->frames[i]);
	known = frame_numbers_at(&h->local.frames, s->frame_numbers[i]);
	if (known != NULL && *known == MHEAP_NONE)
		*known = mheap_frame(h, mheap_frame_of(h, s, i));
	return known == NULL ? MHEAP_NONE : *known;
}

/* Whether no frame tells what one of the addresses is. */
static bool
mheap_has_unknown_address(const struct merge_heap *h,
    const struct prof_stack *s)
{
	bool unknown = s->frames_size == 0;

	if (s->pcs_size == 0)
		return false;
	for (size_t i = 0; i < s->frames_size && !unknown; i++)
		unknown = frame_is_empty(mheap_frame_of(h, s, i));
	return unknown;
}

/* The context of a stack that was not there; false if out of memory. */
static bool
mheap_new_context(struct merge_heap *h, struct mheap_context *c,
    const uint32_t *pcs, uint32_t pcs_size, bool by_address)
{
	const uint32_t *stack = h->stacks.items[h->stacks.size - 1].numbers;

	*c = (struct mheap_context){ .pcs_size = pcs_size,
	    .modules = pcs[0] };
	if (by_address)
		c->pcs = stack + stack[0] + 2;
	else if (pcs_size != 0)
		c->pcs = (const void *)arena_copy(&h->arena,
		    (struct prof_span){ (const uint8_t *)(pcs + 1),
		    pcs_size * 2 * sizeof(*pcs) }).data;
	return c->pcs != NULL || pcs_size == 0;
}

/* The context of a stack, added if it is new. */
static enum prof_status
mheap_find_context(struct merge_heap *h, const struct prof_stack *s,
    uint32_t *out, struct prof_error *err)
{
	const uint32_t size = h->stacks.size;
	struct mheap_context *c;
	bool by_address;
	uint32_t *pcs;
	size_t n;

	if (s->pcs_size >= UINT32_MAX / 4 || s->frames_size >= UINT32_MAX / 4)
		return err_set(err, PROF_E_LIMIT, "stack 0x%016llx has more "
		    "than 2^30 entries", (unsigned long long)s->id);
	n = 2 + s->frames_size + 2 * s->pcs_size;
	if (!ARRAY_RESERVE(h->key, 0, n, h->key_room) ||
	    !ARRAY_ROOM(h->contexts, size, h->contexts_room))
		return err_memory(err);
	h->key[0] = (uint32_t)s->frames_size;
	for (size_t i = 0; i < s->frames_size; i++) {
		h->key[i + 1] = mheap_number_of(h, s, i);
		if (h->key[i + 1] == MHEAP_NONE)
			return err_memory(err);
	}
	pcs = h->key + 1 + s->frames_size;
	if (mheap_place_pcs(h, s, pcs, err) != PROF_OK)
		return PROF_FAIL;
	by_address = mheap_has_unknown_address(h, s);
	*out = list_pool_add(&h->stacks, h->key, (uint32_t)(by_address ? n :
	    s->frames_size + 1));
	if (*out == INDEX_NONE)
		return err_memory(err);
	c = &h->contexts[*out];
	if (*out == size)
		return mheap_new_context(h, c, pcs, (uint32_t)s->pcs_size,
		    by_address) ? PROF_OK : err_memory(err);
	/* Addresses beside frames are dropped if they are not the same. */
	if (!by_address && c->pcs_size != 0 && (c->pcs_size != s->pcs_size ||
	    c->modules != pcs[0] || memcmp(c->pcs, pcs + 1,
	    s->pcs_size * 2 * sizeof(*pcs)) != 0))
		c->pcs_size = 0;
	return PROF_OK;
}

enum prof_status
mheap_add_stack(struct merge_heap *h, const struct prof_stack *s,
    struct prof_error *err)
{
	uint32_t item = MHEAP_NONE;

	return mheap_find_context(h, s, &item, err) == PROF_OK ?
	    heap_refs_add_stack(&h->local.refs, s->id, item, err) : PROF_FAIL;
}

/* The context of a stack id of the profile that is being read. */
static enum prof_status
mheap_context_of_id(struct merge_heap *h, uint64_t stack, uint32_t *out,
    struct prof_error *err)
{
	uint64_t context = 0;

	if (heap_refs_find_stack(&h->local.refs, stack, &context, err) !=
	    PROF_OK)
		return PROF_FAIL;
	*out = (uint32_t)context;
	return PROF_OK;
}

/* Adds statistics to a sum, which is NULL before the first are added. */
static enum prof_status
mheap_add_mib(struct merge_heap *h, struct mib_sum **sum,
    const struct prof_mib *info, const struct merge_factor *w,
    struct prof_error *err)
{
	if (*sum == NULL) {
		*sum = arena_alloc(&h->arena, sizeof(**sum));
		if (*sum == NULL)
			return err_memory(err);
		**sum = (struct mib_sum){ .any = false };
	}
	return mheap_mib_add(*sum, info, w, &h->arena) ? PROF_OK :
	    err_memory(err);
}

enum prof_status
mheap_add_allocation(struct merge_heap *h, const struct prof_allocation *a,
    const struct merge_factor *w, struct prof_error *err)
{
	uint32_t item;

	if (mheap_context_of_id(h, a->stack, &item, err) != PROF_OK)
		return PROF_FAIL;
	return mheap_add_mib(h, &h->contexts[item].allocation, &a->info, w,
	    err);
}

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

/* The site of a stack in a function, added if missing; NULL after a failure. */
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

int
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

/* The sum of a symbol or literal, added if missing; NULL if out of memory. */
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
