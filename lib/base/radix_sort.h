/* base/radix_sort.h - things in the order of their names */
#ifndef BASE_RADIX_SORT_H
#define BASE_RADIX_SORT_H

#include "prof.h"

struct named {
	struct prof_span name;
	void *thing;
	uint64_t bytes;			/* for the sorting */
};

/* Below 0, 0 or above, of two things of one name. */
typedef int name_tie(const void *, const void *);

/*
 * By the bytes of their names, then length, then as tie says: faster than by
 * comparing whole names, for those of a program begin alike.
 */
void name_sort(struct named *, size_t n, name_tie *);

#endif
