#define TWICE(x) ((x) + (x))
static int unused(int a) { return a ? 1 : 2; }
int half(int a)
{
	if (a > 3 && a < 10)
		return TWICE(a) / 4;
	for (int i = 0; i < a; i++)
		a -= i & 1;
	return a;
}
static inline int sq(int a) { return a * a; }
int top(int n)
{
	return n ? half(sq(n)) : 0;
}
