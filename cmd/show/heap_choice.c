#include "config.h"

#include "cmd/show/heap_choice.h"

#include <stdlib.h>

#include "base/array.h"

static int
compare_lines(const void *a, const void *b)
{
	const struct shown_line *x = a, *y = b;

	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	if (x->site != y->site)
		return x->site < y->site ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static bool
heap_choice_admits(const struct heap_choice *c, const struct shown_line *l)
{
	return l->depth <= c->depth && (c->total < 1 ||
	    100 * (double)l->value / c->total >= c->min_share);
}

static void
heap_choice_cut(struct heap_choice *c)
{
	qsort(c->lines, c->size, sizeof(*c->lines), compare_lines);
	if (c->size > c->limit)
		c->size = c->limit;
}

bool
heap_choice_add(struct heap_choice *c, const struct shown_line *l)
{
	if (c->limit == SIZE_MAX || !heap_choice_admits(c, l))
		return true;
	if (c->size / 2 >= c->limit)
		heap_choice_cut(c);
	return ARRAY_ADD(c->lines, c->size, c->room, *l);
}

void
heap_choice_end(struct heap_choice *c)
{
	if (c->size != 0)
		heap_choice_cut(c);
}

bool
heap_choice_has(const struct heap_choice *c, const struct shown_line *l)
{
	return heap_choice_admits(c, l) && (c->size < c->limit ||
	    compare_lines(l, &c->lines[c->size - 1]) <= 0);
}

void
heap_choice_free(struct heap_choice *c)
{
	free(c->lines);
}
