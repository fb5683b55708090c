/* The shared object of opener.c. */
static int
helper(int n)
{
	return n % 3 ? n : 1;
}

int
count(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += helper(i);
	return sum;
}

int (*
get_helper(void))(int)
{
	return helper;
}
