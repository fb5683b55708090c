#include "base/large.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *
advise(void *p, size_t size)
{
#ifdef MADV_HUGEPAGE
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t before = (page - (uintptr_t)p % page) % page;

	if (p != NULL && size >= LARGE_MEMORY)
		madvise((char *)p + before, size - before, MADV_HUGEPAGE);
#else
	(void)size;
#endif
	return p;
}

void *
large_alloc(size_t size)
{
	void *p = NULL;

	if (size < LARGE_MEMORY)
		return malloc(size);
	return posix_memalign(&p, LARGE_MEMORY, size) != 0 ? NULL :
	    advise(p, size);
}

void *
large_zeros(size_t n, size_t size)
{
	return advise(calloc(n, size), n * size);
}
