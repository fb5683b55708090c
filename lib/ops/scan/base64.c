/* Lines of base64 (RFC 4648, section 4). */
#include "ops/scan/lines.h"

/* The block that is being decoded, if active. */
struct base64 {
	struct scan_lines *out;
	int8_t value[256];
	bool active;
	unsigned gap;			/* other lines since its last one */
	unsigned bits, bit_count;	/* not yet a whole byte */
	size_t column;			/* of the digits, from 0 */
	size_t width;			/* digits of a line */
};

/* The longest run of digits of a line, with the padding behind it. */
static struct prof_span
base64_find_digits(const struct base64 *b, struct prof_span line)
{
	struct prof_span best = { line.data, 0 };

	for (size_t at = 0; at < line.size;) {
		size_t n = 0;

		while (at + n < line.size &&
		    b->value[line.data[at + n]] >= 0)
			n++;
		while (n > 0 && at + n < line.size &&
		    line.data[at + n] == '=')
			n++;
		if (n > best.size)
			best = (struct prof_span){ line.data + at, n };
		at += n == 0 ? 1 : n;
	}
	return best;
}

static bool
base64_put_digits(struct base64 *b, struct prof_span digits, size_t from)
{
	uint8_t *p = buf_reserve(&b->out->bytes, digits.size);
	size_t n = 0;

	if (p == NULL || !scan_begin_line(b->out, from))
		return false;
	for (size_t i = 0; i < digits.size && digits.data[i] != '='; i++) {
		b->bits = b->bits << 6 | (unsigned)b->value[digits.data[i]];
		b->bit_count += 6;
		if (b->bit_count < 8)
			continue;
		b->bit_count -= 8;
		p[n++] = (uint8_t)(b->bits >> b->bit_count);
		b->bits &= (1u << b->bit_count) - 1;
	}
	b->out->bytes.size += n;
	b->gap = 0;
	b->active = digits.size == b->width &&
	    digits.data[digits.size - 1] != '=';
	return true;
}

static bool
base64_begins(const struct base64 *b, struct prof_span digits)
{
	uint8_t first[9];

	if (digits.size < 12)
		return false;
	for (int i = 0; i < 3; i++) {
		unsigned bits = 0;

		for (int k = 0; k < 4; k++)
			bits = bits << 6 | ((unsigned)
			    b->value[digits.data[4 * i + k]] & 63);
		first[3 * i] = (uint8_t)(bits >> 16);
		first[3 * i + 1] = (uint8_t)(bits >> 8);
		first[3 * i + 2] = (uint8_t)bits;
	}
	return scan_may_begin(first);
}

static bool
base64_add_line(struct base64 *b, struct prof_span line, size_t from)
{
	struct prof_span digits = base64_find_digits(b, line);
	size_t column = (size_t)(digits.data - line.data);
	bool is_rest = digits.size != 0 && digits.size < b->width &&
	    digits.size % 4 == 0 && column == b->column &&
	    column + digits.size == line.size;

	if (base64_begins(b, digits)) {
		b->bits = b->bit_count = 0;
		b->width = digits.size;
		b->column = column;
		return scan_begin_block(b->out) && base64_put_digits(b, digits,
		    from);
	}
	if (b->active && (digits.size == b->width || is_rest))
		return base64_put_digits(b, digits, from);
	if (++b->gap > SCAN_GAP_MAX)
		b->active = false;
	return true;
}

bool
scan_base64_lines(struct scan_lines *out, struct prof_span log)
{
	struct base64 b = { .out = out };
	size_t at = 0;

	scan_digit_values("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	    "0123456789+/", b.value);
	while (at < log.size) {
		size_t from = at;
		struct prof_span line = scan_next_line(log, &at);

		if (!base64_add_line(&b, line, from))
			return false;
	}
	return true;
}
