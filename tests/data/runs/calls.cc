// A position-independent program whose indirect and virtual calls have targets
// inside it: their addresses differ from run to run.
#include <cstdlib>

struct shape {
	virtual int sides(int) = 0;
	virtual ~shape() {}
};

struct ring : shape {
	int sides(int n) override { return n & 1; }
};

struct square : shape {
	int sides(int n) override { return n > 9 ? 4 : n; }
};

__attribute__((noinline)) static int
add(int n)
{
	return n + 3;
}

__attribute__((noinline)) static int
halve(int n)
{
	return n > 2 ? n / 2 : 1;
}

__attribute__((noinline)) int
walk(int n, int (*step)(int))
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += step(i);
	return sum;
}

int
main(int argc, char **argv)
{
	int turns = argc > 1 ? atoi(argv[1]) : 1, sum = 0;
	ring r;
	square s;

	for (int i = 0; i < turns; i++) {
		shape *one = i % 3 == 0 ? (shape *)&r : &s;

		sum += one->sides(i) + walk(i, i % 2 == 0 ? add : halve);
	}
	return sum == 12345;
}
