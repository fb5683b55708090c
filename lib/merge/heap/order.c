#include "merge/heap/order.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/md5.h"
#include "base/number_sort.h"

/* How often the digests of equal modules are refined. */
enum { ROUNDS_MAX = 4 };

/* A thing to be sorted: compare functions of qsort get no argument. */
struct mheap_sorted {
	uint32_t item;
	const struct merge_heap *heap;
};

/* Segments with a build id come first. */
static int
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

static bool
mheap_same_module_digest(const struct mheap_module *a,
    const struct mheap_module *b)
{
	return mheap_compare_segments(&a->as, &b->as) == 0 &&
	    a->digest == b->digest;
}

static int
mheap_compare_modules(const void *a, const void *b)
{
	const struct mheap_sorted *x = a, *y = b;
	const struct mheap_module *m = &x->heap->modules.items[x->item];
	const struct mheap_module *n = &y->heap->modules.items[y->item];
	int order = mheap_compare_segments(&m->as, &n->as);

	if (order == 0)
		order = compare_u64(m->digest, n->digest);
	return order != 0 ? order : compare_u64(x->item, y->item);
}

/* Sorts the modules; returns how many are equal to the one before. */
static size_t
mheap_sort_modules(struct merge_heap *h, struct mheap_sorted *s)
{
	size_t n = h->modules.index.size, alike = 0;
	struct mheap_module *m = h->modules.items;

	for (size_t i = 0; i < n; i++)
		s[i] = (struct mheap_sorted){ (uint32_t)i, h };
	qsort(s, n, sizeof(*s), mheap_compare_modules);
	for (size_t i = 0; i < n; i++) {
		m[s[i].item].order = (uint32_t)i;
		alike += i > 0 && mheap_same_module_digest(&m[s[i - 1].item],
		    &m[s[i].item]);
	}
	return alike;
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

/* A digest of the stack and the statistics of a context. */
static uint64_t
mheap_digest_context(const struct merge_heap *h, const struct mheap_context *c)
{
	const struct mheap_stack *s = c->stack;
	const uint32_t *frames = mheap_frames(s);
	const uint32_t *modules = mheap_modules(h, s);
	uint64_t hash = s->frames_size;
	struct prof_mib info;

	for (size_t i = 0; i < s->frames_size; i++)
		hash = hash_mix(hash, h->frame_digests[frames[i]]);
	for (size_t i = 0; i < s->pcs_size; i++) {
		hash = hash_mix(hash, mheap_addresses(s)[i]);
		if (modules[i] != MHEAP_NONE)
			hash = hash_mix(hash,
			    h->modules.items[modules[i]].digest);
	}
	if (c->allocation == NULL)
		return hash;
	info = mheap_mib_sum(c->allocation);
	hash = hash_mix(hash, info.fields);
	for (size_t i = 0; i < PROF_MIB_FIELDS; i++)
		hash = hash_mix(hash, info.value[i]);
	return hash;
}

/*
 * Mixes into the digest of each module without build id the digests of all
 * contexts with addresses in it, and their places in the stacks.
 */
static bool
mheap_refine_digests(struct merge_heap *h)
{
	size_t n = h->modules.index.size;
	uint64_t *uses = calloc(n, sizeof(*uses));

	if (uses == NULL)
		return false;
	for (size_t i = 0; i < h->contexts.index.size; i++) {
		const struct mheap_context *c = &h->contexts.items[i];
		const uint32_t *modules = mheap_modules(h, c->stack);
		uint64_t hash = mheap_digest_context(h, c);

		for (size_t k = 0; k < c->stack->pcs_size; k++) {
			if (modules[k] != MHEAP_NONE)
				uses[modules[k]] += hash_mix(
				    hash_mix(hash, k), 1);
		}
	}
	for (size_t i = 0; i < n; i++) {
		struct mheap_module *m = &h->modules.items[i];

		if (m->as.build_id.size == 0)
			m->digest = hash_mix(hash_mix(0, m->digest), uses[i]);
	}
	free(uses);
	return true;
}

/*
 * Modules without build id may have the same range in many runs.  They are
 * ordered by the contexts that use them, whose digests depend on the modules
 * again, so that digests are refined until no more modules become different.
 * Exchanging modules that are equal then changes nothing in the output.
 */
static bool
mheap_order_modules(struct merge_heap *h, uint32_t **out)
{
	size_t n = h->modules.index.size;
	struct mheap_sorted *s = calloc(n + 1, sizeof(*s));
	size_t alike, before = SIZE_MAX;
	bool done = s != NULL;

	*out = calloc(n + 1, sizeof(**out));
	done = done && *out != NULL;
	for (unsigned i = 0; done; i++) {
		alike = mheap_sort_modules(h, s);
		if (alike == 0 || alike == before || i == ROUNDS_MAX)
			break;
		before = alike;
		done = mheap_refine_digests(h);
	}
	for (size_t i = 0; done && i < n; i++)
		(*out)[i] = s[i].item;
	free(s);
	return done;
}

static uint64_t
mheap_context_id(const struct merge_heap *h, const struct mheap_stack *s,
    struct buf *b)
{
	const uint32_t *modules = mheap_modules(h, s);

	buf_u64le(b, s->frames_size != 0);
	for (size_t i = 0; i < s->frames_size; i++)
		buf_u64le(b, h->frame_digests[mheap_frames(s)[i]]);
	for (size_t i = 0; s->by_address && i < s->pcs_size; i++) {
		buf_u64le(b, modules[i] == MHEAP_NONE ? 0 :
		    h->modules.items[modules[i]].digest);
		buf_u64le(b, mheap_addresses(s)[i]);
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
mheap_compare_pcs(const struct merge_heap *h, const struct mheap_stack *a,
    const struct mheap_stack *b, size_t i)
{
	int order = compare_u64(mheap_addresses(a)[i],
	    mheap_addresses(b)[i]);
	uint32_t m = mheap_modules(h, a)[i], n = mheap_modules(h, b)[i];

	if (order != 0 || m == n)
		return order;
	if (m == MHEAP_NONE || n == MHEAP_NONE)
		return m == MHEAP_NONE ? -1 : 1;
	return compare_u64(h->modules.items[m].order,
	    h->modules.items[n].order);
}

static int
mheap_compare_stacks(const struct merge_heap *h, const struct mheap_stack *a,
    const struct mheap_stack *b)
{
	int order = compare_u64(a->frames_size, b->frames_size);

	for (size_t i = 0; order == 0 && i < a->frames_size; i++)
		order = mheap_compare_frames(h, mheap_frames(a)[i],
		    mheap_frames(b)[i]);
	if (order == 0)
		order = compare_u64(a->by_address, b->by_address);
	if (order != 0 || !a->by_address)
		return order;
	order = compare_u64(a->pcs_size, b->pcs_size);
	for (size_t i = 0; order == 0 && i < a->pcs_size; i++)
		order = mheap_compare_pcs(h, a, b, i);
	return order;
}

static int
mheap_compare_contexts(const void *a, const void *b)
{
	const struct mheap_sorted *x = a, *y = b;
	const struct mheap_context *c = x->heap->contexts.items;

	return mheap_compare_stacks(x->heap, c[x->item].stack,
	    c[y->item].stack);
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
mheap_assign_ids(struct merge_heap *h, const struct number_sort_item *s,
    uint32_t *out, struct prof_error *err)
{
	uint64_t last = 0;

	for (size_t i = 0; i < h->contexts.index.size; i++) {
		uint64_t id = s[i].key;

		out[i] = s[i].item;
		if (!mheap_next_id(&last, i == 0, &id))
			return err_set(err, PROF_E_LIMIT,
			    "no id is left for a stack");
		h->contexts.items[out[i]].id = id;
	}
	return PROF_OK;
}

static enum prof_status
mheap_order_contexts(struct merge_heap *h, struct buf *b, uint32_t **out,
    struct prof_error *err)
{
	size_t n = h->contexts.index.size;
	struct number_sort_item *s = calloc(n + 1, sizeof(*s));
	enum prof_status status = PROF_FAIL;

	*out = calloc(n + 1, sizeof(**out));
	for (size_t i = 0; s != NULL && i < n; i++)
		s[i] = (struct number_sort_item){ mheap_context_id(h,
		    h->contexts.items[i].stack, b), (uint32_t)i };
	if (s == NULL || *out == NULL || b->failed ||
	    !mheap_sort_contexts(h, s, n))
		err_memory(err);
	else
		status = mheap_assign_ids(h, s, *out, err);
	free(s);
	return status;
}

enum prof_status
mheap_set_order(struct merge_heap *h, struct mheap_order *o,
    struct prof_error *err)
{
	struct buf b = { 0 };
	enum prof_status status;

	*o = (struct mheap_order){ NULL, NULL };
	mheap_digest_modules(h, &b);
	status = mheap_digest_frames(h, &b) && !b.failed &&
	    mheap_order_modules(h, &o->modules) ?
	    mheap_order_contexts(h, &b, &o->contexts, err) : err_memory(err);
	free(h->frame_digests);
	h->frame_digests = NULL;
	buf_free(&b);
	return status;
}
