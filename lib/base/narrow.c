#include "base/narrow.h"

#include <string.h>

#include "base/bytes.h"
#include "base/cpu.h"

/* Numbers that are loaded at once, and vectors of them. */
enum { FOUR = 4 };
typedef uint8_t narrow_u8 __attribute__((vector_size(FOUR)));
typedef uint16_t narrow_u16 __attribute__((vector_size(2 * FOUR)));
typedef uint32_t narrow_u32 __attribute__((vector_size(4 * FOUR)));
typedef uint64_t narrow_u64 __attribute__((vector_size(8 * FOUR)));

unsigned
narrow_width(uint64_t v)
{
	return v == 0 ? 0 : v <= UINT8_MAX ? 1 : v <= UINT16_MAX ? 2 :
	    v <= UINT32_MAX ? 4 : 8;
}

void
narrow_store(uint8_t *to, const uint64_t *numbers, size_t n, unsigned width)
{
	for (size_t i = 0; i < n; i++) {
		for (unsigned k = 0; k < width; k++)
			*to++ = (uint8_t)(numbers[i] >> 8 * k);
	}
}

static void
narrow_load_each(uint64_t *to, const uint8_t *from, size_t n, unsigned width)
{
	for (size_t i = 0; i < n; i++) {
		to[i] = 0;
		for (unsigned k = 0; k < width; k++)
			to[i] |= (uint64_t)*from++ << 8 * k;
	}
}

/* On a host whose own byte order is that of the numbers. */
#define LOAD_FOUR(type)							\
	for (; i + FOUR <= n; i += FOUR) {				\
		narrow_u64 wide;					\
		type few;						\
									\
		memcpy(&few, from + i * width, sizeof(few));		\
		wide = __builtin_convertvector(few, narrow_u64);	\
		memcpy(to + i, &wide, sizeof(wide));			\
	}

__attribute__((always_inline)) static inline void
narrow_load_vectors(uint64_t *restrict to, const uint8_t *restrict from,
    size_t n, unsigned width)
{
	size_t i = 0;

	if (width == 1)
		LOAD_FOUR(narrow_u8)
	else if (width == 2)
		LOAD_FOUR(narrow_u16)
	else if (width == 4)
		LOAD_FOUR(narrow_u32)
	narrow_load_each(to + i, from + i * width, n - i, width);
}

static void
narrow_load_portable(uint64_t *to, const uint8_t *from, size_t n,
    unsigned width)
{
	narrow_load_vectors(to, from, n, width);
}

/* The same, compiled for processors with vectors of 256 bits. */
#ifdef __x86_64__
__attribute__((target("avx2"))) static void
narrow_load_avx2(uint64_t *to, const uint8_t *from, size_t n, unsigned width)
{
	narrow_load_vectors(to, from, n, width);
}
#else
#define narrow_load_avx2 narrow_load_portable
#endif

void
narrow_load(uint64_t *to, const uint8_t *from, size_t n, unsigned width)
{
	if (width == 0 || n == 0)
		memset(to, 0, n * sizeof(*to));
	else if (!host_order(false))
		narrow_load_each(to, from, n, width);
	else if (width == sizeof(*to))
		memcpy(to, from, n * sizeof(*to));
	else
		(cpu_has_avx2() ? narrow_load_avx2 : narrow_load_portable)(to,
		    from, n, width);
}
