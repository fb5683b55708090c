#include "base/intervals.h"

#include <stdlib.h>
#include <string.h>

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
intervals_cut(const struct interval *in, size_t size,
    struct interval_queue *queue, struct intervals *out)
{
	uint64_t at = 0, next;
	size_t i = 0;

	while (i < size || queue->size > 0) {
		if (queue->size == 0)
			at = in[i].start;
		while (i < size && in[i].start <= at)
			intervals_push(queue, in[i++]);
		while (queue->size > 0 && queue->items[0].end <= at)
			intervals_pop(queue);
		if (queue->size == 0)
			continue;
		next = queue->items[0].end;
		if (i < size && in[i].start < next)
			next = in[i].start;
		if (!intervals_add(out, at, next, queue->items[0].rank))
			return false;
		at = next;
	}
	return true;
}

/*
 * Cuts up to a limit what the ranges that have begun have of the addresses from
 * *at on.  They are a stack, the one that began last on top.
 */
static bool
intervals_unstack(struct interval_queue *stack, uint64_t *at, uint64_t limit,
    struct intervals *out)
{
	while (stack->size > 0 && *at < limit) {
		const struct interval *top = &stack->items[stack->size - 1];
		uint64_t end = top->end < limit ? top->end : limit;

		if (!intervals_add(out, *at, end, top->rank))
			return false;
		if (*at < end)
			*at = end;
		if (top->end <= limit)
			stack->size--;
	}
	return true;
}

/* The same as intervals_cut for intervals_nest. */
static bool
intervals_cut_nested(const struct interval *in, size_t size,
    struct interval_queue *stack, struct intervals *out)
{
	uint64_t at = 0;

	for (size_t i = 0; i < size; i++) {
		if (!intervals_unstack(stack, &at, in[i].start, out))
			return false;
		at = in[i].start;
		stack->items[stack->size++] = in[i];
	}
	return intervals_unstack(stack, &at, UINT64_MAX, out);
}

typedef bool intervals_cutter(const struct interval *, size_t,
    struct interval_queue *, struct intervals *);

/* Puts the ranges from `first` on in order, none of which overlaps another. */
static bool
intervals_sort(struct intervals *v, size_t first, intervals_cutter *cut)
{
	struct interval *items = v->items + first;
	size_t size = v->size - first;
	struct intervals out = { 0 };
	struct interval_queue queue = {
	    .items = calloc(size, sizeof(*queue.items)) };
	bool done;

	qsort(items, size, sizeof(*items), intervals_by_start);
	done = queue.items != NULL &&
	    cut(items, size, &queue, &out) &&
	    ARRAY_RESERVE(v->items, first, out.size, v->room);
	if (done && out.size != 0)
		memcpy(v->items + first, out.items,
		    out.size * sizeof(*out.items));
	if (done)
		v->size = first + out.size;
	free(queue.items);
	free(out.items);
	return done;
}

static size_t
intervals_batch_start(const struct intervals *v, size_t batch)
{
	return batch == 0 ? 0 : v->batches[batch - 1].end;
}

static bool
intervals_build_by(struct intervals *v, intervals_cutter *cut)
{
	size_t n = v->batches_size;
	size_t ranges = v->size - intervals_batch_start(v, n);
	struct interval_batch *batches;

	if (ranges == 0)
		return true;
	while (n > 0 && v->batches[n - 1].ranges / 2 < ranges)
		ranges += v->batches[--n].ranges;
	batches = realloc(v->batches, (n + 1) * sizeof(*batches));
	if (batches == NULL)
		return false;
	v->batches = batches;
	v->batches_size = n;
	if (!intervals_sort(v, intervals_batch_start(v, n), cut))
		return false;
	v->batches[n] = (struct interval_batch){ v->size, ranges };
	v->batches_size++;
	return true;
}

bool
intervals_build(struct intervals *v)
{
	return intervals_build_by(v, intervals_cut);
}

bool
intervals_nest(struct intervals *v)
{
	return intervals_build_by(v, intervals_cut_nested);
}

const struct interval *
intervals_find(const struct intervals *v, uint64_t address)
{
	const struct interval *found = NULL;

	for (size_t i = 0; i < v->batches_size; i++) {
		const size_t start = intervals_batch_start(v, i);
		const struct interval *items = v->items + start;
		size_t n = numbers_up_to(items, v->batches[i].end - start,
		    sizeof(*items), address);

		if (n != 0 && address < items[n - 1].end && (found == NULL ||
		    items[n - 1].rank > found->rank))
			found = &items[n - 1];
	}
	return found;
}

void
intervals_clear(struct intervals *v)
{
	v->size = v->batches_size = 0;
}

void
intervals_free(struct intervals *v)
{
	free(v->items);
	free(v->batches);
	*v = (struct intervals){ 0 };
}
