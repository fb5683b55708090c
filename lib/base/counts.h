/* counts.h - counts as a whole */
#ifndef BASE_COUNTS_H
#define BASE_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* The bits that are set in some count; four at a time become vectors. */
static inline uint64_t
counts_any_bits(const uint64_t *counts, size_t n)
{
	uint64_t any[4] = { 0 };
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		for (size_t k = 0; k < 4; k++)
			any[k] |= counts[i + k];
	}
	for (; i < n; i++)
		any[0] |= counts[i];
	return any[0] | any[1] | any[2] | any[3];
}

#endif
