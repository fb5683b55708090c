/* base/vector_add.h - sums and copies of arrays of numbers, by vectors */
#ifndef BASE_VECTOR_ADD_H
#define BASE_VECTOR_ADD_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* The bits that are set in any of the numbers. */
uint64_t vector_any_bits(const uint64_t *counts, size_t n);

/*
 * Adds modulo 2^64.  Returns the bits that were set in any number of `into`
 * before, except in groups of 8 to which only zeros were added.
 */
uint64_t vector_add(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n);

/* Vectors that all processors have, inlined for short arrays. */
typedef uint64_t vector_two __attribute__((vector_size(16)));

/* By pointer: without SSE a vector cannot be returned. */
static inline void
vector_copy_two(uint64_t *to, const uint8_t *from, vector_two *any)
{
	vector_two two;

	memcpy(&two, from, sizeof(two));
	memcpy(to, &two, sizeof(two));
	*any |= two;
}

/* Copies from any address.  Returns the bits that are set in any number. */
static inline uint64_t
vector_copy(uint64_t *restrict to, const void *restrict counts, size_t n)
{
	const uint8_t *from = counts;
	vector_two any = { 0 };
	uint64_t one = 0;
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		vector_copy_two(to + i, from + 8 * i, &any);
		vector_copy_two(to + i + 2, from + 8 * i + 16, &any);
	}
	if (i + 2 <= n) {
		vector_copy_two(to + i, from + 8 * i, &any);
		i += 2;
	}
	if (i < n) {
		memcpy(&one, from + 8 * i, sizeof(one));
		to[i] = one;
	}
	return any[0] | any[1] | one;
}

#endif
