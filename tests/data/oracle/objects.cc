// C++ for the oracle tests: virtual and indirect calls, local functions,
// templates, lambdas, conditions.  What is run, and in which order, depends on
// the argument.  No library is needed but C's.
extern "C" int atoi(const char *);
extern "C" void *memcpy(void *, const void *, __SIZE_TYPE__);
extern "C" void *memset(void *, int, __SIZE_TYPE__);

#define NOINLINE __attribute__((noinline))

struct Shape {
	virtual int area(int n) const { return n; }
	virtual int edges() const { return 0; }
};

struct Square : Shape {
	int area(int n) const override { return n * n; }
	int edges() const override { return 4; }
};

namespace {
struct Strip : Shape {
	int area(int n) const override { return n > 9 || n < 2 ? 3 : n; }
};

template <int N> struct Fold {
	static int go(int n) { return n % N ? Fold<N - 1>::go(n / 2) : N; }
};

template <> struct Fold<1> {
	static int go(int n) { return n; }
};
}

static int twice(int n) { return n * 2; }
static int halve(int n) { return n > 1 ? n / 2 : 0; }
static int less(int n) { while (n > 50) n -= 7; return n; }

char from[4096], to[4096];

template <typename F> NOINLINE int apply(F f, int n) { return f(n); }

NOINLINE int call(int (*f)(int), int n) { return f(n); }

NOINLINE int measure(const Shape &s, int n) { return s.area(n) + s.edges(); }

NOINLINE void copy(__SIZE_TYPE__ n)
{
	memcpy(to, from, n);
	memset(from, 1, n / 3);
}

NOINLINE int wanted(bool a, bool b, bool c, bool d)
{
	if ((a && b) || (c && !d))
		return 1;
	return a && !c ? 2 : 3;
}

NOINLINE int unused(int n) { return n ? unused(n - 1) : 0; }

NOINLINE int odd_only(int n) { return n * 5; }
NOINLINE int many_only(int n) { return n * 7; }

int main(int argc, char **argv)
{
	int (*const calls[])(int) = { twice, halve, less, Fold<5>::go };
	int n = argc > 1 ? atoi(argv[1]) : 5, sum = 0;
	Square square;
	Strip strip;
	Shape plain;

	if (n % 2)
		sum += odd_only(n);
	for (int i = 0; i < n; i++) {
		const Shape *shapes[] = { &square, &strip, &square, &plain };

		sum += call(calls[i * i % (n > 10 ? 4 : 3)], i);
		sum += measure(*shapes[i % 4], i);
		copy(i * 37 % 3000);
		sum += wanted(i & 1, i & 2, i & 4, i & 8);
		sum += apply([=](int x) { return x > i ? x : n; }, i * 3 % 11);
	}
	if (n > 20)
		sum += many_only(n);
	if (n % 2 == 0)
		sum += odd_only(n);
	if (argc > 3)
		sum += unused(argc);
	return sum == 0;
}
