#include "base/vector_add.h"

#include "base/cpu.h"

/* Vectors of the compiler, which uses those that the processor has. */
typedef uint64_t vector_four __attribute__((vector_size(32)));

/* A cache line holds two vectors. */
enum { FOUR = 4, LINE = 8 };

__attribute__((always_inline)) static inline void
vector_load(vector_four *v, const uint64_t *counts)
{
	memcpy(v, counts, sizeof(*v));
}

/* Compilers turn this into vector instructions. */
#define ANY_OF(v) ((v)[0] | (v)[1] | (v)[2] | (v)[3])

__attribute__((always_inline)) static inline uint64_t
vector_any_bits_of(const uint64_t *counts, size_t n)
{
	vector_four all = { 0 }, others = { 0 }, low, high;
	uint64_t any = 0;
	size_t i = 0;

	for (; i + LINE <= n; i += LINE) {
		vector_load(&low, counts + i);
		vector_load(&high, counts + i + FOUR);
		all |= low;
		others |= high;
	}
	for (; i < n; i++)
		any |= counts[i];
	all |= others;
	return any | ANY_OF(all);
}

/* Most counters are 0: sums to which nothing is added are not touched. */
__attribute__((always_inline)) static inline uint64_t
vector_add_to(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n)
{
	vector_four all = { 0 }, low, high, either, sum;
	uint64_t any = 0;
	size_t i = 0;

	for (; i + LINE <= n; i += LINE) {
		vector_load(&low, counts + i);
		vector_load(&high, counts + i + FOUR);
		either = low | high;
		if (ANY_OF(either) == 0)
			continue;
		vector_load(&sum, into + i);
		all |= sum;
		low += sum;
		vector_load(&sum, into + i + FOUR);
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
vector_any_bits_portable(const uint64_t *counts, size_t n)
{
	return vector_any_bits_of(counts, n);
}

static uint64_t
vector_add_portable(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n)
{
	return vector_add_to(into, counts, n);
}

/* The same, compiled for processors with vectors of 256 bits. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static uint64_t
vector_any_bits_avx2(const uint64_t *counts, size_t n)
{
	return vector_any_bits_of(counts, n);
}

__attribute__((target("avx2"))) static uint64_t
vector_add_avx2(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n)
{
	return vector_add_to(into, counts, n);
}
#else
#define vector_any_bits_avx2 vector_any_bits_portable
#define vector_add_avx2 vector_add_portable
#endif

uint64_t
vector_any_bits(const uint64_t *counts, size_t n)
{
	return (cpu_has_avx2() ? vector_any_bits_avx2
			       : vector_any_bits_portable)(counts, n);
}

uint64_t
vector_add(uint64_t *restrict into, const uint64_t *restrict counts, size_t n)
{
	return (cpu_has_avx2() ? vector_add_avx2 : vector_add_portable)(
	    into, counts, n);
}
