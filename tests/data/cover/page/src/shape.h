#define CHECK(condition) \
	do { \
		if (!(condition)) \
			return -1; \
	} while (0)

template <typename T> T twice(T x)
{
	if (x > 3)
		return x + x;
	return 2 * x;
}
