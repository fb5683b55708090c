#include "base/bytes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/huge_pages.h"

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
buf_u8(struct buf *b, uint8_t v)
{
	buf_number(b, v, 1, false);
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
