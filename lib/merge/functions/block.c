#include "merge/functions/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/vector_add.h"
#include "base/error.h"
#include "base/prefetch.h"
#include "merge/engine.h"

/* The sum of a count below this and one below its half is not too large. */
#define SUMS_SMALL ((uint64_t)1 << 63)

/*
 * Layouts that are remembered, the oldest of more being forgotten; and functions
 * whose places are sent for.
 */
enum { LAYOUTS = 8, AHEAD = 8 };

/* Where the functions of a block are, one behind the other. */
struct place {
	size_t entry;			/* of the first */
	uint64_t *counts;		/* of all; NULL: they are scattered */
	size_t replaced;		/* merge.replaced as last looked at */
	bool met, sorted;		/* sorted: all value sites are */
	bool names_last;
};

struct layout {
	size_t number;			/* 0: none */
	bool names_last;
	size_t size, room;
	struct place *places;		/* by index */
};

struct merge_blocks {
	struct layout layouts[LAYOUTS];
	size_t next;			/* to be forgotten */
	/* Names that the entries have are in them, even of what is forgotten. */
	void *held[LAYOUTS];
	size_t held_size;
};

void
merge_blocks_free(struct merge_blocks *b)
{
	for (size_t i = 0; b != NULL && i < LAYOUTS; i++) {
		free(b->layouts[i].places);
		prof_release(b->held[i]);
	}
	free(b);
}

static struct layout *
layout_of(struct merge_blocks *blocks, const struct prof_block *b)
{
	struct layout *l = blocks->layouts;

	for (size_t i = 0; i < LAYOUTS; i++) {
		if (l[i].number == b->layout)
			return &l[i];
	}
	l += blocks->next++ % LAYOUTS;
	l->number = b->layout;
	l->size = 0;
	if (blocks->held_size < LAYOUTS)
		blocks->held[blocks->held_size] = prof_block_retain(b);
	l->names_last = blocks->held_size < LAYOUTS &&
	    blocks->held[blocks->held_size] != NULL;
	blocks->held_size += l->names_last;
	return l;
}

/* The place of a block, which is empty at first; NULL: out of memory. */
static struct place *
place_of(struct merge *m, const struct prof_block *b)
{
	struct layout *l;

	if (m->blocks == NULL)
		m->blocks = calloc(1, sizeof(*m->blocks));
	if (m->blocks == NULL)
		return NULL;
	l = layout_of(m->blocks, b);
	while (l->size <= b->index) {
		struct place *p = array_room(l->places, l->size, &l->room,
		    sizeof(*p));

		if (p == NULL)
			return NULL;
		l->places = p;
		p[l->size++] = (struct place){ .names_last = l->names_last };
	}
	return &l->places[b->index];
}

static enum prof_status
add_each(struct merge_worker *d, const struct prof_block *b,
    const struct merge_factor *w, struct prof_error *err)
{
	const struct prof_function *f = prof_block_functions(b, err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; i < b->size && status == PROF_OK; i++)
		status = merge_function(d, &f[i], w, err);
	return status;
}

/* Whether the function just added is a new entry, in its place. */
static bool
is_placed(const struct merge_worker *d, const struct prof_block *b,
    const struct prof_function *f, size_t entry)
{
	const struct merge_entry *e = merge_entry_at(d->merge, entry);

	return d->next - 1 == entry && e->added == 1 && !e->pseudo &&
	    e->counts == d->lent.to + (f->counts - b->counts);
}

