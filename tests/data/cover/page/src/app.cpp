#include "shape.h"
#include "text.h"

static int never(int n)
{
	return n * 2;
}

int choose(int a, int b, int c)
{
	if (a > 0 && (b > 0 || c > 0))
		return 1;
	return a < 0 ? never(a) : 0;
}

int check(int n)
{
	CHECK(n < 100);
	for (int i = 0; i < 3; i++) {
		if (n == 7)
			continue;
		n += i;
	}
	return n;
}

int main(int argc, char **argv)
{
	int sum = choose(1, 1, 0) + choose(0, 1, 1);

	if (argc > 5) {
		sum += 40;
		sum -= 2;
	}
	return sum + check(3) + twice(4) + (int)twice(2.0) + text("é") == 99;
}
