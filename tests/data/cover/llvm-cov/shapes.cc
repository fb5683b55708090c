#include "shapes.h"
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define TWICE(x) (MAX(x, 1) + MAX(x, 2))

template <class T> static T
half(T x)
{
	if (x > 3 && x < 100)
		return x / 2;
	return x;
}

static int
unused(int x)
{
	return x || 1 ? 2 : 3;
}

int
main(int argc, char **)
{
	int sum = 0;
	auto odd = [](int n) { return n % 2 != 0 && n > 5; };

	for (int i = 0; i < 1200; i++) {
		if (odd(i)) continue;
		sum += TWICE(i);
	}
#if 0
	sum = 0;
#endif
	switch (argc) {
	case 1: sum++; break;
	case 2:
	default: sum--;	/* not here */
	}
	return sum + half(argc) + half(7.5) + clip(argc, 3) > 0 ? 0 :
	    unused(1);
}
