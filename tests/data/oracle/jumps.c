/*
 * C for the oracle tests: jumps of all kinds, recursion, sizes, and local
 * functions of names that another file (helpers.c) has too.  The argument says
 * how often.
 */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

int other(int n);

static jmp_buf away;

static int
helper(int n)
{
	while (n > 3 && n % 7)
		n--;
	return n;
}

static int
jump(int n)
{
	if (n % 3 == 2)
		longjmp(away, n);
	return n;
}

int
repeat(int n)
{
	int sum = 0;

more:
	sum += n;
	if (sum < 50 && n > 0)
		goto more;
	return sum;
}

int
choose(int n)
{
	switch (n % 12) {
	case 1:
		return 3;
	case 2:
	case 3:
		n++;
		break;
	case 9:
		return 5;
	default:
		do
			n -= 2;
		while (n > 0);
	}
	return n ? n : 7;
}

static int
sizes(size_t n)
{
	static char a[3000], b[3000];

	memset(a, (int)n, n);
	memcpy(b, a, n * 3 % 1000);
	memmove(a + 1, a, n / 2);
	return b[n];
}

static int
fibonacci(int n)
{
	return n <= 1 ? 1 : fibonacci(n - 1) + fibonacci(n - 2);
}

int
never(int n)
{
	return n ? never(n - 1) : 2;
}

static int (*volatile calls[])(int) = { helper, other, repeat, abs };

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5;
	volatile int i, sum = 0;

	for (i = 0; i < n; i++) {
		if (setjmp(away) == 0)
			sum += jump(i);
		else
			sum += 100;
		sum += calls[i * i % 4](i);
		sum += choose(i);
		sum += sizes((size_t)(i * 11 % 2000));
	}
	sum += fibonacci(n % 15);
	if (argc > 5)
		sum += never(n);
	return sum == 0;
}
