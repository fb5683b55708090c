/* base/cpu.h - what the processor at hand can do */
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

/* Vectors of 256 bits: only x86-64 is asked, elsewhere the answer is no. */
static inline bool
cpu_has_avx2(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("avx2");
#else
	return false;
#endif
}

/* The instruction for CRC-32C. */
static inline bool
cpu_has_crc32c(void)
{
#ifdef __x86_64__
	return __builtin_cpu_supports("sse4.2");
#else
	return false;
#endif
}

#endif
