int deeper(int), deep(int);

static int
shallow(int x)
{
	return x > 2 ? x * 3 : deeper(x);
}

int
main(int argc, char **argv)
{
	(void)argv;
	return shallow(argc) + deep(argc) > 100;
}
