/*
 * Blocks of functions, added as arrays of counters.
 *
 * A reader that has learned the layout of a program returns its functions in
 * blocks: the same functions in the same order in each profile (prof.h).  Most
 * of the time of a merge goes there, so that blocks are added as a whole:
 *
 * - The first block of a layout and index is added function by function.  Its
 *   counters are copied as one array, and if all its functions are new, their
 *   entries are numbered in a row and point into that array.
 * - Later blocks of that layout and index add their counters to the array in
 *   one loop, without looking up any function.  Value sites are added through
 *   the entries.
 * - If that is not possible (the first block had functions that were there
 *   before; a count may reach its limit; the profile has a weight; an entry got
 *   other counters from a record of a higher class), the block is added
 *   function by function.
 */
#include "merge/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/numbers.h"

/*
 * Counts below half of this and sums below this are added without comparing
 * each of them with PROF_COUNT_MAX.  Where only zeros are added, sums are not
 * looked at, so that a block has no array if a count was as large before.
 */
#define SUMS_SMALL ((uint64_t)1 << 63)

/* Layouts that are cached (the oldest is evicted); functions prefetched. */
enum { LAYOUTS = 8, AHEAD = 8 };

/* Where the functions of the blocks of one layout and index are in the sum. */
struct block_place {
	size_t entry;			/* number of the first; in a row */
	uint64_t *counts;		/* of all; NULL: add one by one */
	size_t replaced;		/* merge.replaced when last checked */
	bool known;			/* the first block was added */
	bool sorted;			/* all value sites are sorted */
	bool names_stay;		/* as in the layout */
};

struct block_layout {
	size_t number;			/* prof_block.layout; 0: none */
	bool names_stay;		/* its names are retained */
	size_t size, room;
	struct block_place *places;	/* by prof_block.index */
};

struct merge_blocks {
	struct block_layout layouts[LAYOUTS];
	size_t evict;			/* layout to be evicted next */
	/*
	 * What prof_block_retain returned.  Names borrowed by entries stay
	 * valid here even after their layout is evicted.
	 */
	void *retained[LAYOUTS];
	size_t retained_size;
};

void
merge_blocks_free(struct merge_blocks *b)
{
	for (size_t i = 0; b != NULL && i < LAYOUTS; i++) {
		free(b->layouts[i].places);
		prof_release(b->retained[i]);
	}
	free(b);
}

static struct block_layout *
merge_block_layout(struct merge_blocks *blocks, const struct prof_block *b)
{
	struct block_layout *l = blocks->layouts;

	for (size_t i = 0; i < LAYOUTS; i++) {
		if (l[i].number == b->layout)
			return &l[i];
	}
	l += blocks->evict++ % LAYOUTS;
	l->number = b->layout;
	l->size = 0;
	if (blocks->retained_size < LAYOUTS)
		blocks->retained[blocks->retained_size] = prof_block_retain(b);
	l->names_stay = blocks->retained_size < LAYOUTS &&
	    blocks->retained[blocks->retained_size] != NULL;
	blocks->retained_size += l->names_stay;
	return l;
}

/* The place of a block, not known at first; NULL if out of memory. */
static struct block_place *
merge_block_place(struct merge *m, const struct prof_block *b)
{
	struct block_layout *l;

	if (m->blocks == NULL)
		m->blocks = calloc(1, sizeof(*m->blocks));
	if (m->blocks == NULL)
		return NULL;
	l = merge_block_layout(m->blocks, b);
	while (l->size <= b->index) {
		if (!ARRAY_ADD(l->places, l->size, l->room,
		    (struct block_place){ .names_stay = l->names_stay }))
			return NULL;
	}
	return &l->places[b->index];
}

static enum prof_status
merge_add_each_function(struct merge_worker *worker,
    const struct prof_function *f, size_t n, const struct merge_factor *w,
    struct prof_error *err)
{
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; i < n && status == PROF_OK; i++) {
		if (i + AHEAD < n)
			merge_table_prefetch(worker, &f[i + AHEAD].symbol,
			    f[i + AHEAD].hash);
		status = merge_add_function(worker, &f[i], w, err);
	}
	return status;
}

/* Copies a block's counters as one array.  False if out of memory. */
static bool
merge_copy_block_counts(struct merge_worker *worker,
    const struct prof_block *b)
{
	uint64_t *counts = arena_array(worker->arena, b->counts_size,
	    sizeof(*counts));

	if (counts == NULL ||
	    (b->index == 0 && !merge_table_reserve(worker, b->of)))
		return false;
	memcpy(counts, b->counts, b->counts_size * sizeof(*counts));
	worker->copied = (struct merge_copied){ b->counts, b->counts_size,
	    counts };
	return true;
}

