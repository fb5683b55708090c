/* base/radix_sort.h - things in the order of their names */
#ifndef BASE_RADIX_SORT_H
#define BASE_RADIX_SORT_H

#include "prof.h"

struct radix_sort_item {
	struct prof_span name;
	void *thing;
	uint64_t bytes;			/* for the sorting */
};

/* Below 0, 0 or above, of two things of one name. */
typedef int radix_sort_tie(const void *, const void *);

/*
 * By the bytes of their names, then length, then as tie says: faster than by
 * comparing whole names, for those of a program begin alike.
 */
void radix_sort(struct radix_sort_item *, size_t n, radix_sort_tie *);

#endif
