/*
 * base/bytes.h - a cursor that reads within bounds, a buffer that grows
 *
 * All reads of binary input go through a cursor.  A read past the end gives 0
 * and makes the cursor fail for good at that place, so that a caller may read a
 * whole header and check once, but checks before it uses a value as a count.
 */
#ifndef BASE_BYTES_H
#define BASE_BYTES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "prof/base.h"

/* Single values at any address, in a given byte order. */
static inline uint16_t
load_u16(const uint8_t *p, bool big)
{
	return (uint16_t)(big ? p[0] << 8 | p[1] : p[1] << 8 | p[0]);
}

static inline uint32_t
load_u32(const uint8_t *p, bool big)
{
	uint32_t a = load_u16(p, big), b = load_u16(p + 2, big);

	return big ? a << 16 | b : b << 16 | a;
}

static inline uint64_t
load_u64(const uint8_t *p, bool big)
{
	uint64_t a = load_u32(p, big), b = load_u32(p + 4, big);

	return big ? a << 32 | b : b << 32 | a;
}

/* True if this machine stores numbers in that order. */
static inline bool
host_order(bool big)
{
	const uint16_t one = 1;
	uint8_t first;

	memcpy(&first, &one, 1);
	return (first == 0) == big;
}

/* Zero bytes up to the next multiple of 8. */
static inline uint64_t
pad8(uint64_t n)
{
	return -n & 7;
}

/* a + b and a * b; false if the result does not fit. */
static inline bool
add_u64(uint64_t a, uint64_t b, uint64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

static inline bool
mul_u64(uint64_t a, uint64_t b, uint64_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

/* a + b, or UINT64_MAX if that is too large. */
static inline uint64_t
saturating_add(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Below, equal to or above 0, as a is to b. */
static inline int
compare_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

struct cursor {
	const uint8_t *data;
	size_t size;
	size_t pos;
	bool big;		/* byte order of the input */
	bool failed;		/* pos is where a read did not fit */
};

static inline size_t
cur_left(const struct cursor *c)
{
	return c->size - c->pos;
}

/* The next n bytes, borrowed from the input; NULL if there are fewer. */
static inline const uint8_t *
cur_bytes(struct cursor *c, uint64_t n)
{
	const uint8_t *p = c->data + c->pos;

	if (c->failed || n > cur_left(c)) {
		c->failed = true;
		return NULL;
	}
	c->pos += (size_t)n;
	return p;
}

static inline uint8_t
cur_u8(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 1);

	return p == NULL ? 0 : *p;
}

static inline uint16_t
cur_u16(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 2);

	return p == NULL ? 0 : load_u16(p, c->big);
}

static inline uint32_t
cur_u32(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 4);

	return p == NULL ? 0 : load_u32(p, c->big);
}

static inline uint64_t
cur_u64(struct cursor *c)
{
	const uint8_t *p = cur_bytes(c, 8);

	return p == NULL ? 0 : load_u64(p, c->big);
}

/* As cur_uleb, for a number of any number of bytes. */
uint64_t cur_uleb_long(struct cursor *);

/* Fails too if the number has more than 64 bits.  Most have a byte or two. */
static inline uint64_t
cur_uleb(struct cursor *c)
{
	size_t left = c->failed ? 0 : cur_left(c);

	if (left > 0 && c->data[c->pos] < 0x80)
		return c->data[c->pos++];
	if (left > 1 && c->data[c->pos + 1] < 0x80) {
		c->pos += 2;
		return (c->data[c->pos - 2] & 0x7fu) |
		    (uint64_t)c->data[c->pos - 1] << 7;
	}
	return cur_uleb_long(c);
}

static inline bool
bytes_are_zero(const void *bytes, size_t size)
{
	const uint8_t *p = bytes;

	return size == 0 || (p[0] == 0 && memcmp(p, p + 1, size - 1) == 0);
}

static inline bool
numbers_are_zero(const uint64_t *numbers, size_t n)
{
	return bytes_are_zero(numbers, n * sizeof(*numbers));
}

