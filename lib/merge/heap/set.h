/* merge/heap/set.h - numbers, each of them once */
#ifndef MERGE_HEAP_SET_H
#define MERGE_HEAP_SET_H

#include "base/arena.h"

/* Each is there once, and in ascending order, after mheap_set_sort. */
struct mheap_set {
	uint64_t *items;
	size_t size, room;
};

/* False if out of memory. */
bool mheap_set_add(struct mheap_set *, struct arena *, uint64_t item);
void mheap_set_sort(struct mheap_set *);

#endif
