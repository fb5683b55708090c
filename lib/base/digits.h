/* digits.h - numbers in texts that LLVM or people read */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include "base/bytes.h"

/* False if it is no number of that base, from 2 to 16, or above max. */
bool digits_parse(struct prof_span, unsigned base, uint64_t max,
    uint64_t *out);

/* StringRef.cpp, getAutoSenseRadix: 0x, 0b, 0o, 0 or decimal. */
bool digits_auto(struct prof_span, uint64_t max, uint64_t *out);

/* Bytes of the longest decimal number. */
enum { DIGITS_MAX = 20 };

/* Writes a decimal number, and gives back where it ends. */
uint8_t *digits_put(uint8_t *to, uint64_t);
void digits_append(struct buf *, uint64_t);

/* The numbers, each with what stands behind it, of two bytes at most. */
void digits_append_many(struct buf *, const uint64_t *, size_t n,
    const char *behind);

#endif