/*
 * Whether the functions of a block have entries in a row, to which counters and
 * values are all that is added: of their classes, with their names, and without
 * rare members.
 */
static bool
merge_block_has_entries(const struct merge *m, const struct prof_block *b,
    const struct prof_function *f, size_t entry)
{
	size_t size = __atomic_load_n(&m->size, __ATOMIC_ACQUIRE);

	if (size < b->size || entry > size - b->size)
		return false;
	for (size_t i = 0; i < b->size; i++) {
		const struct merge_entry *e = merge_entry_at(m, entry + i);

		if (e->guid != prof_symbol_guid(&f[i].symbol) ||
		    e->hash != f[i].hash || e->pseudo || e->rare != NULL ||
		    e->conflict || !merge_entry_fits(e, &f[i]) ||
		    (e->name.data == NULL && f[i].symbol.name.data != NULL))
			return false;
	}
	return true;
}

/* Moves the counters of entries in a row to one array; NULL: no memory. */
static uint64_t *
merge_join_counts(struct merge_worker *worker, size_t entry,
    const struct prof_block *b)
{
	struct merge *m = worker->merge;
	uint64_t *joined = arena_array(worker->arena, b->counts_size,
	    sizeof(*joined)), *counts = joined;

	for (size_t i = 0; i < b->size && counts != NULL; i++) {
		struct merge_entry *e = merge_entry_at(m, entry + i);

		if (e->counts_size != 0)
			memcpy(counts, e->counts, e->counts_size *
			    sizeof(*counts));
		e->counts = counts;
		counts += e->counts_size;
	}
	__atomic_add_fetch(&m->replaced, 1, __ATOMIC_RELEASE);
	return joined;
}

/*
 * Finds the place of a block whose functions were added, one by one: if their
 * entries are in a row, their counters become one array.  False only if out of
 * memory.
 */
static bool
merge_adopt_entries(struct merge_worker *worker, const struct prof_block *b,
    const struct prof_function *f, size_t entry, struct block_place *place)
{
	struct merge *m = worker->merge;
	bool in_row = true;		/* their counters are one array */

	merge_lock_entries(worker, entry, b->size);
	if (!merge_block_has_entries(m, b, f, entry))
		return true;
	place->entry = entry;
	place->counts = merge_entry_at(m, entry)->counts;
	for (size_t i = 1; i < b->size && in_row; i++) {
		const struct merge_entry *e = merge_entry_at(m, entry + i - 1);

		in_row = merge_entry_at(m, entry + i)->counts ==
		    e->counts + e->counts_size;
	}
	if (!in_row) {
		place->counts = merge_join_counts(worker, entry, b);
		if (place->counts == NULL)
			return false;
		place->replaced = __atomic_load_n(&m->replaced,
		    __ATOMIC_ACQUIRE);
	}
	if (vector_any_bits(place->counts, b->counts_size) >= SUMS_SMALL)
		place->counts = NULL;
	return true;
}

/*
 * Adds the first block of its layout and index.  PROF_END if the block is to be
 * added to entries that are there already.
 */
static enum prof_status
merge_add_first_block(struct merge_worker *worker, const struct prof_block *b,
    const struct merge_factor *w, struct block_place *place,
    struct prof_error *err)
{
	struct merge *m = worker->merge;
	const struct prof_function *f = prof_block_unnamed(b, err);
	enum prof_status status = PROF_END;
	size_t first;

	place->known = true;
	place->replaced = __atomic_load_n(&m->replaced, __ATOMIC_ACQUIRE);
	if (f == NULL)
		return PROF_FAIL;
	first = merge_table_number(m, prof_symbol_guid(&f->symbol), f->hash);
	if (first == INDEX_NONE) {
		if (!merge_copy_block_counts(worker, b))
			return err_memory(err);
		merge_table_lock_all(worker);
		status = merge_add_each_function(worker, f, b->size, w, err);
		merge_table_unlock_all(worker);
		worker->copied.size = 0;
		/* If all were new, they are in a row. */
		first = worker->next - b->size;
	}
	if (status == PROF_FAIL ||
	    merge_adopt_entries(worker, b, f, first, place))
		return status;
	return err_memory(err);
}

/*
 * Whether the counters of all entries still are in the array: a record of a
 * higher class gives its entry other counters, or makes them pseudo counts.
 */
