/* base/number_sort.h - items sorted by a number of 64 bits */
#ifndef BASE_NUMBER_SORT_H
#define BASE_NUMBER_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct number_sort_item {
	uint64_t key;
	uint32_t item;
};

/*
 * Sorts by key; items with equal keys stay in their order.  False if out of
 * memory.  Several times as fast as qsort for keys that are hashes.
 */
bool number_sort(struct number_sort_item *, size_t n);

#endif
