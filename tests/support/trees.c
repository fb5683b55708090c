/* A program of two builds for trees.bash: calls through pointers, and sizes. */
#include <stdlib.h>
#include <string.h>

typedef int action(int);

static char text[64], copy[64];

static int
by_one(int n)
{
	return n + 1;
}

static int
by_two(int n)
{
	return n > 3 ? n + 2 : n;
}

int
by_size(int n)
{
	memcpy(copy, text, (size_t)n % sizeof(copy));
	return copy[0] + n;
}

#if BUILD == 1
/* Moves all functions behind it, and is in one build only. */
int
by_build(int n)
{
	return n * 3 > 7 ? n * n : n - 2;
}
#else
static int
by_build(int n)
{
	return n;
}
#endif

static action *const actions[] = { by_one, by_two, by_size, by_build, abs };

int
main(int argc, char **argv)
{
	int run = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < run * 7; i++)
		sum += actions[i * run % 5](i % 11);
	return sum == 1;
}
