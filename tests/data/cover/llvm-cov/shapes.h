static inline int clip(int x, int limit) { return x > limit ? limit : x; }

static inline int never(int x)
{
	return x ? 1 : 2;
}
