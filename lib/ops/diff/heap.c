#include "ops/diff/heap.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
#include "model/heap.h"

/* Appends the part of a context's key that stands for a frame. */
static void
diff_heap_put_frame(struct buf *b, const struct heap *h,
    const struct heap_frame *f)
{
	const struct prof_frame *s = &f->source;
	uint64_t guid = s->function.guid;
	uint32_t line = s->line - s->start_line;

	if (heap_is_source(f)) {
		if (s->flags & PROF_FRAME_LINE_OFFSET)
			line = s->line_offset;
		if (s->function.name.size != 0)
			guid = memprof_guid(s->function.name);
		buf_u8(b, 's');
		buf_u64le(b, guid);
		buf_u32le(b, line);
		buf_u32le(b, s->column);
		return;
	}
	buf_u8(b, f->has_address ? 'a' : '?');
	buf_u64le(b, f->address);
	if (f->module == HEAP_NO_MODULE)
		return;
	buf_u64le(b, h->modules[f->module].build_id.size);
	buf_put(b, h->modules[f->module].build_id.data,
	    h->modules[f->module].build_id.size);
}

static enum prof_status
diff_heap_add_context(struct diff_heap *d, int side,
    const struct heap_context *c, struct buf *key, struct prof_error *err)
{
	const struct heap *h = d->heaps[side];
	struct diff_context *p;
	uint32_t n;

	key->size = 0;
	for (size_t i = 0; i < c->size; i++)
		diff_heap_put_frame(key, h, &h->frames[c->frames[i]]);
	if (!ARRAY_ROOM(d->changes, d->size, d->room) || key->failed)
		return err_memory(err);
	n = intern_add(&d->keys, key->data, key->size);
	if (n == INDEX_NONE)
		return err_memory(err);
	if (n == d->size)
		d->changes[d->size++] = (struct diff_context){
		    .allocations = { 0 } };
	p = &d->changes[n];
	/* Contexts that differ only in files or lines of functions are one. */
	if (p->context[side] == NULL)
		p->context[side] = c;
	p->change.count[side] = saturating_add(p->change.count[side],
	    c->info.value[PROF_MIB_TOTAL_SIZE]);
	p->allocations[side] = saturating_add(p->allocations[side],
	    c->info.value[PROF_MIB_ALLOC_COUNT]);
	return PROF_OK;
}

static void
diff_heap_set_shares(struct diff_heap *d)
{
	struct overlap *o = &d->overlap;
	struct overlap_measure *m = &o->counts;

	for (size_t i = 0; i < d->size; i++) {
		const struct diff_context *c = &d->changes[i];

		for (int s = 0; s < OVERLAP_SIDES; s++) {
			o->records[s] += c->context[s] != NULL;
			overlap_total_add(m, s, c->change.count[s]);
		}
	}
	overlap_round_sums(o);
	for (size_t i = 0; i < d->size; i++) {
		struct diff_context *c = &d->changes[i];
		double *x = c->change.share;

		for (int s = 0; s < OVERLAP_SIDES; s++)
			x[s] = overlap_share(c->change.count[s], m->sum[s]);
		overlap_shares_add(&m->overlap, x[OVERLAP_OLD] <
		    x[OVERLAP_NEW] ? x[OVERLAP_OLD] : x[OVERLAP_NEW]);
		c->change.state = c->context[OVERLAP_OLD] == NULL ?
		    OVERLAP_NEWLY_RUN : c->context[OVERLAP_NEW] == NULL ?
		    OVERLAP_NO_LONGER_RUN : overlap_drift(x) > 0 ?
		    OVERLAP_CHANGED : OVERLAP_UNCHANGED;
		overlap_add_state(o, c->change.state, x);
		o->common += c->context[OVERLAP_OLD] != NULL &&
		    c->context[OVERLAP_NEW] != NULL;
		c->change.key = overlap_key(d->sort, c->change.count, x);
		d->changed += c->change.key > 0;
	}
}

/* Ties are broken by the order of the contexts in the heaps. */
static int
diff_heap_by_key(const void *a, const void *b)
{
	const struct diff_context *x = a, *y = b;
	double dx = x->change.key, dy = y->change.key;

	if (!(dx > dy || dx < dy)) {
		dx = overlap_drift(x->change.share);
		dy = overlap_drift(y->change.share);
	}
	if (dx > dy || dx < dy)
		return dx > dy ? -1 : 1;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (x->context[s] != y->context[s])
			return x->context[s] < y->context[s] ? -1 : 1;
	}
	return 0;
}

enum prof_status
diff_heap_compare(struct diff_heap *d, const struct heap *a,
    const struct heap *b, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct buf key = { 0 };

	d->heaps[OVERLAP_OLD] = a;
	d->heaps[OVERLAP_NEW] = b;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		for (size_t i = 0; i < d->heaps[s]->contexts_size &&
		    status == PROF_OK; i++)
			status = diff_heap_add_context(d, s,
			    &d->heaps[s]->contexts[i], &key, err);
	}
	buf_free(&key);
	if (status != PROF_OK)
		return status;
	diff_heap_set_shares(d);
	if (d->size > 1)
		qsort(d->changes, d->size, sizeof(*d->changes),
		    diff_heap_by_key);
	return PROF_OK;
}

void
diff_heap_free(struct diff_heap *d)
{
	intern_free(&d->keys);
	free(d->changes);
	*d = (struct diff_heap){ .size = 0 };
}
