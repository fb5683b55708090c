#include "base/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/numbers.h"
#include "base/text.h"
#include "prof/base.h"

uint64_t
cur_uleb_long(struct cursor *c)
{
	uint64_t value = 0;
	size_t at = c->pos;

	for (unsigned shift = 0; !c->failed && at < c->size; shift += 7) {
		uint64_t byte = c->data[at++], bits = byte & 0x7f;

		/* The tenth byte has room for one bit only. */
		if (shift > 63 || bits << shift >> shift != bits)
			break;
		value |= bits << shift;
		if (byte < 0x80) {
			c->pos = at;
			return value;
		}
	}
	c->failed = true;
	return 0;
}

uint8_t *
buf_grow(struct buf *b, size_t n)
{
	size_t room = b->room < 256 ? 256 : b->room;
	uint8_t *p = NULL;

	if (b->failed)
		return NULL;
	while (room - b->size < n && room <= SIZE_MAX / 2)
		room *= 2;
	b->full = b->max != 0 && (room > b->max || room - b->size < n);
	if (room - b->size >= n && !b->full)
		p = huge_realloc(b->data, room);
	if (p == NULL) {
		b->failed = true;
		return NULL;
	}
	b->data = p;
	b->room = room;
	return b->data + b->size;
}

void
buf_put_grow(struct buf *b, const void *data, size_t size)
{
	uint8_t *p = buf_reserve(b, size);

	if (p != NULL && size != 0) {
		memcpy(p, data, size);
		b->size += size;
	}
}

void
buf_zeros(struct buf *b, size_t size)
{
	uint8_t *p = buf_reserve(b, size);

	if (p != NULL && size != 0) {
		memset(p, 0, size);
		b->size += size;
	}
}

void
buf_pad8(struct buf *b)
{
	buf_zeros(b, (size_t)pad8(b->size));
}

void
buf_number(struct buf *b, uint64_t v, size_t width, bool big)
{
	uint8_t *p = buf_reserve(b, width);

	if (p == NULL)
		return;
	for (size_t i = 0; i < width; i++)
		p[big ? width - 1 - i : i] = (uint8_t)(v >> 8 * i);
	b->size += width;
}

void
buf_words(struct buf *b, const uint64_t *words, size_t n, bool big)
{
	if (host_order(big)) {
		buf_put(b, words, n * sizeof(*words));
		return;
	}
	for (size_t i = 0; i < n; i++)
		buf_number(b, words[i], 8, big);
}

void
buf_u16le(struct buf *b, uint16_t v)
{
	buf_number(b, v, 2, false);
}

void
buf_u32le(struct buf *b, uint32_t v)
{
	buf_number(b, v, 4, false);
}

void
buf_uleb(struct buf *b, uint64_t v)
{
	do {
		uint8_t byte = v & 0x7f;

		v >>= 7;
		buf_u8(b, (uint8_t)(byte | (v != 0 ? 0x80 : 0)));
	} while (v != 0);
}

void
buf_set_u64le(struct buf *b, size_t at, uint64_t v)
{
	if (!b->failed)
		store_u64le(b->data + at, v);
}

void
buf_free(struct buf *b)
{
	free(b->data);
	*b = (struct buf){ 0 };
}

void
buf_vprint(struct buf *b, const char *format, va_list ap)
{
	char line[512];
	va_list again;
	uint8_t *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(line, sizeof(line), format, ap);
	if (n >= 0 && (size_t)n < sizeof(line)) {
		buf_put(b, line, (size_t)n);
	} else if (n >= 0 && (p = buf_reserve(b, (size_t)n + 1)) != NULL) {
		vsnprintf((char *)p, (size_t)n + 1, format, again);
		b->size += (size_t)n;
	}
	va_end(again);
}

struct prof_span
span_of_strings(struct prof_span table)
{
	while (table.size != 0 && table.data[table.size - 1] != '\0')
		table.size--;
	return table;
}

int
buf_sink(void *buf, const void *data, size_t size)
{
	struct buf *b = buf;

	buf_put(b, data, size);
	return b->failed ? ENOMEM : 0;
}

void
buf_print(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprint(b, format, ap);
	va_end(ap);
}

/* The functions of prof/base.h on spans of bytes. */

static int
prof_span_compare_items(const void *a, const void *b)
{
	return prof_span_compare(*(const struct prof_span *)a,
	    *(const struct prof_span *)b);
}

int
prof_span_compare(struct prof_span a, struct prof_span b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = common == 0 ? 0 : memcmp(a.data, b.data, common);

	if (order != 0)
		return order;
	return (a.size > b.size) - (a.size < b.size);
}

