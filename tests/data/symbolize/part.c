/* A shared library that allocates, and calls back. */
#include <stdlib.h>

void *part_new(size_t);
void part_each(void (*)(int), int);

void *
part_new(size_t size)
{
	return malloc(size);
}

void
part_each(void (*call)(int), int count)
{
	for (int i = 0; i < count; i++)
		call(i);
}
