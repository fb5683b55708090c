/*
 * base/swar.h - SIMD within a register: eight bytes of text in a word
 *
 * The first byte of the text is the lowest byte of the word, on any machine.
 */
#ifndef BASE_SWAR_H
#define BASE_SWAR_H

#include "base/bytes.h"

/* A word of eight such bytes. */
#define SWAR_BYTES(byte)	(UINT64_C(0x0101010101010101) * (byte))

static inline uint64_t
swar_load(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return host_order(false) ? v : __builtin_bswap64(v);
}

static inline void
swar_store(uint8_t *p, uint64_t v)
{
	if (!host_order(false))
		v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

/* 0 if eight bytes are the same at p and in the text, at the same place. */
static inline uint64_t
swar_differ(const uint8_t *p, const char *text, size_t at)
{
	uint64_t a, b;

	memcpy(&a, p + at, 8);
	memcpy(&b, text + at, 8);
	return a ^ b;
}

/*
 * True if the text is at p; inlined, it becomes one comparison of up to 32
 * bytes.  Words overlap where the size is no multiple of 8.
 */
__attribute__((always_inline)) static inline bool
swar_same(const uint8_t *p, const char *text, size_t size)
{
	uint32_t a, b, c, d;

	if (size < 4)
		return memcmp(p, text, 1) == 0 &&
		    memcmp(p + size / 2, text + size / 2, 1) == 0 &&
		    memcmp(p + size - 1, text + size - 1, 1) == 0;
	if (size < 8) {
		memcpy(&a, p, 4);
		memcpy(&b, text, 4);
		memcpy(&c, p + size - 4, 4);
		memcpy(&d, text + size - 4, 4);
		return ((a ^ b) | (c ^ d)) == 0;
	}
	if (size <= 16)
		return (swar_differ(p, text, 0) |
		    swar_differ(p, text, size - 8)) == 0;
	if (size > 32)
		return memcmp(p, text, size) == 0;
	return (swar_differ(p, text, 0) | swar_differ(p, text, 8) |
	    swar_differ(p, text, size - 16) |
	    swar_differ(p, text, size - 8)) == 0;
}

/* How many bytes come before the first one that has a bit set; v is not 0. */
static inline size_t
swar_first(uint64_t v)
{
	return (size_t)__builtin_ctzll(v) / 8;
}

/*
 * 0 if no byte needs an escape in a string of JSON: ASCII from the space on,
 * without quote, backslash and DEL.  Otherwise the lowest bit set is in the
 * first other byte; borrows and carries come only from such bytes.
 */
static inline uint64_t
swar_unplain(uint64_t v)
{
	uint64_t low = v - SWAR_BYTES(' ');
	uint64_t quote = (v ^ SWAR_BYTES('"')) - SWAR_BYTES(1);
	uint64_t backslash = (v ^ SWAR_BYTES('\\')) - SWAR_BYTES(1);

	return (v | (v + SWAR_BYTES(1)) | (~v & (low | quote | backslash))) &
	    SWAR_BYTES(0x80);
}

/*
 * The same of 16 bytes, but only for a comparison with 0.
 */
static inline uint64_t
swar_unplain2(const uint8_t *p)
{
#if defined(__SSE2__) || defined(__ARM_NEON)
	typedef int8_t sixteen __attribute__((vector_size(16)));
	sixteen v, bad;
	uint64_t halves[2];

	/* Bytes that are not ASCII are negative. */
	memcpy(&v, p, sizeof(v));
	bad = (v < ' ') | (v == '"') | (v == '\\') | (v == 0x7f);
	memcpy(halves, &bad, sizeof(halves));
	return halves[0] | halves[1];
#else
	return swar_unplain(swar_load(p)) |
	    swar_unplain(swar_load(p + 8));
#endif
}

/* 0 if all bytes are decimal digits, else as above. */
static inline uint64_t
swar_not_digits(uint64_t v)
{
	return ((v & SWAR_BYTES(0xf0)) ^ SWAR_BYTES('0')) |
	    (((v & SWAR_BYTES(0x0f)) + SWAR_BYTES(6)) & SWAR_BYTES(0x10));
}

/*
 * The number that the first n bytes are the digits of, n from 1 to 8.  Each
 * product adds neighbours: of 10 and 1, of 100 and 1, of 10000 and 1.
 */
static inline uint64_t
swar_decimal(uint64_t v, size_t n)
{
	v <<= 8 * (8 - n);
	v = (v & SWAR_BYTES(0x0f)) * (10 << 8 | 1) >> 8;
	v = (v & UINT64_C(0x00ff00ff00ff00ff)) * (100 << 16 | 1) >> 16;
	v = (v & UINT64_C(0x0000ffff0000ffff)) * (UINT64_C(10000) << 32 | 1);
	return v >> 32;
}

/* Eight lower-case hex digits, the highest first. */
static inline uint64_t
swar_hex(uint32_t number)
{
	uint64_t v = number;
	uint64_t letters;

	v = (v | v << 16) & UINT64_C(0x0000ffff0000ffff);
	v = (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v << 4) & SWAR_BYTES(0x0f);
	letters = (v + SWAR_BYTES(6)) >> 4 & SWAR_BYTES(1);
	return __builtin_bswap64(v + SWAR_BYTES('0') +
	    letters * ('a' - '0' - 10));
}

/*
 * The inverse of swar_hex.  Other characters give a number that swar_hex does
 * not turn back into them, by which a caller finds them.
 */
static inline uint32_t
swar_unhex(uint64_t digits)
{
	uint64_t v = __builtin_bswap64(digits);

	v = (v & SWAR_BYTES(0x0f)) + (v >> 6 & SWAR_BYTES(1)) * 9;
	v &= SWAR_BYTES(0x0f);
	v = (v | v >> 4) & UINT64_C(0x00ff00ff00ff00ff);
	v = (v | v >> 8) & UINT64_C(0x0000ffff0000ffff);
	return (uint32_t)(v | v >> 16);
}

#endif
