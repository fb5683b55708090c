#include <stdio.h>
#include <stdlib.h>
#define SQ(x) ((x) > 2 ? (x) * (x) : 0)

static int
pick(int n)
{
	if (n > 3) {
		puts("large");
		return 1;
	}
	if (n < 0)
		abort(); /* LCOV_EXCL_LINE */
	/* LCOV_EXCL_START */
	if (n == 77)
		return 3;
	/* LCOV_EXCL_STOP */
	return SQ(n);
}

int other(int n);

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 0;

	return pick(n) + other(n) == 99;
}
