#define LESS(a, b) ((a) < (b) ? (a) : (b))
static inline int unused(void) { return 0; }
int least(int a, int b) {
	/* Of two, if both are above 0. */
	if (a > 0 && b > 0)
		return LESS(a, b);
	return 0;
}
