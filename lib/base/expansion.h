/*
 * base/expansion.h - the limit against inputs whose contents repeat a few bytes
 *
 * A profile of zeros shrinks well, and a reference is shorter than a name; an
 * input that was made to exhaust the memory expands further than any of these.
 */
#ifndef BASE_EXPANSION_H
#define BASE_EXPANSION_H

#include "base/bytes.h"

/* An input may expand to that many bytes, and so many times its size. */
#define EXPANSION_FREE	((uint64_t)256 << 20)
#define EXPANSION_RATIO	250

static inline uint64_t
expansion_limit_by(uint64_t input_size, uint64_t ratio)
{
	uint64_t limit;

	return mul_u64(input_size, ratio, &limit) ?
	    saturating_add(limit, EXPANSION_FREE) : UINT64_MAX;
}

static inline uint64_t
expansion_limit(uint64_t input_size)
{
	return expansion_limit_by(input_size, EXPANSION_RATIO);
}

#endif
