/*
 * malloc(3) and its kin, as code of the installed library calls them: the
 * linker replaces calls of NAME by __wrap_NAME, and those of __real_NAME by
 * NAME (malloc.wrap).  Programs and most tests are linked without malloc.wrap:
 * nothing there needs this member of the archive.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libprof/allocator.h"

void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
void *__real_reallocarray(void *, size_t, size_t);
int __real_posix_memalign(void **, size_t, size_t);
char *__real_strdup(const char *);
void __real_free(void *);

void *__wrap_malloc(size_t);
void *__wrap_calloc(size_t, size_t);
void *__wrap_realloc(void *, size_t);
void *__wrap_reallocarray(void *, size_t, size_t);
int __wrap_posix_memalign(void **, size_t, size_t);
char *__wrap_strdup(const char *);
void __wrap_free(void *);

/* A size of 0 would free the block. */
static void *
allocator_resize(const struct allocator *a, void *block, size_t size)
{
	void *p = a->call(a->arg, block, size == 0 ? 1 : size);

	if (p == NULL)
		errno = ENOMEM;
	return p;
}

static void *
allocator_resize_array(const struct allocator *a, void *block, size_t n,
    size_t size)
{
	size_t bytes;

	if (!__builtin_mul_overflow(n, size, &bytes))
		return allocator_resize(a, block, bytes);
	errno = ENOMEM;
	return NULL;
}

void *
__wrap_malloc(size_t size)
{
	const struct allocator *a = allocator_now();

	return a == NULL ? __real_malloc(size) :
	    allocator_resize(a, NULL, size);
}

void *
__wrap_calloc(size_t n, size_t size)
{
	const struct allocator *a = allocator_now();
	void *p;

	if (a == NULL)
		return __real_calloc(n, size);
	p = allocator_resize_array(a, NULL, n, size);
	return p == NULL ? NULL : memset(p, 0, n * size);
}

void *
__wrap_realloc(void *block, size_t size)
{
	const struct allocator *a = allocator_now();

	return a == NULL ? __real_realloc(block, size) :
	    allocator_resize(a, block, size);
}

void *
__wrap_reallocarray(void *block, size_t n, size_t size)
{
	const struct allocator *a = allocator_now();

	return a == NULL ? __real_reallocarray(block, n, size) :
	    allocator_resize_array(a, block, n, size);
}

/*
 * The only caller wants blocks on huge pages (base/huge_pages.c), and is as
 * right on others, only slower.
 */
int
__wrap_posix_memalign(void **block, size_t alignment, size_t size)
{
	const struct allocator *a = allocator_now();

	if (a == NULL)
		return __real_posix_memalign(block, alignment, size);
	*block = allocator_resize(a, NULL, size);
	return *block == NULL ? ENOMEM : 0;
}

char *
__wrap_strdup(const char *text)
{
	const struct allocator *a = allocator_now();
	size_t size;
	char *copy;

	if (a == NULL)
		return __real_strdup(text);
	size = strlen(text) + 1;
	copy = allocator_resize(a, NULL, size);
	return copy == NULL ? NULL : memcpy(copy, text, size);
}

/* As free(3) of POSIX 2024, leaves errno alone. */
void
__wrap_free(void *block)
{
	const struct allocator *a = allocator_now();
	int error = errno;

	if (a == NULL)
		__real_free(block);
	else if (block != NULL)
		a->call(a->arg, block, 0);
	errno = error;
}
