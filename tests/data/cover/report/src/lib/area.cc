#include "box.h"

extern "C" int
area(int width, int height)
{
	if (filled(width, height))
		return width * height;
	return -1;
}

static int
idle(int x)
{
	return x + 1;
}
