#include "ops/top.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "model/record.h"

struct top_values {
	struct prof_sites values[PROF_VALUE_KINDS];
	struct prof_span bitmap;
	bool shared;			/* all is in the arena of the top */
	struct arena arena;
};

/* Below 0 if a is in front of b. */
static int
top_compare(const struct top_entry *a, const struct top_entry *b,
    enum top_order order)
{
	int by = order == TOP_COUNT ? compare_u64(b->max, a->max) :
	    order == TOP_SHARE ? compare_u64(b->sum, a->sum) :
	    order == TOP_SIZE ? compare_u64(b->counts_size,
	    a->counts_size) : 0;

	if (by == 0)
		by = prof_span_compare(a->symbol.name,
		    b->symbol.name);
	/* Both have the same name, or none. */
	if (by == 0 && a->symbol.name.size == 0)
		by = compare_u64(a->symbol.guid, b->symbol.guid);
	return by != 0 ? by : compare_u64(a->hash, b->hash);
}

static void
top_free_entry(struct top_entry *e)
{
	if (e != NULL && e->values != NULL && !e->values->shared) {
		arena_free(&e->values->arena);
		free(e->values);
	}
	free(e);
}

static bool
top_has_values(const struct prof_function *f)
{
	for (int kind = 0; kind < PROF_VALUE_KINDS; kind++) {
		if (f->values[kind].size != 0)
			return true;
	}
	return f->bitmap.size != 0;
}

/* Copies values and bitmap; false if out of memory. */
static bool
top_copy_values(struct top *t, struct top_entry *e,
    const struct prof_function *f)
{
	const bool shared = t->limit == SIZE_MAX;
	struct prof_function copy = { .bitmap = f->bitmap };
	struct top_values *v;

	if (!t->values || !top_has_values(f))
		return true;
	v = shared ? arena_alloc(&t->arena, sizeof(*v)) :
	    malloc(sizeof(*v));
	if (v == NULL)
		return false;
	*v = (struct top_values){ .shared = shared };
	e->values = v;
	memcpy(copy.values, f->values, sizeof(f->values));
	if (!record_copy(shared ? &t->arena : &v->arena, PROF_REC_FUNCTION,
	    &copy))
		return false;
	memcpy(v->values, copy.values, sizeof(copy.values));
	v->bitmap = copy.bitmap;
	return true;
}

/* One allocation: counters and name are behind the entry. */
static struct top_entry *
top_copy(struct top *t, const struct top_entry *from,
    const struct prof_function *f)
{
	const struct prof_span name = f->symbol.name;
	struct top_entry *e;

	t->packed.size = 0;
	for (size_t i = 0; i < f->counts_size; i++)
		buf_uleb(&t->packed, f->counts[i]);
	if (t->packed.failed || !ARRAY_RESERVE(t->counts, 0, f->counts_size,
	    t->counts_room))
		return NULL;
	e = malloc(sizeof(*e) + t->packed.size + name.size);
	if (e == NULL)
		return NULL;
	*e = *from;
	e->packed = (struct prof_span){ (uint8_t *)(e + 1), t->packed.size };
	if (t->packed.size != 0)
		memcpy(e + 1, t->packed.data, t->packed.size);
	if (name.data != NULL)
		e->symbol.name.data = memcpy((uint8_t *)(e + 1) +
		    t->packed.size, name.data, name.size);
	if (!top_copy_values(t, e, f)) {
		top_free_entry(e);
		return NULL;
	}
	return e;
}

const struct prof_function *
top_function(struct top *t, const struct top_entry *e)
{
	struct cursor packed = { .data = e->packed.data,
	    .size = e->packed.size };

	t->function = (struct prof_function){ .symbol = e->symbol,
	    .hash = e->hash, .counts = t->counts,
	    .counts_size = e->counts_size };
	for (size_t i = 0; i < e->counts_size; i++)
		t->counts[i] = cur_uleb(&packed);
	if (e->values != NULL) {
		t->function.bitmap = e->values->bitmap;
		memcpy(t->function.values, e->values->values,
		    sizeof(e->values->values));
	}
	return &t->function;
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

/* Adds the counters to the total; the entry borrows the name. */
static struct top_entry
top_measure(struct top *t, const struct prof_function *f)
{
	struct top_entry e = { .symbol = f->symbol, .hash = f->hash,
	    .counts_size = f->counts_size,
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
	e = top_copy(t, &here, f);
	if (e == NULL)
		return false;
	if (t->size < t->limit) {
		t->entries[t->size++] = e;
		top_move_up(t, t->size - 1);
	} else {
		top_free_entry(t->entries[0]);
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
	for (size_t i = 0; i < t->size; i++)
		top_free_entry(t->entries[i]);
	free(t->entries);
	arena_free(&t->arena);
	free(t->counts);
	buf_free(&t->packed);
	t->entries = NULL;
	t->counts = NULL;
	t->counts_room = 0;
	t->size = t->room = 0;
	t->total = 0;
}
