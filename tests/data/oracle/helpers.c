/* The other file of jumps.c, with a `helper` of its own. */
static int
helper(int n)
{
	return n > 5 || n < -5 ? 2 * n : n;
}

int
other(int n)
{
	return helper(n) + 1;
}

static int
unused(int n)
{
	return n;
}

int (*exposed)(int) = unused;
