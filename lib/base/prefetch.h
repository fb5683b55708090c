/*
 * base/prefetch.h - functions that ask memory for what is needed soon
 *
 * Those that do nothing else seem to GCC (12 to 14) to do nothing at all, so
 * that it drops their calls, unless they are part of who calls them before it
 * looks.
 */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#if defined __GNUC__
#define PREFETCH_INLINE static inline __attribute__((always_inline))
#else
#define PREFETCH_INLINE static inline
#endif

#endif
