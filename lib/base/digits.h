/* base/digits.h - numbers as text, in bases from 2 to 16 */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

#include "base/bytes.h"
#include "base/swar.h"

/* False if the text is no number of that base, or the number is above max. */
bool digits_parse(struct prof_span, unsigned base, uint64_t max,
    uint64_t *out);

/* The base is told by a prefix: 0x, 0b, 0o, 0 (octal), or none (decimal). */
bool digits_auto(struct prof_span, uint64_t max, uint64_t *out);

/* Bytes of the longest decimal number. */
enum { DIGITS_MAX = 20 };

/*
 * The eight digits of a number below 10^8, one a byte, the first digit in the
 * lowest byte.  Halves, quarters and digits are divided all at once; the
 * factors are 1/100 and 1/10 as long as what is divided is below 10^4 and 100.
 */
static inline uint64_t
digits_eight(uint32_t v)
{
	uint64_t n = v / 10000 | (uint64_t)(v % 10000) << 32, tens;

	tens = n * 10486 >> 20 & 0x0000007f0000007f;
	n = tens | (n - tens * 100) << 16;
	tens = n * 103 >> 10 & 0x000f000f000f000f;
	return tens | (n - tens * 10) << 8;
}

/*
 * Writes a decimal number to a place with room for DIGITS_MAX bytes, and
 * returns the end.  Hardly a branch depends on the length, which cannot be
 * predicted.
 */
static inline uint8_t *
digits_put(uint8_t *to, uint64_t v)
{
	unsigned absent = 0;
	uint64_t eight;

	if (v < 10) {
		*to = (uint8_t)('0' + v);
		return to + 1;
	}
	if (v < 100000000) {
		eight = digits_eight((uint32_t)v);
		absent = (unsigned)__builtin_ctzll(eight) / 8;
	} else {
		to = digits_put(to, v / 100000000);
		eight = digits_eight((uint32_t)(v % 100000000));
	}
	swar_store(to, (eight | SWAR_BYTES('0')) >> absent * 8);
	return to + 8 - absent;
}

/* The numbers below 1000 as three digits and a comma, four bytes each. */
extern const uint8_t digits_three[4000];

/* Writes a number below 1000 and a comma; the place has room for 4 bytes. */
static inline uint8_t *
digits_put_three(uint8_t *to, uint32_t v)
{
	size_t absent = (size_t)(v < 100) + (size_t)(v < 10);

	memcpy(to, digits_three + 4 * v + absent, 4);
	return to + 4 - absent;
}

/* The same of a number below 10^6; the place has room for 7 bytes. */
static inline uint8_t *
digits_put_six(uint8_t *to, uint32_t v)
{
	if (v < 1000)
		return digits_put_three(to, v);
	to = digits_put_three(to, v / 1000) - 1;
	memcpy(to, digits_three + 4 * (v % 1000), 4);
	return to + 4;
}

/* Bytes of the longest one with a comma between each three digits. */
enum { DIGITS_GROUPED_MAX = DIGITS_MAX + DIGITS_MAX / 3 };

/* Copies n digits with these commas; returns the new size. */
size_t digits_group(uint8_t *to, const uint8_t *digits, size_t n);

void digits_append(struct buf *, uint64_t);

/* Appends each number and `behind`, a text of one or two bytes. */
void digits_append_many(struct buf *, const uint64_t *, size_t n,
    const char *behind);

/* Appends two lower-case hexadecimal digits a byte. */
void digits_append_hex(struct buf *, struct prof_span bytes);

#endif
