/*
 * base/prefetch.h - how functions that only prefetch are declared
 *
 * GCC (12 to 14) takes a function that only calls __builtin_prefetch for one
 * without effects, and drops calls of it.  It does not if the function is
 * inlined early, which always_inline ensures.
 */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#if defined __GNUC__
#define PREFETCH_INLINE static inline __attribute__((always_inline))
#else
#define PREFETCH_INLINE static inline
#endif

#endif