/*
 * Bytes that grow.  All zero is empty; failed (out of memory) is sticky.  A
 * buffer with a maximum fails, and is full, if it would have to grow beyond.
 */
struct buf {
	uint8_t *data;
	size_t size, room;
	bool failed, full;
	size_t max;			/* of room; 0: none */
};

/* As buf_reserve, for a buffer that has failed or has no room. */
uint8_t *buf_grow(struct buf *, size_t n);

/*
 * Makes room for n bytes behind data + size, and returns that address; NULL if
 * out of memory.  Inlined, as buf_put is: most pieces are small and find room.
 */
static inline uint8_t *
buf_reserve(struct buf *b, size_t n)
{
	if (b->failed || b->data == NULL || b->room - b->size < n)
		return buf_grow(b, n);
	return b->data + b->size;
}

/* The bytes of the buffer, valid until more are appended. */
static inline struct prof_span
buf_span(const struct buf *b)
{
	return (struct prof_span){ b->data, b->size };
}

void buf_put_grow(struct buf *, const void *, size_t);
void buf_zeros(struct buf *, size_t);

/* A prof_sink that appends to the struct buf; ENOMEM if that has failed. */
int buf_sink(void *buf, const void *, size_t);

void buf_pad8(struct buf *);
/* The low `width` bytes of a number, 1 to 8, in a byte order. */
void buf_number(struct buf *, uint64_t, size_t width, bool big);
/* Numbers of 8 bytes each. */
void buf_words(struct buf *, const uint64_t *, size_t n, bool big);
void buf_u16le(struct buf *, uint16_t);
void buf_u32le(struct buf *, uint32_t);
void buf_uleb(struct buf *, uint64_t);

static inline void
buf_u8(struct buf *b, uint8_t v)
{
	uint8_t *p = buf_reserve(b, 1);

	if (p == NULL)
		return;
	*p = v;
	b->size++;
}

static inline void
buf_put(struct buf *b, const void *data, size_t size)
{
	if (b->failed || size == 0 || size > b->room - b->size) {
		buf_put_grow(b, data, size);
		return;
	}
	memcpy(b->data + b->size, data, size);
	b->size += size;
}

static inline void
store_u64le(uint8_t *p, uint64_t v)
{
	if (!host_order(false))
		v = __builtin_bswap64(v);
	memcpy(p, &v, sizeof(v));
}

static inline void
buf_u64le(struct buf *b, uint64_t v)
{
	uint8_t *p = buf_reserve(b, 8);

	if (p == NULL)
		return;
	store_u64le(p, v);
	b->size += 8;
}

/* The characters of a string, without its NUL; none if it is NULL. */
static inline struct prof_span
span_of_text(const char *text)
{
	return (struct prof_span){ (const uint8_t *)text,
	    text == NULL ? 0 : strlen(text) };
}

/* A table of strings up to its last NUL, so that each string ends with one. */
struct prof_span span_of_strings(struct prof_span table);

/* The characters of a string, without its NUL. */
static inline void
buf_text(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text));
}

/* As printf and vprintf. */
void buf_print(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void buf_vprint(struct buf *, const char *format, va_list);

/* Overwrites 8 bytes that are there already. */
void buf_set_u64le(struct buf *, size_t at, uint64_t);
void buf_free(struct buf *);

/*
 * The limit against inputs whose contents repeat a few bytes
 *
 * A profile of zeros shrinks well, and a reference is shorter than a name; an
 * input that was made to exhaust the memory expands further than any of these.
 */

/* An input may expand to that many bytes, and so many times its size. */
#define EXPANSION_FREE	((uint64_t)256 << 20)
#define EXPANSION_RATIO	250

static inline uint64_t
expansion_limit_by(uint64_t input_size, uint64_t ratio)
{
	uint64_t limit;

	return mul_u64(input_size, ratio, &limit) ?
	    saturating_add(limit, EXPANSION_FREE) : UINT64_MAX;
}

static inline uint64_t
expansion_limit(uint64_t input_size)
{
	return expansion_limit_by(input_size, EXPANSION_RATIO);
}

#endif
