/*
 * base/number_search.h - binary search in items that are sorted by a number
 *
 * Items of `size` bytes ascend by a uint64_t, which is the first member of
 * each, or all of it.  Equal numbers may occur.  Inlined, so that the size of
 * an item is a constant.
 */
#ifndef BASE_NUMBER_SEARCH_H
#define BASE_NUMBER_SEARCH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t
number_of_item(const void *items, size_t size, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)items +
	    i * size);
}

/* How many items have a number below n: the index of the first other one. */
static inline size_t
numbers_below(const void *items, size_t count, size_t size, uint64_t n)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (number_of_item(items, size, middle) < n)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many items have a number of at most n: the index behind the last one. */
static inline size_t
numbers_up_to(const void *items, size_t count, size_t size, uint64_t n)
{
	return n == UINT64_MAX ? count : numbers_below(items, count, size,
	    n + 1);
}

#endif
