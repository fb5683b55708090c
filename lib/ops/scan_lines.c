#include "ops/scan_lines.h"

#include <stdlib.h>

#include "base/array.h"

/* So many other lines may stand between those of a block. */
enum { GAP_MAX = 16, HEX_LEAST = 8, HEX_OFFSET = 4, PAIRS = 8 };

/* What lines that are left out as repeated may come to. */
#define REPEATED_MAX	((uint64_t)64 << 20)

void
scan_lines_free(struct scan_lines *s)
{
	buf_free(&s->bytes);
	free(s->lines);
	free(s->blocks);
	*s = (struct scan_lines){ 0 };
}

struct prof_span
scan_block(const struct scan_lines *s, size_t block)
{
	size_t at = s->blocks[block];
	size_t end = block + 1 < s->block_count ? s->blocks[block + 1] :
	    s->bytes.size;

	return (struct prof_span){ s->bytes.data + at, end - at };
}

size_t
scan_line_of(const struct scan_lines *s, size_t at)
{
	size_t low = 0, high = s->count;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->lines[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return s->lines[low].from;
}

static bool
begin_line(struct scan_lines *s, size_t from)
{
	struct scan_line *p = array_room(s->lines, s->count, &s->room,
	    sizeof(*p));

	if (p == NULL)
		return false;
	s->lines = p;
	p[s->count++] = (struct scan_line){ s->bytes.size, from };
	return true;
}

static bool
begin_block(struct scan_lines *s)
{
	size_t *p = array_room(s->blocks, s->block_count, &s->block_room,
	    sizeof(*p));

	if (p == NULL)
		return false;
	s->blocks = p;
	p[s->block_count++] = s->bytes.size;
	return true;
}

/* Moves *at behind the line that begins there. */
static struct prof_span
next_line(struct prof_span log, size_t *at)
{
	struct prof_span line = { log.data + *at, log.size - *at };
	const uint8_t *end = memchr(line.data, '\n', line.size);

	if (end != NULL)
		line.size = (size_t)(end - line.data);
	*at += line.size + (end != NULL);
	if (line.size > 0 && line.data[line.size - 1] == '\r')
		line.size--;
	return line;
}

static const int8_t *
values_of(const char *digits, int8_t values[256])
{
	memset(values, -1, 256);
	for (int i = 0; digits[i] != '\0'; i++)
		values[(uint8_t)digits[i]] = (int8_t)i;
	return values;
}

/* Groups of digits in a line: the longest row of them. */
struct row {
	size_t start, end;		/* in the line */
	size_t group;			/* digits of one */
	size_t groups, bytes;
	bool short_one;			/* the last was shorter */
	bool has_offset;
	uint64_t offset;		/* that stands before them */
};

struct hex {
	struct scan_lines *out;
	int8_t value[256];
	/* The block at hand. */
	bool active;
	unsigned gap;			/* lines since */
	size_t column, width;		/* of its rows; width: bytes */
	size_t last;			/* where its last row's bytes are */
	bool has_offset, star;
	uint64_t expected;		/* the next offset */
	uint64_t repeated;		/* bytes, in all */
};

static size_t
count_digits(const struct hex *h, struct prof_span line, size_t at)
{
	size_t n = 0;

	while (at + n < line.size && h->value[line.data[at + n]] >= 0)
		n++;
	return n;
}

/* Whether a group may stand behind a row, so many blanks away. */
static bool
goes_on(const struct row *row, size_t blanks, size_t digits)
{
	if (row->groups == 0 || row->short_one || digits > row->group)
		return false;
	/* An offset, and pairs behind it. */
	if (row->groups == 1 && row->group >= 6 && digits < row->group)
		return false;
	/* hexdump -C has a gap in the middle of 16. */
	return blanks == 1 || (blanks == 2 && row->group == 2 &&
	    row->groups == PAIRS);
}

static uint64_t
number(const struct hex *h, struct prof_span line, size_t at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && i < 16; i++)
		v = v << 4 | (uint64_t)h->value[line.data[at + i]];
	return v;
}

/* The longest row of a line, with the number in front of it. */
static struct row
find_row(const struct hex *h, struct prof_span line)
{
	struct row best = { 0 }, row = { 0 };
	size_t blanks = 0, before = 0, before_size = 0;

	for (size_t at = 0; at < line.size;) {
		size_t n = count_digits(h, line, at), end = at + n;
		bool whole = n >= 2 && n % 2 == 0 && (end == line.size ||
		    line.data[end] == ' ' || line.data[end] == '\t');

		if (!whole || !goes_on(&row, blanks, n))
			row = (struct row){ .start = at, .group = n,
			    .has_offset = before_size >= HEX_OFFSET,
			    .offset = number(h, line, before, before_size) };
		if (whole) {
			row.short_one = n < row.group;
			row.groups++;
			row.bytes += n / 2;
			row.end = end;
		}
		if (whole && row.bytes > best.bytes)
			best = row;
		before = at;
		before_size = n;
		at = end;
		/* The rest of a word that is no number; a colon may end one. */
		if (at < line.size && line.data[at] == ':')
			at++;
		else if (!whole)
			before_size = 0;
		while (at < line.size && line.data[at] != ' ' &&
		    line.data[at] != '\t') {
			before_size = 0;
			at++;
		}
		for (blanks = 0; at < line.size && (line.data[at] == ' ' ||
		    line.data[at] == '\t'); at++)
			blanks += line.data[at] == ' ' ? 1 : PAIRS;
	}
	return best;
}

