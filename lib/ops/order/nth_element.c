/*
 * Introselect as in bits/stl_algo.h and bits/stl_heap.h of GCC 12: quickselect
 * with a median of three, and heap selection after too many steps.
 */
#include "ops/order/nth_element.h"

/* Up to that many elements are sorted by insertion. */
enum { FEW = 3 };

static void
nth_swap(uint32_t *a, uint32_t *b)
{
	uint32_t was = *a;

	*a = *b;
	*b = was;
}

/* Swaps the median of the second, middle and last element to the front. */
static void
nth_choose_pivot(uint32_t *v, size_t count)
{
	uint32_t *a = v + 1, *b = v + count / 2, *c = v + count - 1;
	uint32_t *low = *a < *b ? a : b, *high = *a < *b ? b : a;

	nth_swap(v, *c < *low ? low : *high < *c ? high : c);
}

/*
 * std::__unguarded_partition around the first element: gives the index from
 * which on elements are not less.
 */
static size_t
nth_partition(uint32_t *v, size_t count)
{
	size_t first = 1, last = count;

	nth_choose_pivot(v, count);
	for (;;) {
		while (v[first] < v[0])
			first++;
		last--;
		while (v[0] < v[last])
			last--;
		if (first >= last)
			return first;
		nth_swap(&v[first++], &v[last]);
	}
}

/* std::__adjust_heap: puts x into a heap in which place `hole` is free. */
static void
nth_put_in_heap(uint32_t *heap, size_t size, size_t hole, uint32_t x)
{
	size_t top = hole, child = hole;

	while (child < (size - 1) / 2) {
		child = 2 * child + 2;
		if (heap[child] < heap[child - 1])
			child--;
		heap[hole] = heap[child];
		hole = child;
	}
	if (size % 2 == 0 && child == (size - 2) / 2) {
		heap[hole] = heap[2 * child + 1];
		hole = 2 * child + 1;
	}
	while (hole > top && heap[(hole - 1) / 2] < x) {
		heap[hole] = heap[(hole - 1) / 2];
		hole = (hole - 1) / 2;
	}
	heap[hole] = x;
}

/* std::__heap_select: the `size` least to the front, as a heap. */
static void
nth_heap_select(uint32_t *v, size_t count, size_t size)
{
	for (size_t i = size / 2; i-- > 0;)
		nth_put_in_heap(v, size, i, v[i]);
	for (size_t i = size; i < count; i++) {
		uint32_t x = v[i];

		if (x >= v[0])
			continue;
		v[i] = v[0];
		nth_put_in_heap(v, size, 0, x);
	}
}

static void
nth_insertion_sort(uint32_t *v, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		uint32_t x = v[i];
		size_t k = i;

		for (; k > 0 && x < v[k - 1]; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

void
nth_element(uint32_t *v, size_t count, size_t nth)
{
	unsigned steps = 0;

	for (size_t n = count; n > 1; n /= 2)
		steps += 2;
	for (; count > FEW; steps--) {
		size_t at;

		if (steps == 0) {
			nth_heap_select(v, count, nth + 1);
			nth_swap(&v[0], &v[nth]);
			return;
		}
		at = nth_partition(v, count);
		if (at <= nth) {
			v += at;
			count -= at;
			nth -= at;
		} else
			count = at;
	}
	nth_insertion_sort(v, count);
}
