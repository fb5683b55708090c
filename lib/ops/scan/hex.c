#include "ops/scan/alphabet.h"

/*
 * HEX_OFFSET: digits that an offset has at least.
 * HEX_OFFSET_OD: those that od prints, which has no colon behind them.
 * HEX_PAIRS: pairs in front of the gap in the middle of a line of hexdump -C.
 */
enum { HEX_OFFSET = 4, HEX_OFFSET_OD = 6, HEX_PAIRS = 8 };

static bool
hex_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static bool
hex_alphanumeric(uint8_t c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z');
}

/* Digits of the group at `at`; 0 if they are part of a longer word. */
static size_t
hex_group(const struct scan_alphabet *a, struct prof_span line, size_t at)
{
	size_t end = at;

	while (end < line.size && a->value[line.data[end]] >= 0)
		end++;
	return end < line.size && hex_alphanumeric(line.data[end]) ? 0 :
	    end - at;
}

/*
 * The digits *d, if they are one group with only blanks, or a colon and blanks,
 * up to `start`.
 */
static struct prof_span
hex_number(struct prof_span line, const struct scan_digits *d, size_t start)
{
	struct prof_span number = { line.data + d->start, d->count };
	size_t at = d->end;

	if (d->count >= HEX_OFFSET && d->count == d->end - d->start) {
		at += line.data[at] == ':';
		while (at < start && hex_blank(line.data[at]))
			at++;
		if (at == start && hex_blank(line.data[at - 1]))
			return number;
	}
	return (struct prof_span){ NULL, 0 };
}

/* Adds the groups that follow the first one and are no larger. */
static void
hex_extend(const struct scan_alphabet *a, struct prof_span line,
    struct scan_digits *d)
{
	size_t first = d->count, last = first, groups = 1;
	/* Without a colon before it, the first group may be an offset. */
	bool offset = first >= HEX_OFFSET_OD && (d->number.size == 0 ||
	    d->number.data[d->number.size] != ':');

	while (last == first && d->end + 1 < line.size &&
	    line.data[d->end] == ' ') {
		size_t at = d->end + 1;

		/* hexdump -C has two blanks between its two halves. */
		if (line.data[at] == ' ' && first == 2 && groups == HEX_PAIRS)
			at++;
		last = hex_group(a, line, at);
		if (last == 0 || last > first)
			return;
		if (offset && groups == 1 && last < first)
			return;
		d->count += last;
		d->end = at + last;
		groups++;
	}
}

static bool
hex_next(const struct scan_alphabet *a, struct prof_span line,
    struct scan_digits *d)
{
	size_t at = d->end, n = 0;

	while (at < line.size) {
		bool inside = at > 0 && hex_alphanumeric(line.data[at - 1]);

		if (!inside && (n = hex_group(a, line, at)) != 0)
			break;
		at++;
	}
	if (n == 0)
		return false;
	d->number = hex_number(line, d, at);
	d->front = d->start = at;
	d->end = at + n;
	d->count = n;
	/* A number at the end of a word, as in 12:34:56, is no first group. */
	if (at == 0 || hex_blank(line.data[at - 1]))
		hex_extend(a, line, d);
	return true;
}

void
scan_alphabet_hex(struct scan_alphabet *a)
{
	*a = (struct scan_alphabet){ .bits = 4, .next = hex_next };
	scan_digit_values(a, "0123456789abcdef");
	for (int i = 0; i < 6; i++)
		a->value['A' + i] = (int8_t)(10 + i);
}
