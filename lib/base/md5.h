/* base/md5.h - MD5 (RFC 1321) of a whole input in memory */
#ifndef BASE_MD5_H
#define BASE_MD5_H

#include <stddef.h>
#include <stdint.h>

#include "prof/base.h"

void md5(const void *data, size_t size, uint8_t digest[16]);

/* The first 8 bytes of the digest as a little-endian number. */
uint64_t md5_u64(const void *data, size_t size);

/* The same of n inputs; in vectors, several inputs at once. */
void md5_u64_many(const struct prof_span *, size_t n, uint64_t *out);

#endif
