/* base/numbers.h - numbers: as text, in rows, sorted, in sets and ranges */
#ifndef BASE_NUMBERS_H
#define BASE_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/bytes.h"

/*
 * SIMD within a register: eight bytes of text in a word
 *
 * The first byte of the text is the lowest byte of the word, on any machine.
 */

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

/* Numbers as text, in bases from 2 to 16 */

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

void digits_append(struct buf *, uint64_t);

/* Appends each number and `behind`, a text of one or two bytes. */
void digits_append_many(struct buf *, const uint64_t *, size_t n,
    const char *behind);

/* Appends two lower-case hexadecimal digits a byte. */
void digits_append_hex(struct buf *, struct prof_span bytes);

/*
 * Arrays of numbers that take 0, 1, 2, 4 or 8 bytes each,
 * little-endian, as the largest of them needs
 */

/*
 * The width of a number in bytes.  That of an array is the width of all bits of
 * its numbers together.
 */
unsigned narrow_width(uint64_t);

/* Stores n numbers, of which each fits in `width` bytes. */
void narrow_store(uint8_t *to, const uint64_t *, size_t n, unsigned width);

/* Loads n numbers, which are all 0 if the width is 0. */
void narrow_load(uint64_t *to, const uint8_t *from, size_t n, unsigned width);

/*
 * Rows of decimal numbers, as in lists of JSON
 *
 * Most counters of a profile are 0 or small: up to four numbers of one digit
 * are read at once.
 */

/* Numbers that may be overwritten behind those that were read. */
enum { NUMBER_ROW_SLACK = 4 };

/*
 * Reads numbers of up to 8 digits without leading zeros, a comma behind each,
 * until others come, n are read, or few bytes are left.  Returns how many;
 * *text is then behind the last comma.  `numbers` has room for n and the slack.
 */
size_t number_row_get(const uint8_t **text, const uint8_t *end,
    uint64_t *numbers, size_t n);

/*
 * Binary search in items that are sorted by a number
 *
 * Items of `size` bytes ascend by a uint64_t, which is the first member of
 * each, or all of it.  Equal numbers may occur.  Inlined, so that the size of
 * an item is a constant.
 */

static inline uint64_t
number_of_item(const void *items, size_t size, size_t i)
{
	return *(const uint64_t *)(const void *)((const char *)items +
	    i * size);
}

/* How many items have a number below n: the index of the first other one. */
static inline size_t
numbers_below(const void *items, size_t count, size_t size, uint64_t n)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (number_of_item(items, size, middle) < n)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* How many items have a number of at most n: the index behind the last one. */
static inline size_t
numbers_up_to(const void *items, size_t count, size_t size, uint64_t n)
{
	return n == UINT64_MAX ? count : numbers_below(items, count, size,
	    n + 1);
}

/*
 * Sets of numbers
 *
 * A set is an array in an arena.  Numbers are appended, also if they are there;
 * when the array is full, it is sorted and duplicates are removed, and it grows
 * only if it is still half full.  Sets are small and sorted in the end anyway,
 * so that a hash table would cost more.
 */

/* After number_set_sort, items ascend and are unique. */
struct number_set {
	uint64_t *items;
	size_t size, room;
};

/* False if out of memory. */
bool number_set_add(struct number_set *, struct arena *, uint64_t item);
void number_set_sort(struct number_set *);

/* Whether a sorted set has the number. */
bool number_set_has(const struct number_set *, uint64_t item);

/* Items sorted by a number of 64 bits */

struct number_sort_item {
	uint64_t key;
	uint32_t item;
};

/*
 * Sorts by key; items with equal keys stay in their order.  False if out of
 * memory.  Several times as fast as qsort for keys that are hashes.
 */
bool number_sort(struct number_sort_item *, size_t n);

/* Sums and copies of arrays of numbers, by vectors */

/* The bits that are set in any of the numbers. */
uint64_t vector_any_bits(const uint64_t *counts, size_t n);

/*
 * Adds modulo 2^64.  Returns the bits that were set in any number of `into`
 * before, except in groups of 8 to which only zeros were added.
 */
uint64_t vector_add(uint64_t *restrict into, const uint64_t *restrict counts,
    size_t n);

/* Vectors that all processors have, inlined for short arrays. */
typedef uint64_t vector_two __attribute__((vector_size(16)));

/* By pointer: without SSE a vector cannot be returned. */
static inline void
vector_copy_two(uint64_t *to, const uint8_t *from, vector_two *any)
{
	vector_two two;

	memcpy(&two, from, sizeof(two));
	memcpy(to, &two, sizeof(two));
	*any |= two;
}

/* Copies from any address.  Returns the bits that are set in any number. */
static inline uint64_t
vector_copy(uint64_t *restrict to, const void *restrict counts, size_t n)
{
	const uint8_t *from = counts;
	vector_two any = { 0 };
	uint64_t one = 0;
	size_t i = 0;

	for (; i + 4 <= n; i += 4) {
		vector_copy_two(to + i, from + 8 * i, &any);
		vector_copy_two(to + i + 2, from + 8 * i + 16, &any);
	}
	if (i + 2 <= n) {
		vector_copy_two(to + i, from + 8 * i, &any);
		i += 2;
	}
	if (i < n) {
		memcpy(&one, from + 8 * i, sizeof(one));
		to[i] = one;
	}
	return any[0] | any[1] | one;
}

/*
 * Finds the address range that contains an address
 *
 * Ranges may overlap, as those of inlined functions do: an address belongs to
 * the range with the highest rank.
 *
 * Adding and finding may alternate, as where segments of a profile follow its
 * stacks.  Sorting all ranges for each new one would take quadratic time, so
 * that the ranges that were added since the last time are a batch of their own.
 * A batch absorbs those before it that have not at least twice as many ranges.
 * Thus no range is sorted often, and few batches have to be searched.
 */

struct interval {
	uint64_t start, end;		/* [start, end) */
	uint32_t rank;
};

struct interval_batch {
	size_t end;			/* in items */
	size_t ranges;			/* before they were cut */
};

/* All zero is empty. */
struct intervals {
	struct interval *items;		/* of the batches, then new ones */
	size_t size, room;
	struct interval_batch *batches;
	size_t batches_size;
};

/* Adds a range; an empty one is ignored.  False if out of memory. */
bool intervals_add(struct intervals *, uint64_t start, uint64_t end,
    uint32_t rank);

/*
 * To be called before intervals_find if ranges were added: sorts the batch, and
 * cuts its ranges so that none overlaps another one of the batch.  False if out
 * of memory; ranges may be missing then until a later call succeeds.
 */
bool intervals_build(struct intervals *);

/*
 * To be called once, in place of intervals_build: an address then belongs to
 * the range that begins last, and of those that begin together, to the one with
 * the highest rank.
 */
bool intervals_nest(struct intervals *);

/*
 * The range that contains the address, or NULL.  If intervals_build was called
 * once only, all addresses from its start to its end belong to its rank.
 */
const struct interval *intervals_find(const struct intervals *, uint64_t);

/* Removes all ranges; the memory is used again. */
void intervals_clear(struct intervals *);
void intervals_free(struct intervals *);

/*
 * The Mersenne Twister of 32 bits (Matsumoto and Nishimura,
 * 1998)
 *
 * The same numbers as C++'s std::mt19937.  Not for secrets: they can be
 * guessed.
 */

enum { MT19937_SIZE = 624 };

struct mt19937 {
	uint32_t state[MT19937_SIZE];
	size_t used;			/* numbers returned so far */
};

void mt19937_seed(struct mt19937 *, uint32_t seed);
uint32_t mt19937_next(struct mt19937 *);

#endif
