/* Allocates in a few contexts, one of them inlined. */
#include <stdlib.h>
#include <string.h>

static __attribute__((always_inline)) inline char *
take(size_t n)
{
	return malloc(n);
}

__attribute__((noinline)) char *
make(size_t n)
{
	char *p = take(n);

	memset(p, 1, n);
	return p;
}

__attribute__((noinline)) void
use(size_t n)
{
	char *p = make(n), *q = make(2 * n);

	free(q);
	free(p);
}

int
main(void)
{
	for (int i = 0; i < 3; i++)
		use(32);
	use(1000);
	return 0;
}
