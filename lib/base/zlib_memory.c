#include "config.h"

#include "base/zlib_memory.h"

#include <stdlib.h>

voidpf
zlib_alloc(voidpf arg, uInt count, uInt size)
{
	(void)arg;
	return reallocarray(NULL, count, size);
}

void
zlib_free(voidpf arg, voidpf block)
{
	(void)arg;
	free(block);
}
