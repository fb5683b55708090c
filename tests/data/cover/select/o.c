int other(int n);
static int never(void) { return 3; }
int
other(int n)
{
	while (n > 5)
		n /= 2;
	return n == 4 ? never() : n; /* LCOV_EXCL_BR_LINE */
}
