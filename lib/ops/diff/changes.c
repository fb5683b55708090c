#include "ops/diff/changes.h"

#include <stdlib.h>

#include "base/array.h"

/* Changes that are collected at least before the largest ones are chosen. */
enum { SORTED_AT_ONCE = 1024 };

static double
changes_drift(const struct overlap_change *c)
{
	double d = c->share[OVERLAP_B] - c->share[OVERLAP_A];

	return d < 0 ? -d : d;
}

static int
changes_by_drift(const void *a, const void *b)
{
	const struct overlap_change *x = a, *y = b;
	const struct diff_function *f = diff_change_function(x);
	const struct diff_function *g = diff_change_function(y);
	double dx = changes_drift(x), dy = changes_drift(y);
	int order;

	if (dx > dy || dx < dy)
		return dx > dy ? -1 : 1;
	order = prof_span_compare(f->symbol.name, g->symbol.name);
	if (order != 0)
		return order;
	if (f->symbol.guid != g->symbol.guid)
		return f->symbol.guid < g->symbol.guid ? -1 : 1;
	return (f->hash > g->hash) - (f->hash < g->hash);
}

void
diff_changes_sort(struct diff_changes *l)
{
	if (l->size > 1)
		qsort(l->items, l->size, sizeof(*l->items), changes_by_drift);
	if (l->size < l->most)
		return;
	l->size = l->most;
	l->full = true;
}

/* Functions without a count on either side are no part of any profile. */
static bool
changes_are_equal(const struct diff_changes *l, const struct overlap_change *c)
{
	return c->state == OVERLAP_CHANGED && !(changes_drift(c) > 0) &&
	    !(l->equal && c->share[OVERLAP_A] > 0);
}

static const struct diff_function *
changes_copy_function(struct diff_changes *l, const struct diff_function *from)
{
	struct diff_function *f = arena_alloc(&l->arena, sizeof(*f));

	if (f == NULL)
		return NULL;
	*f = *from;
	if (!arena_keep(&l->arena, &f->symbol.name))
		return NULL;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (f->records[s] != NULL && (f->records[s] =
		    diff_record_copy_counts(&l->arena, f->records[s])) == NULL)
			return NULL;
	}
	return f;
}

/* Both sides of a function that both have are one. */
static bool
changes_copy_functions(struct diff_changes *l, struct overlap_change *c)
{
	const struct diff_function *a = c->function[OVERLAP_A];
	const struct diff_function *b = c->function[OVERLAP_B];

	if (a != NULL) {
		c->function[OVERLAP_A] = changes_copy_function(l, a);
		if (c->function[OVERLAP_A] == NULL)
			return false;
	}
	if (b != NULL)
		c->function[OVERLAP_B] = a == b ? c->function[OVERLAP_A] :
		    changes_copy_function(l, b);
	return b == NULL || c->function[OVERLAP_B] != NULL;
}

bool
diff_changes_add(void *list, const struct overlap_change *c)
{
	struct diff_changes *l = list;
	struct overlap_change kept = *c;

	if (changes_are_equal(l, c))
		return true;
	if (l->full && (l->most == 0 ||
	    changes_by_drift(&l->items[l->most - 1], c) < 0))
		return true;
	if (l->size >= SORTED_AT_ONCE && l->size / 2 >= l->most)
		diff_changes_sort(l);
	if (l->copies && !changes_copy_functions(l, &kept))
		return false;
	return ARRAY_ADD(l->items, l->size, l->room, kept);
}

void
diff_changes_free(struct diff_changes *l)
{
	free(l->items);
	arena_free(&l->arena);
	*l = (struct diff_changes){ .items = NULL };
}
