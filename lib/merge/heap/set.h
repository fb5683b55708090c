/*
 * merge/heap/set.h - sets of numbers
 *
 * A set is an array in an arena.  Numbers are appended, also if they are there;
 * when the array is full, it is sorted and duplicates are removed, and it grows
 * only if it is still half full.  Sets are small and sorted in the end anyway,
 * so that a hash table would cost more.
 */
#ifndef MERGE_HEAP_SET_H
#define MERGE_HEAP_SET_H

#include "base/arena.h"

/* After mheap_set_sort, items ascend and are unique. */
struct mheap_set {
	uint64_t *items;
	size_t size, room;
};

/* False if out of memory. */
bool mheap_set_add(struct mheap_set *, struct arena *, uint64_t item);
void mheap_set_sort(struct mheap_set *);

#endif
