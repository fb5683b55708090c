/*
 * Local functions that are called through pointers, mostly one of them: all
 * clangs give these the same hashes.
 */
#include <stdlib.h>

static int
one(int n)
{
	return n + 1;
}

static int
two(int n)
{
	return n > 5 ? n * 2 : n;
}

static int
three(int n)
{
	for (int i = 0; i < n; i++)
		if (i % 3)
			n--;
	return n;
}

int
four(int n)
{
	return n - 2;
}

static int (*volatile calls[])(int) = { one, two, three, four };
char from[64], to[64];

int
run(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++) {
		sum += calls[i % 16 ? 2 : i % 3](i);
		__builtin_memcpy(to, from, (size_t)(i % 7 ? 64 : i % 30));
	}
	return sum;
}

int
main(int argc, char **argv)
{
	return run(argc > 1 ? atoi(argv[1]) : 400) == 0;
}
