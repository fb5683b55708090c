// A shared object with a profile of its own.
extern "C" int lib_count(int n)
{
	int odd = 0;

	for (int i = 0; i < n; i++)
		if (i % 2)
			odd++;
	return odd;
}

extern "C" int lib_unused(int n) { return n > 1 ? 1 : 2; }
