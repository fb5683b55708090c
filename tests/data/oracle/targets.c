/*
 * Sites with up to 80 targets and as many sizes; some targets are functions of
 * the C library, which no profile names.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define F(n) static int f##n(int x) { return x + n; }
#define TEN(p) F(p##0) F(p##1) F(p##2) F(p##3) F(p##4) F(p##5) F(p##6) \
	F(p##7) F(p##8) F(p##9)
TEN(1) TEN(2) TEN(3) TEN(4) TEN(5) TEN(6) TEN(7) TEN(8)
#undef TEN
#define TEN(p) f##p##0, f##p##1, f##p##2, f##p##3, f##p##4, f##p##5, \
	f##p##6, f##p##7, f##p##8, f##p##9

static int (*const known[])(int) = {
	TEN(1), TEN(2), TEN(3), TEN(4), TEN(5), TEN(6), TEN(7), TEN(8)
};
static int (*const mixed[])(int) = {
	isalpha, isdigit, isspace, toupper, tolower, f10, f11, abs
};

char from[800], to[800];

__attribute__((noinline)) int
call_known(int (*f)(int), int n)
{
	return f(n);
}

__attribute__((noinline)) int
call_mixed(int (*f)(int), int n)
{
	return f(n);
}

__attribute__((noinline)) void
copy(size_t n)
{
	memcpy(to, from, n);
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 5;
	volatile int sum = 0;

	for (int i = 0; i < n * 50; i++) {
		sum += call_known(known[i * i % 80], i);
		sum += call_mixed(mixed[(i * 7 + i / 3) % (n % 6 + 3)],
		    i & 127);
		copy((size_t)(i * 37 % 700));
	}
	return sum == 0;
}
