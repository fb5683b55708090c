#include "base/huge_pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The advice holds for all pages of an allocation, also for parts of pages. */
static void *
huge_advise(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (uintptr_t)p % page;

	if (p != NULL && size >= HUGE_MEMORY)
		madvise((char *)p - before, size + before, MADV_HUGEPAGE);
#else
	(void)size;
#endif
	return p;
}

void *
huge_alloc(size_t size)
{
	void *p = NULL;

	if (size < HUGE_MEMORY)
		return malloc(size);
	return posix_memalign(&p, HUGE_MEMORY, size) != 0 ? NULL :
	    huge_advise(p, size);
}

/*
 * glibc moves the pages of a large allocation instead of copying them (mremap),
 * but only if the advice is the same for all of them; so memory is not aligned
 * to huge pages here, since the pages before would have no advice.
 */
void *
huge_realloc(void *p, size_t size)
{
	return huge_advise(realloc(p, size), size);
}

/*
 * calloc leaves fresh memory of the kernel as it is: a table that is searched
 * before it is filled then takes two faults for each page, the second of which
 * interrupts all other threads.
 */
void *
huge_zeros(size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	p = huge_alloc(bytes);
	if (p != NULL)
		memset(p, 0, bytes);
	return p;
}
