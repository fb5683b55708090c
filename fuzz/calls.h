/* calls.h - inputs of the library target: calls, and then an image */
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include <stddef.h>
#include <stdint.h>

enum { CALLS_MAX = 63 };

/* Where the image begins: behind the number of calls and a byte for each. */
static inline size_t
calls_end(const uint8_t *data, size_t size)
{
	size_t n = size == 0 ? 0 : (size_t)data[0] % (CALLS_MAX + 1) + 1;

	return n < size ? n : size;
}

#endif