bool
prof_span_equal(struct prof_span a, struct prof_span b)
{
	return a.size == b.size &&
	    (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

void
prof_span_sort(struct prof_span *spans, size_t count)
{
	if (count > 1)
		qsort(spans, count, sizeof(*spans), prof_span_compare_items);
}

size_t
prof_span_unique(struct prof_span *spans, size_t count)
{
	size_t kept = 0;

	prof_span_sort(spans, count);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || !prof_span_equal(spans[kept - 1], spans[i]))
			spans[kept++] = spans[i];
	}
	return kept;
}

bool
prof_span_in(struct prof_span span, const struct prof_span *sorted,
    size_t count)
{
	return count > 0 && bsearch(&span, sorted, count, sizeof(span),
	    prof_span_compare_items) != NULL;
}

bool
prof_span_begins_in(struct prof_span s, const struct prof_span *prefixes,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (s.data != NULL && s.size >= prefixes[i].size &&
		    prof_span_equal((struct prof_span){ s.data,
		    prefixes[i].size }, prefixes[i]))
			return true;
	}
	return false;
}

bool
digits_parse(struct prof_span s, unsigned base, uint64_t max, uint64_t *out)
{
	uint64_t n = 0;

	if (s.size == 0)
		return false;
	for (size_t i = 0; i < s.size; i++) {
		uint8_t c = s.data[i];
		unsigned digit = c >= '0' && c <= '9' ? c - '0' :
		    c >= 'a' && c <= 'f' ? c - 'a' + 10 :
		    c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;

		if (digit >= base || !mul_u64(n, base, &n) ||
		    !add_u64(n, digit, &n) || n > max)
			return false;
	}
	*out = n;
	return true;
}

bool
digits_auto(struct prof_span s, uint64_t max, uint64_t *out)
{
	static const struct {
		char letter;
		unsigned base;
	} prefixes[] = { { 'x', 16 }, { 'b', 2 }, { 'o', 8 } };

	for (size_t i = 0; i < 3 && s.size > 1 && s.data[0] == '0'; i++) {
		if ((s.data[1] | 0x20) == prefixes[i].letter)
			return digits_parse((struct prof_span){ s.data + 2,
			    s.size - 2 }, prefixes[i].base, max, out);
	}
	if (s.size > 1 && s.data[0] == '0')
		return digits_parse((struct prof_span){ s.data + 1,
		    s.size - 1 }, 8, max, out);
	return digits_parse(s, 10, max, out);
}

void
digits_append(struct buf *b, uint64_t v)
{
	uint8_t *p = buf_reserve(b, DIGITS_MAX);

	if (p != NULL)
		b->size = (size_t)(digits_put(p, v) - b->data);
}

void
digits_append_many(struct buf *b, const uint64_t *numbers, size_t n,
    const char *behind)
{
	enum { ROUND = 256 };
	size_t size = strlen(behind);

	for (size_t i = 0; i < n;) {
		size_t end = n - i < ROUND ? n : i + ROUND;
		uint8_t *p = buf_reserve(b, (end - i) * (DIGITS_MAX + size));

		if (p == NULL)
			return;
		for (; i < end; i++) {
			p = digits_put(p, numbers[i]);
			p[0] = (uint8_t)behind[0];
			if (size == 2)
				p[1] = (uint8_t)behind[1];
			p += size;
		}
		b->size = (size_t)(p - b->data);
	}
}

void
digits_append_hex(struct buf *b, struct prof_span bytes)
{
	static const char digits[] = "0123456789abcdef";
	uint8_t *p;

	if (bytes.size > SIZE_MAX / 2) {
		b->failed = true;
		return;
	}
	p = buf_reserve(b, 2 * bytes.size);
	if (p == NULL)
		return;
	for (size_t i = 0; i < bytes.size; i++) {
		*p++ = (uint8_t)digits[bytes.data[i] >> 4];
		*p++ = (uint8_t)digits[bytes.data[i] & 15];
	}
	b->size += 2 * bytes.size;
}

static const char base64_digits[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_put(struct buf *b, struct prof_span s)
{
	const size_t size = s.size / 3 * 4 + (s.size % 3 == 0 ? 0 : 4);
	uint8_t *out = size == 0 || size < s.size ? NULL :
	    buf_reserve(b, size);

	if (size < s.size)
		b->failed = true;
	if (out == NULL)
		return;
	/* Four digits of up to three bytes, '=' for those that are missing. */
	for (size_t i = 0; i < s.size; i += 3, out += 4) {
		const uint8_t *p = s.data + i;
		size_t left = s.size - i;
		uint32_t bits = (uint32_t)p[0] << 16 |
		    (left > 1 ? (uint32_t)p[1] << 8 : 0) |
		    (left > 2 ? p[2] : 0);

		for (size_t k = 0; k < 4; k++)
			out[k] = k > left ? '=' :
			    (uint8_t)base64_digits[bits >> (18 - 6 * k) & 63];
	}
	b->size += size;
}
