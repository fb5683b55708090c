// Exercises what an instrumentation profile can hold: local functions and
// templates (names), indirect calls, sizes of memory operations and virtual
// calls (value profiles), conditions (MC/DC).
extern "C" void *memcpy(void *, const void *, __SIZE_TYPE__);

#define NOINLINE __attribute__((noinline))

struct Shape {
	virtual int area() const { return 0; }
};

struct Square : Shape {
	int side;
	explicit Square(int n) : side(n) {}
	int area() const override { return side * side; }
};

namespace {
struct Strip : Shape {
	int area() const override { return 3; }
};

int twice(int n) { return n * 2; }
int halve(int n) { return n > 1 ? n / 2 : 0; }
}

static char from[1024], to[1024];

template <typename T> NOINLINE T clamp(T n, T top) { return n < top ? n : top; }

NOINLINE int apply(int (*f)(int), int n) { return f(n); }

NOINLINE int measure(const Shape &s) { return s.area(); }

NOINLINE void copy(__SIZE_TYPE__ n) { memcpy(to, from, n); }

NOINLINE bool wanted(bool a, bool b, bool c) { return (a && b) || c; }

NOINLINE int unused(int n) { return n ? unused(n - 1) : 0; }

int main(int argc, char **)
{
	int (*const calls[])(int) = { twice, halve, twice };
	Square square(4);
	Strip strip;
	int sum = 0;

	for (int i = 0; i < 30; i++) {
		sum += apply(calls[i % 3], i);
		sum += measure(i % 5 ? static_cast<Shape &>(square) : strip);
		copy(clamp<__SIZE_TYPE__>(i * 40, sizeof(to)));
		sum += wanted(i & 1, i & 2, i & 4);
	}
	if (argc > 3)
		sum += unused(argc);
	return clamp(sum, 0);
}
