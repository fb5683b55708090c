#include "lib/box.h"

extern "C" int area(int, int);

class shape {
public:
	int scale(int by) const { return by > 1 || sides > 3 ? by : 1; }
	int sides = 4;
};

static int
never(int x)
{
	for (int i = 0; i < x; i++) {
		if (i == 3)
			return i;
	}

	return 0;
}

int
main(int argc, char **)
{
	shape s;

	if (argc > 7)
		return never(argc);
	if (filled(argc - 1, 5))
		return 2;
	return larger(area(3, 4), s.scale(argc)) + (int)larger(1.5, 0.5) == 13 ?
	    0 : 1;
}
