#define BOTH(a, b) ((a) && (b))

static int
pick(int a, int b, int c)
{
	if (BOTH(a, b) || c)
		return 1;
	return a || (b && 1);
}

int
main(int argc, char **argv)
{
	(void)argv;
	return pick(argc, 0, 0) + pick(0, argc, 0) + pick(1, 1, argc) > 9;
}
