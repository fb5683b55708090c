/* base/digests.h - MD5, BLAKE3, SHA-256 and CRC-32C */
#ifndef BASE_DIGESTS_H
#define BASE_DIGESTS_H

#include <stddef.h>
#include <stdint.h>

#include "prof/base.h"

/* MD5 (RFC 1321) of a whole input in memory */

void md5(const void *data, size_t size, uint8_t digest[16]);

/* The first 8 bytes of the digest as a little-endian number. */
uint64_t md5_u64(const void *data, size_t size);

/* The same of n inputs; in vectors, several inputs at once. */
void md5_u64_many(const struct prof_span *, size_t n, uint64_t *out);

/* BLAKE3 without a key, of a whole input in memory */

/* The first 8 bytes of the digest as a little-endian number. */
uint64_t blake3_u64(const void *data, size_t size);

/* SHA-256 (FIPS 180-4), by nettle */

enum { SHA256_SIZE = 32, SHA256_TEXT = 2 * SHA256_SIZE };

void sha256_of(struct prof_span, uint8_t out[SHA256_SIZE]);

/* The digest of an input that comes in pieces. */
struct sha256;

struct sha256 *sha256_new(void);		/* NULL if out of memory */
void sha256_add(struct sha256 *, const void *, size_t);
/* The digest of all pieces; the next piece begins a new input. */
void sha256_end(struct sha256 *, uint8_t out[SHA256_SIZE]);
void sha256_free(struct sha256 *);		/* NULL is fine */

/* 64 hex digits and NUL. */
void sha256_text(const uint8_t digest[SHA256_SIZE], char out[SHA256_TEXT + 1]);

/* The CRC-32C of RFC 3720, a checksum of blocks */

uint32_t crc32c(struct prof_span);

#endif
