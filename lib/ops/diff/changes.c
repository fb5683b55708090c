#include "ops/diff/changes.h"

#include <math.h>
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

static const struct diff_function *
changes_function(const struct overlap_change *c)
{
	return c->function[OVERLAP_B] != NULL ? c->function[OVERLAP_B] :
	    c->function[OVERLAP_A];
}

static int
changes_by_drift(const void *a, const void *b)
{
	const struct overlap_change *x = a, *y = b;
	const struct diff_function *f = changes_function(x);
	const struct diff_function *g = changes_function(y);
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
	l->least = l->most == 0 ? INFINITY :
	    changes_drift(&l->items[l->most - 1]);
}

/* Functions without a count on either side are no part of any profile. */
static bool
changes_are_equal(const struct diff_changes *l, const struct overlap_change *c)
{
	return c->state == OVERLAP_CHANGED && !(changes_drift(c) > 0) &&
	    !(l->equal && c->share[OVERLAP_A] > 0);
}

bool
diff_changes_add(void *list, const struct overlap_change *c)
{
	struct diff_changes *l = list;

	if (changes_are_equal(l, c))
		return true;
	if (l->full && changes_drift(c) < l->least)
		return true;
	if (l->size >= SORTED_AT_ONCE && l->size / 2 >= l->most)
		diff_changes_sort(l);
	return ARRAY_ADD(l->items, l->size, l->room, *c);
}

void
diff_changes_free(struct diff_changes *l)
{
	free(l->items);
	*l = (struct diff_changes){ .items = NULL };
}
