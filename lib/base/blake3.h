/* base/blake3.h - BLAKE3 without a key, of a whole input in memory */
#ifndef BASE_BLAKE3_H
#define BASE_BLAKE3_H

#include <stddef.h>
#include <stdint.h>

#include "prof/base.h"

void blake3(const void *data, size_t size, uint8_t digest[32]);

/* The first 8 bytes of the digest as a little-endian number. */
uint64_t blake3_u64(const void *data, size_t size);

/* The same of n inputs; in vectors, several inputs at once. */
void blake3_u64_many(const struct prof_span *, size_t n, uint64_t *out);

#endif
