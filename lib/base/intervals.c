#include "base/intervals.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/number_search.h"

bool
intervals_add(struct intervals *v, uint64_t start, uint64_t end, uint32_t rank)
{
	if (start >= end)
		return true;
	return ARRAY_ADD(v->items, v->size, v->room, (struct interval){ start,
	    end, rank });
}

static int
intervals_by_start(const void *a, const void *b)
{
	const struct interval *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/*
 * A priority queue of the ranges that have begun: a heap, highest rank first.
 */
struct interval_queue {
	struct interval *items;
	size_t size;
};

static void
intervals_push(struct interval_queue *h, struct interval range)
{
	size_t i = h->size++;

	while (i > 0 && h->items[(i - 1) / 2].rank < range.rank) {
		h->items[i] = h->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->items[i] = range;
}

static void
intervals_pop(struct interval_queue *h)
{
	struct interval range = h->items[--h->size];
	size_t i = 0, child;

	while ((child = 2 * i + 1) < h->size) {
		if (child + 1 < h->size &&
		    h->items[child + 1].rank > h->items[child].rank)
			child++;
		if (h->items[child].rank <= range.rank)
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	h->items[i] = range;
}

/* Sweeps over the sorted ranges; each step begins or ends some of them. */
static bool
intervals_cut(const struct intervals *in, struct interval_queue *queue,
    struct intervals *out)
{
	uint64_t at = 0, next;
	size_t i = 0;

	while (i < in->size || queue->size > 0) {
		if (queue->size == 0)
			at = in->items[i].start;
		while (i < in->size && in->items[i].start <= at)
			intervals_push(queue, in->items[i++]);
		while (queue->size > 0 && queue->items[0].end <= at)
			intervals_pop(queue);
		if (queue->size == 0)
			continue;
		next = queue->items[0].end;
		if (i < in->size && in->items[i].start < next)
			next = in->items[i].start;
		if (!intervals_add(out, at, next, queue->items[0].rank))
			return false;
		at = next;
	}
	return true;
}

bool
intervals_build(struct intervals *v)
{
	struct intervals out = { 0 };
	struct interval_queue queue = { 0 };
	bool done;

	if (v->size == 0)
		return true;
	qsort(v->items, v->size, sizeof(*v->items), intervals_by_start);
	queue.items = calloc(v->size, sizeof(*queue.items));
	done = queue.items != NULL && intervals_cut(v, &queue, &out);
	free(queue.items);
	if (!done) {
		intervals_free(&out);
		return false;
	}
	free(v->items);
	*v = out;
	return true;
}

const struct interval *
intervals_find(const struct intervals *v, uint64_t address)
{
	size_t n = numbers_up_to(v->items, v->size, sizeof(*v->items), address);

	return n != 0 && address < v->items[n - 1].end ? &v->items[n - 1] :
	    NULL;
}

void
intervals_free(struct intervals *v)
{
	free(v->items);
	*v = (struct intervals){ 0 };
}
