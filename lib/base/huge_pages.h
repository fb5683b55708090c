/* base/huge_pages.h - large allocations on huge pages */
#ifndef BASE_HUGE_PAGES_H
#define BASE_HUGE_PAGES_H

#include <stddef.h>

/* Size of a huge page; smaller allocations come from malloc. */
enum { HUGE_MEMORY = 2 << 20 };

/*
 * As malloc and calloc, to be released with free.  The kernel is advised to use
 * huge pages (MADV_HUGEPAGE), since each page fault costs as much as filling a
 * part of the page.
 */
void *huge_alloc(size_t size);
void *huge_zeros(size_t n, size_t size);

/*
 * As realloc, of NULL or of memory that huge_realloc gave; that of huge_alloc
 * is copied instead of moved.
 */
void *huge_realloc(void *, size_t size);

#endif
