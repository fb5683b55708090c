/*
 * base/number_set.h - sets of numbers
 *
 * A set is an array in an arena.  Numbers are appended, also if they are there;
 * when the array is full, it is sorted and duplicates are removed, and it grows
 * only if it is still half full.  Sets are small and sorted in the end anyway,
 * so that a hash table would cost more.
 */
#ifndef BASE_NUMBER_SET_H
#define BASE_NUMBER_SET_H

#include "base/arena.h"

/* After number_set_sort, items ascend and are unique. */
struct number_set {
	uint64_t *items;
	size_t size, room;
};

/* False if out of memory. */
bool number_set_add(struct number_set *, struct arena *, uint64_t item);
void number_set_sort(struct number_set *);

/* Whether a sorted set has the number. */
bool number_set_has(const struct number_set *, uint64_t item);

#endif