static void
put_row(struct hex *h, struct prof_span line, const struct row *row)
{
	struct buf *b = &h->out->bytes;
	unsigned high = 0;
	bool odd = false;
	uint8_t *p = buf_reserve(b, row->bytes);

	for (size_t i = row->start; p != NULL && i < row->end; i++) {
		int v = h->value[line.data[i]];

		if (v < 0)
			continue;
		if (odd)
			*p++ = (uint8_t)(high << 4 | (unsigned)v);
		high = (unsigned)v;
		odd = !odd;
	}
	if (p != NULL)
		b->size += row->bytes;
}

/* Lines that hexdump shows as a star are as the one before. */
static bool
repeat(struct hex *h, uint64_t offset)
{
	struct buf *b = &h->out->bytes;
	uint64_t n = offset - h->expected;

	if (!h->star || !h->has_offset || offset <= h->expected ||
	    n % h->width != 0 || n > REPEATED_MAX - h->repeated)
		return false;
	h->repeated += n;
	for (; n > 0 && !b->failed; n -= h->width) {
		if (buf_reserve(b, h->width) == NULL)
			break;
		memcpy(b->data + b->size, b->data + h->last, h->width);
		b->size += h->width;
	}
	h->expected = offset;
	return true;
}

/* Whether a row is of the block at hand; *last if it must be its last one. */
static bool
belongs(const struct hex *h, const struct row *row, bool *last)
{
	*last = row->bytes < h->width;
	if (row->bytes > h->width)
		return false;
	if (h->has_offset)
		return row->has_offset && row->offset == h->expected;
	return row->bytes == h->width || row->start == h->column;
}

static bool
begins_profile(const struct hex *h, struct prof_span line,
    const struct row *row)
{
	struct scan_lines lines = { 0 };
	struct hex one = *h;
	bool begins;

	one.out = &lines;
	put_row(&one, line, row);
	begins = lines.bytes.size >= 8 && scan_may_begin(lines.bytes.data);
	buf_free(&lines.bytes);
	return begins;
}

/* Room is not made for each line of a log that has no such thing. */
static bool
may_begin_block(const struct hex *h, struct prof_span line,
    const struct row *row)
{
	if (row->bytes < HEX_LEAST)
		return false;
	return !h->active || begins_profile(h, line, row);
}

static bool
take_row(struct hex *h, struct prof_span line, const struct row *row,
    size_t from, bool last)
{
	if (!begin_line(h->out, from))
		return false;
	h->last = h->out->bytes.size;
	put_row(h, line, row);
	h->expected += row->bytes;
	h->gap = 0;
	h->star = false;
	h->active = !last;
	return !h->out->bytes.failed;
}

static bool
take_hex(struct hex *h, struct prof_span line, size_t from)
{
	struct row row = find_row(h, line);
	bool last = false;

	if (h->active && row.groups == 1 && row.bytes == HEX_OFFSET)
		/* The end of hexdump -C is an offset. */
		repeat(h, number(h, line, row.start, 2 * row.bytes));
	if (h->active && row.bytes != 0 && row.has_offset)
		repeat(h, row.offset);
	if (h->active && row.bytes != 0 && belongs(h, &row, &last))
		return take_row(h, line, &row, from, last);
	if (may_begin_block(h, line, &row)) {
		h->column = row.start;
		h->width = row.bytes;
		h->has_offset = row.has_offset;
		h->expected = row.offset;
		return begin_block(h->out) &&
		    take_row(h, line, &row, from, false);
	}
	if (line.size > 0 && line.data[line.size - 1] == '*')
		h->star = true;
	else if (++h->gap > GAP_MAX)
		h->active = false;
	return true;
}

bool
scan_hex_lines(struct scan_lines *out, struct prof_span log)
{
	struct hex h = { .out = out };
	size_t at = 0;

	values_of("0123456789abcdef", h.value);
	for (int i = 0; i < 6; i++)
		h.value['A' + i] = (int8_t)(10 + i);
	while (at < log.size) {
		size_t from = at;
		struct prof_span line = next_line(log, &at);

		if (!take_hex(&h, line, from))
			return false;
	}
	return true;
}

/* What is at hand of a block in base64. */
struct base64 {
	struct scan_lines *out;
	int8_t value[256];
	bool active;
	unsigned gap, bits, bit_count;
	size_t column, width;		/* digits of a line */
};

/* The longest row of digits of a line, with the = behind it. */
static struct prof_span
find_digits(const struct base64 *b, struct prof_span line)
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
put_digits(struct base64 *b, struct prof_span digits, size_t from)
{
	uint8_t *p = buf_reserve(&b->out->bytes, digits.size);
	size_t n = 0;

	if (p == NULL || !begin_line(b->out, from))
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
take_base64(struct base64 *b, struct prof_span line, size_t from)
{
	struct prof_span digits = find_digits(b, line);
	size_t column = (size_t)(digits.data - line.data);
	bool is_rest = digits.size != 0 && digits.size < b->width &&
	    digits.size % 4 == 0 && column == b->column &&
	    column + digits.size == line.size;

	if (base64_begins(b, digits)) {
		b->bits = b->bit_count = 0;
		b->width = digits.size;
		b->column = column;
		return begin_block(b->out) && put_digits(b, digits, from);
	}
	if (b->active && (digits.size == b->width || is_rest))
		return put_digits(b, digits, from);
	if (++b->gap > GAP_MAX)
		b->active = false;
	return true;
}

bool
scan_base64_lines(struct scan_lines *out, struct prof_span log)
{
	struct base64 b = { .out = out };
	size_t at = 0;

	values_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	    "0123456789+/", b.value);
	while (at < log.size) {
		size_t from = at;
		struct prof_span line = next_line(log, &at);

		if (!take_base64(&b, line, from))
			return false;
	}
	return true;
}
