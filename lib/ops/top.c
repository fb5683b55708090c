#include "ops/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "model/record.h"

/* Below 0 if a is in front of b. */
static int
top_compare(const struct top_entry *a, const struct top_entry *b,
    enum top_order order)
{
	const struct prof_function *f = &a->function, *g = &b->function;
	int by = order == TOP_COUNT ? compare_u64(b->max, a->max) :
	    order == TOP_SHARE ? compare_u64(b->sum, a->sum) :
	    order == TOP_SIZE ? compare_u64(g->counts_size, f->counts_size) :
	    0;

	if (by == 0)
		by = prof_span_compare(f->symbol.name, g->symbol.name);
	/* Both have the same name, or none. */
	if (by == 0 && f->symbol.name.size == 0)
		by = compare_u64(f->symbol.guid, g->symbol.guid);
	return by != 0 ? by : compare_u64(f->hash, g->hash);
}

static struct top_entry *
top_copy(struct top *t, const struct top_entry *from)
{
	struct top_entry *e = arena_alloc(&t->arena, sizeof(*e));
	struct prof_function *f;

	if (e == NULL)
		return NULL;
	*e = *from;
	f = &e->function;
	f->uniform_counts = NULL;
	f->uniform_size = 0;
	f->extra = (struct prof_span){ NULL, 0 };
	if (!t->values) {
		memset(f->values, 0, sizeof(f->values));
		f->bitmap = (struct prof_span){ NULL, 0 };
	}
	return record_copy(&t->arena, PROF_REC_FUNCTION, f) ? e : NULL;
}

/* Moves the entry at i up to where its parent comes behind it. */
static void
top_move_up(struct top *t, size_t i)
{
	struct top_entry *e = t->entries[i];

	for (size_t up; i > 0; i = up) {
		up = (i - 1) / 2;
		if (top_compare(t->entries[up], e, t->order) >= 0)
			break;
		t->entries[i] = t->entries[up];
	}
	t->entries[i] = e;
}

/* Puts the entry in place of the root, and moves it down. */
static void
top_move_down(struct top *t, struct top_entry *e)
{
	size_t i = 0;

	for (size_t down; (down = 2 * i + 1) < t->size; i = down) {
		if (down + 1 < t->size && top_compare(t->entries[down + 1],
		    t->entries[down], t->order) > 0)
			down++;
		if (top_compare(t->entries[down], e, t->order) <= 0)
			break;
		t->entries[i] = t->entries[down];
	}
	t->entries[i] = e;
}

/* Adds the counters to the total; the entry borrows the function. */
static struct top_entry
top_measure(struct top *t, const struct prof_function *f)
{
	struct top_entry e = { .function = *f,
	    .entries = f->counts_size == 0 ? 0 : f->counts[0] };

	if (prof_is_pseudo(f))
		return e;
	for (size_t i = 0; i < f->counts_size; i++) {
		e.sum += f->counts[i];
		e.max = f->counts[i] > e.max ? f->counts[i] : e.max;
	}
	/* The sum may have wrapped: it stays at the largest number. */
	if (e.max > UINT64_MAX / (f->counts_size + 1)) {
		e.sum = 0;
		for (size_t i = 0; i < f->counts_size; i++)
			e.sum = saturating_add(e.sum, f->counts[i]);
	}
	t->total += (double)e.sum;
	return e;
}

void
top_pass(struct top *t, const struct prof_function *f)
{
	(void)top_measure(t, f);
}

bool
top_add(struct top *t, const struct prof_function *f)
{
	struct top_entry here = top_measure(t, f), *e;

	if (t->limit == 0)
		return true;
	if (t->size == t->limit &&
	    top_compare(&here, t->entries[0], t->order) >= 0)
		return true;
	if (t->size < t->limit && !ARRAY_ROOM(t->entries, t->size, t->room))
		return false;
	e = top_copy(t, &here);
	if (e == NULL)
		return false;
	if (t->size < t->limit) {
		t->entries[t->size++] = e;
		top_move_up(t, t->size - 1);
	} else {
		top_move_down(t, e);
	}
	return true;
}

void
top_sort(struct top *t, enum top_order order)
{
	const size_t all = t->size;

	t->order = order;
	for (size_t i = 1; i < all; i++)
		top_move_up(t, i);
	while (t->size > 1) {
		struct top_entry *last = t->entries[0];

		t->size--;
		top_move_down(t, t->entries[t->size]);
		t->entries[t->size] = last;
	}
	t->size = all;
}

void
top_clear(struct top *t)
{
	free(t->entries);
	arena_free(&t->arena);
	t->entries = NULL;
	t->size = t->room = 0;
	t->total = 0;
}
