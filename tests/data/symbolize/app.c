/* A program whose allocations come from inlined functions and a library. */
#include <stdlib.h>

void *part_new(size_t);
void part_each(void (*)(int), int);

static void *volatile last;

static inline void *
fill(size_t size)
{
	char *p = malloc(size);

	p[0] = p[size - 1] = 1;
	return p;
}

static inline void *
twice(size_t size)
{
	return fill(2 * size);
}

__attribute__((noinline)) static void
keep(int i)
{
	last = twice(100 + (size_t)i);
	free(last);
}

__attribute__((noinline)) static void
make(void)
{
	last = part_new(64);
	free(last);
}

int
main(void)
{
	part_each(keep, 3);
	for (int i = 0; i < 5; i++)
		make();
	return 0;
}
