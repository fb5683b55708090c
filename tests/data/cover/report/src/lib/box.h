/* Instances: a template, and a static function of two files. */
#define BOTH(a, b) ((a) > 0 && (b) > 0)

template <typename T> T
larger(T a, T b)
{
	if (a > b)
		return a;
	return b;
}

static inline int
filled(int width, int height)
{
	if (BOTH(width, height))
		return 1;
	return 0;
}
