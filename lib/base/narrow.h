/*
 * base/narrow.h - arrays of numbers that take 0, 1, 2, 4 or 8 bytes each,
 * little-endian, as the largest of them needs
 */
#ifndef BASE_NARROW_H
#define BASE_NARROW_H

#include <stddef.h>
#include <stdint.h>

/*
 * The width of a number in bytes.  That of an array is the width of all bits of
 * its numbers together.
 */
unsigned narrow_width(uint64_t);

/* Stores n numbers, of which each fits in `width` bytes. */
void narrow_store(uint8_t *to, const uint64_t *, size_t n, unsigned width);

/* Loads n numbers, which are all 0 if the width is 0. */
void narrow_load(uint64_t *to, const uint8_t *from, size_t n, unsigned width);

#endif
