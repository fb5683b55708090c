#include "base/vector_add.h"

#include <stdbool.h>

/* Vectors, which compilers make of those that the processor has. */
typedef uint64_t fours __attribute__((vector_size(32)));

/* A cache line has two of them. */
enum { FOUR = 4, LINE = 8 };

__attribute__((always_inline)) static inline void
load(fours *v, const uint64_t *counts)
{
	memcpy(v, counts, sizeof(*v));
}

/* Compilers see that it is one vector, and a number in the end. */
#define ANY_OF(v) ((v)[0] | (v)[1] | (v)[2] | (v)[3])

__attribute__((always_inline)) static inline uint64_t
any_bits(const uint64_t *counts, size_t n)
{
	fours all = { 0 }, others = { 0 }, low, high;
	uint64_t any = 0;
	size_t i = 0;

	for (; i + LINE <= n; i += LINE) {
		load(&low, counts + i);
		load(&high, counts + i + FOUR);
		all |= low;
		others |= high;
	}
	for (; i < n; i++)
		any |= counts[i];
	all |= others;
	return any | ANY_OF(all);
}

/* Most of a program does not run: what nothing is added to is not touched. */
__attribute__((always_inline)) static inline uint64_t
add(uint64_t *restrict into, const uint64_t *restrict counts, size_t n)
{
	fours all = { 0 }, low, high, either, sum;
	uint64_t any = 0;
	size_t i = 0;

	for (; i + LINE <= n; i += LINE) {
		load(&low, counts + i);
		load(&high, counts + i + FOUR);
		either = low | high;
		if (ANY_OF(either) == 0)
			continue;
		load(&sum, into + i);
		all |= sum;
		low += sum;
		load(&sum, into + i + FOUR);
		all |= sum;
		high += sum;
		memcpy(into + i, &low, sizeof(low));
		memcpy(into + i + FOUR, &high, sizeof(high));
	}
	for (; i < n; i++) {
		any |= into[i];
		into[i] += counts[i];
	}
	return any | ANY_OF(all);
}

static uint64_t
any_bits_anywhere(const uint64_t *counts, size_t n)
{
	return any_bits(counts, n);
}

static uint64_t
add_anywhere(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n)
{
	return add(into, counts, n);
}

/* The same, compiled for processors whose vectors are longer. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t
any_bits_avx2(const uint64_t *counts, size_t n)
{
	return any_bits(counts, n);
}

__attribute__((target("avx2"))) static uint64_t
add_avx2(uint64_t *restrict into, const uint64_t *restrict counts, size_t n)
{
	return add(into, counts, n);
}

static bool
has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}
#else
#define any_bits_avx2 any_bits_anywhere
#define add_avx2 add_anywhere

static bool
has_avx2(void)
{
	return false;
}
#endif

uint64_t
counts_any_bits(const uint64_t *counts, size_t n)
{
	return (has_avx2() ? any_bits_avx2 : any_bits_anywhere)(counts, n);
}

uint64_t
counts_add(uint64_t *restrict into, const uint64_t *restrict counts, size_t n)
{
	return (has_avx2() ? add_avx2 : add_anywhere)(into, counts, n);
}
