/* Calls the shared object that the first argument names, without linking it. */
#include <dlfcn.h>
#include <stdlib.h>

static int
helper(int n)
{
	return n & 1 ? 2 : 3;
}

int
main(int argc, char **argv)
{
	int n = argc > 2 ? atoi(argv[2]) : 5;
	void *library = dlopen(argv[1], RTLD_NOW);
	int (*count)(int), (*(*get)(void))(int), (*f)(int);
	volatile int sum = 0;

	if (library == NULL)
		return 1;
	count = (int (*)(int))dlsym(library, "count");
	get = (int (*(*)(void))(int))dlsym(library, "get_helper");
	for (int i = 0; i < n; i++) {
		f = i % 3 ? get() : helper;
		sum += count(i) + f(i);
	}
	return dlclose(library) || sum == 0;
}
