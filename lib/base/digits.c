#include "base/digits.h"

#include <string.h>

#define ONE(h, t, u)	'0' + h, '0' + t, '0' + u, ','
#define TEN(h, t)	ONE(h, t, 0), ONE(h, t, 1), ONE(h, t, 2), \
			ONE(h, t, 3), ONE(h, t, 4), ONE(h, t, 5), \
			ONE(h, t, 6), ONE(h, t, 7), ONE(h, t, 8), ONE(h, t, 9)
#define HUNDRED(h)	TEN(h, 0), TEN(h, 1), TEN(h, 2), TEN(h, 3), \
			TEN(h, 4), TEN(h, 5), TEN(h, 6), TEN(h, 7), \
			TEN(h, 8), TEN(h, 9)

const uint8_t digits_three[4000] = {
	HUNDRED(0), HUNDRED(1), HUNDRED(2), HUNDRED(3), HUNDRED(4),
	HUNDRED(5), HUNDRED(6), HUNDRED(7), HUNDRED(8), HUNDRED(9)
};

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

size_t
digits_group(uint8_t *to, const uint8_t *digits, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++) {
		if (i != 0 && (n - i) % 3 == 0)
			to[size++] = ',';
		to[size++] = digits[i];
	}
	return size;
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
