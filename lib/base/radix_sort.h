/* base/radix_sort.h - three-way radix quicksort of items by name */
#ifndef BASE_RADIX_SORT_H
#define BASE_RADIX_SORT_H

#include "prof/base.h"

struct radix_sort_item {
	struct prof_span name;
	void *thing;
	uint64_t bytes;			/* of the sort */
};

/* As the function of qsort, for two items of the same name. */
typedef int radix_sort_tie(const void *, const void *);

/*
 * Sorts by the bytes of the names, then by length, then by tie.  Faster than
 * qsort for names with long common prefixes, which are compared once.
 */
void radix_sort(struct radix_sort_item *, size_t n, radix_sort_tie *);

#endif