/* The first block of its kind: its counters are kept together if they can. */
static enum prof_status
add_first(struct merge_worker *d, const struct prof_block *b,
    const struct merge_factor *w, struct place *place, struct prof_error *err)
{
	const struct prof_function *f = prof_block_functions(b, err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;
	uint64_t *counts;
	bool together = true;

	place->met = true;
	place->replaced = __atomic_load_n(&d->merge->replaced,
	    __ATOMIC_ACQUIRE);
	if (f == NULL || merge_knows(d->merge, f))
		return f == NULL ? PROF_FAIL : add_each(d, b, w, err);
	counts = arena_array(d->arena, b->counts_size, sizeof(*counts));
	if (counts == NULL || (b->index == 0 && !merge_reserve(d, b->of)))
		return err_memory(err);
	memcpy(counts, b->counts, b->counts_size * sizeof(*counts));
	d->lent = (struct merge_lent){ b->counts, b->counts_size, counts,
	    place->names_last };
	for (size_t i = 0; i < b->size && status == PROF_OK; i++) {
		if (i + AHEAD < b->size)
			merge_prefetch(d, &f[i + AHEAD].symbol,
			    f[i + AHEAD].hash);
		status = merge_function(d, &f[i], w, err);
		if (i == 0)
			place->entry = d->next - 1;
		together = together && is_placed(d, b, &f[i],
		    place->entry + i);
	}
	d->lent.size = 0;
	place->counts = together ? counts : NULL;
	return status;
}

/* Entries that were replaced by others of their name lie elsewhere. */
static bool
still_together(const struct merge *m, struct place *place,
    const struct prof_block *b)
{
	size_t replaced = __atomic_load_n(&m->replaced, __ATOMIC_ACQUIRE);

	if (place->counts == NULL || place->replaced == replaced)
		return place->counts != NULL;
	for (size_t i = 0; i < b->size; i++) {
		const struct merge_entry *e =
		    merge_entry_at(m, place->entry + i);

		if (e->pseudo || e->counts < place->counts ||
		    e->counts >= place->counts + b->counts_size) {
			place->counts = NULL;
			return false;
		}
	}
	place->replaced = replaced;
	return true;
}

/* False if some sum may be too large: nothing was added then. */
static bool
add_counts(uint64_t *into, const struct prof_block *b)
{
	if (b->any_bits >= SUMS_SMALL / 2)
		return false;
	if (vector_add(into, b->counts, b->counts_size) < SUMS_SMALL)
		return true;
	/* Sums are modulo 2^64, and can be taken back. */
	for (size_t i = 0; i < b->counts_size; i++)
		into[i] -= b->counts[i];
	return false;
}

/* What leads to the value sites of a function, a step at a time. */
PREFETCH_INLINE void
fetch_values(const struct merge *m, const struct place *place,
    const struct prof_block_values *v, int step)
{
	const struct merge_entry *e =
	    merge_entry_at(m, place->entry + v->function);

	if (step == 0) {
		__builtin_prefetch(&e->values);
	} else if (step == 1) {
		__builtin_prefetch(e->values);
		__builtin_prefetch((const char *)e->values + 64);
	} else {
		for (int k = 0; e->values != NULL && k < PROF_VALUE_KINDS; k++)
			__builtin_prefetch(e->values->sites[k]);
	}
}

static bool
add_values_of(struct merge_worker *d, const struct prof_block *b,
    const struct place *place, const struct prof_block_values *v)
{
	struct merge_entry *e =
	    merge_entry_at(d->merge, place->entry + v->function);

	if (!place->sorted)
		merge_sort_values(e);
	return !v->any || merge_function_values(d, e, v->values, b);
}

/*
 * Value sites lie scattered, and each leads to the next: what a step needs was
 * sent for some functions before.
 */
static enum prof_status
add_values(struct merge_worker *d, const struct prof_block *b,
    struct place *place, struct prof_error *err)
{
	enum { STEPS = 3 };
	size_t n = b->values_size;

	for (size_t i = 0; i < n + STEPS * AHEAD; i++) {
		for (int step = 0; step < STEPS; step++) {
			size_t at = i - (size_t)step * AHEAD;

			/* Those before the first are above all, too. */
			if (at < n)
				fetch_values(d->merge, place, &b->values[at],
				    step);
		}
		if (i >= STEPS * AHEAD && !add_values_of(d, b, place,
		    &b->values[i - STEPS * AHEAD]))
			return err_memory(err);
	}
	place->sorted = true;
	return PROF_OK;
}

/* To all at once; PROF_END if that cannot be. */
static enum prof_status
add_whole(struct merge_worker *d, const struct prof_block *b,
    struct place *place, struct prof_error *err)
{
	if (place->counts == NULL)
		return PROF_END;
	merge_feed_hold(d, place->entry, b->size);
	if (!still_together(d->merge, place, b) ||
	    !add_counts(place->counts, b))
		return PROF_END;
	return add_values(d, b, place, err);
}

/* What is found out of a place by one thread is for the others too. */
static enum prof_status
with_place(struct merge_worker *d, const struct prof_block *b,
    const struct merge_factor *w, struct place *mine, struct prof_error *err)
{
	enum prof_status status = PROF_END;
	struct place *place;

	merge_worker_lock_blocks(d);
	place = place_of(d->merge, b);
	if (place != NULL)
		d->lent.names = place->names_last;
	if (place == NULL)
		status = err_memory(err);
	else if (mine->met)
		*place = *mine;
	else if (place->met)
		*mine = *place;
	else
		status = add_first(d, b, w, place, err);
	merge_worker_unlock_blocks(d);
	return status;
}

static enum prof_status
add_block(struct merge_worker *d, const struct prof_block *b,
    const struct merge_factor *w, struct prof_error *err)
{
	struct place place = { .counts = NULL }, before;
	enum prof_status status = with_place(d, b, w, &place, err);

	if (status != PROF_END)
		return status;
	before = place;
	if (w->times == 1 && w->parts == 1)
		status = add_whole(d, b, &place, err);
	if (place.counts != before.counts || place.sorted != before.sorted ||
	    place.replaced != before.replaced)
		with_place(d, b, w, &place, err);
	return status == PROF_END ? add_each(d, b, w, err) : status;
}

enum prof_status
merge_block(struct merge_worker *d, const struct prof_block *b,
    const struct merge_factor *w, struct prof_error *err)
{
	enum prof_status status;

	if (merge_worker_header(d, err) != PROF_OK)
		return PROF_FAIL;
	status = add_block(d, b, w, err);
	d->lent.names = false;
	return status;
}