static bool
merge_is_still_in_place(const struct merge *m, struct block_place *place,
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

/* False if some sum may be at its limit: nothing is added then. */
static bool
merge_add_block_counts(uint64_t *into, const struct prof_block *b)
{
	if (b->any_bits >= SUMS_SMALL / 2)
		return false;
	if (vector_add(into, b->counts, b->counts_size) < SUMS_SMALL)
		return true;
	/* Sums are modulo 2^64, so that subtracting restores all counts. */
	for (size_t i = 0; i < b->counts_size; i++)
		into[i] -= b->counts[i];
	return false;
}

/* Prefetches one of the steps to the value sites of a function. */
PREFETCH_INLINE void
merge_prefetch_values(const struct merge *m, const struct block_place *place,
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

/*
 * Entry, struct merge_values and sites are scattered over the memory, and each
 * holds the address of the next.  So they are prefetched in three steps: in
 * each turn, step 0 for function n, step 1 for n - AHEAD, step 2 for
 * n - 2 * AHEAD; the values of n - 3 * AHEAD are added, which arrived by then.
 */
static enum prof_status
merge_add_all_values(struct merge_worker *worker, const struct prof_block *b,
    struct block_place *place, struct prof_error *err)
{
	enum { STEPS = 3 };
	size_t n = b->values_size;

	for (size_t i = 0; i < n + STEPS * AHEAD; i++) {
		const struct prof_block_values *v;
		struct merge_entry *e;

		for (int step = 0; step < STEPS; step++) {
			size_t at = i - (size_t)step * AHEAD;

			/* Below 0, the difference wraps around to above n. */
			if (at < n)
				merge_prefetch_values(worker->merge, place,
				    &b->values[at], step);
		}
		if (i < STEPS * AHEAD)
			continue;
		v = &b->values[i - STEPS * AHEAD];
		if (place->sorted && !v->any)
			continue;
		e = merge_entry_at(worker->merge, place->entry + v->function);
		if (!place->sorted)
			merge_sort_values(e);
		if (!merge_values_add(e->values, v->values, &merge_unscaled,
		    MERGE_ADD, worker))
			return err_memory(err);
	}
	place->sorted = true;
	return PROF_OK;
}

/* Adds a block to its place; PROF_END, and nothing is added, if it cannot. */
static enum prof_status
merge_add_whole_block(struct merge_worker *worker, const struct prof_block *b,
    struct block_place *place, struct prof_error *err)
{
	if (place->counts == NULL)
		return PROF_END;
	merge_lock_entries(worker, place->entry, b->size);
	if (!merge_is_still_in_place(worker->merge, place, b) ||
	    !merge_add_block_counts(place->counts, b))
		return PROF_END;
	return merge_add_all_values(worker, b, place, err);
}

/*
 * Exchanges *own, the worker's copy of a place, with the place that all workers
 * share: stores *own if it is known, else loads it.  If no worker knows it, the
 * block is the first one and is added here.  PROF_END if it is still to be
 * added.
 */
static enum prof_status
merge_exchange_place(struct merge_worker *worker, const struct prof_block *b,
    const struct merge_factor *w, struct block_place *own,
    struct prof_error *err)
{
	enum prof_status status = PROF_END;
	struct block_place *place;

	merge_lock(worker, MERGE_BLOCKS);
	place = merge_block_place(worker->merge, b);
	if (place != NULL)
		worker->names_stay = place->names_stay;
	if (place == NULL)
		status = err_memory(err);
	else if (own->known)
		*place = *own;
	else if (place->known)
		*own = *place;
	else {
		status = merge_add_first_block(worker, b, w, place, err);
		*own = *place;
	}
	merge_unlock(worker, MERGE_BLOCKS);
	return status;
}

static enum prof_status
merge_add_placed_block(struct merge_worker *worker, const struct prof_block *b,
    const struct merge_factor *w, struct prof_error *err)
{
	struct block_place place = { .counts = NULL }, before;
	enum prof_status status = merge_exchange_place(worker, b, w, &place,
	    err);

	if (status != PROF_END)
		return status;
	before = place;
	if (merge_is_unscaled(w))
		status = merge_add_whole_block(worker, b, &place, err);
	if (place.counts != before.counts || place.sorted != before.sorted ||
	    place.replaced != before.replaced)
		merge_exchange_place(worker, b, w, &place, err);
	return status == PROF_END ? merge_add_each_function(worker,
	    prof_block_unnamed(b, err), b->size, w, err) : status;
}

enum prof_status
merge_add_block(struct merge_worker *worker, const struct prof_block *b,
    const struct merge_factor *w, struct prof_error *err)
{
	enum prof_status status;

	if (merge_note_function(worker, err) != PROF_OK)
		return PROF_FAIL;
	worker->block = b;
	status = b->layout == 0 ? merge_add_each_function(worker,
	    prof_block_unnamed(b, err), b->size, w, err) :
	    merge_add_placed_block(worker, b, w, err);
	worker->block = NULL;
	worker->names_stay = false;
	return status;
}
