/* base/huge_pages.h - memory that is large and will be used */
#ifndef BASE_HUGE_PAGES_H
#define BASE_HUGE_PAGES_H

#include <stddef.h>

/* Of less, no large page might be used whole. */
enum { HUGE_MEMORY = 2 << 20 };

/*
 * As malloc and calloc.  The system may use large pages, if it has any: the
 * first use of a page costs as much as filling some of it.
 */
void *huge_alloc(size_t size);
void *huge_zeros(size_t n, size_t size);

#endif
