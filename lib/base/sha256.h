/* base/sha256.h - SHA-256 (FIPS 180-4), by nettle */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include "prof/base.h"

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

#endif
