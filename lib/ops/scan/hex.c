/* Lines of hex digits, as hexdump -C, xxd and serial consoles print them. */
#include "ops/scan/lines.h"

/*
 * HEX_LEAST: bytes of the first line of a block, the size of a magic.
 * HEX_OFFSET: digits that an offset in front of a line has at least.
 * HEX_PAIRS: pairs in front of the gap in the middle of a line of hexdump -C.
 */
enum { HEX_LEAST = 8, HEX_OFFSET = 4, HEX_PAIRS = 8 };

/* Most bytes, in all, that are filled in for lines shown as a star. */
#define HEX_REPEATED_MAX	((uint64_t)64 << 20)

/* Groups of digits that follow each other in a line. */
struct hex_row {
	size_t start, end;		/* in the line */
	size_t group;			/* digits of the first group */
	size_t groups, bytes;
	bool short_one;			/* the last group is shorter */
	bool has_offset;		/* a number is in front of them */
	uint64_t offset;
};

struct hex {
	struct scan_lines *out;
	int8_t value[256];
	/* The block that is being decoded, if active. */
	bool active;
	unsigned gap;			/* other lines since its last row */
	size_t column;			/* of its rows, from 0 */
	size_t width;			/* bytes of a row */
	size_t last;			/* offset of its last row's bytes */
	bool has_offset;		/* its rows have offsets */
	bool star;			/* a line with a star followed */
	uint64_t expected;		/* offset that the next row has */
	uint64_t repeated;		/* bytes filled in, of all blocks */
};

static size_t
hex_count_digits(const struct hex *h, struct prof_span line, size_t at)
{
	size_t n = 0;

	while (at + n < line.size && h->value[line.data[at + n]] >= 0)
		n++;
	return n;
}

/* Whether a group of digits, `blanks` behind a row, is part of that row. */
static bool
hex_row_continues(const struct hex_row *row, size_t blanks, size_t digits)
{
	if (row->groups == 0 || row->short_one || digits > row->group)
		return false;
	/* The first group is an offset with pairs behind it. */
	if (row->groups == 1 && row->group >= 6 && digits < row->group)
		return false;
	/* hexdump -C has two blanks between its two halves. */
	return blanks == 1 || (blanks == 2 && row->group == 2 &&
	    row->groups == HEX_PAIRS);
}

static uint64_t
hex_number(const struct hex *h, struct prof_span line, size_t at, size_t n)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n && i < 16; i++)
		v = v << 4 | (uint64_t)h->value[line.data[at + i]];
	return v;
}

/* The longest row of a line, with the number in front of it, if any. */
static struct hex_row
hex_find_row(const struct hex *h, struct prof_span line)
{
	struct hex_row best = { 0 }, row = { 0 };
	size_t blanks = 0, before = 0, before_size = 0;

	for (size_t at = 0; at < line.size;) {
		size_t n = hex_count_digits(h, line, at), end = at + n;
		bool whole = n >= 2 && n % 2 == 0 && (end == line.size ||
		    line.data[end] == ' ' || line.data[end] == '\t');

		if (!whole || !hex_row_continues(&row, blanks, n))
			row = (struct hex_row){ .start = at, .group = n,
			    .has_offset = before_size >= HEX_OFFSET,
			    .offset = hex_number(h, line, before,
			    before_size) };
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
		/* Skip the rest of the word; xxd ends offsets with a colon. */
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
			blanks += line.data[at] == ' ' ? 1 : HEX_PAIRS;
	}
	return best;
}

static void
hex_put_row(struct hex *h, struct prof_span line, const struct hex_row *row)
{
	struct buf *b = &h->out->bytes;
	unsigned high = 0;
	bool half = false;
	uint8_t *p = buf_reserve(b, row->bytes);

	for (size_t i = row->start; p != NULL && i < row->end; i++) {
		int v = h->value[line.data[i]];

		if (v < 0)
			continue;
		if (half)
			*p++ = (uint8_t)(high << 4 | (unsigned)v);
		high = (unsigned)v;
		half = !half;
	}
	if (p != NULL)
		b->size += row->bytes;
}

/*
 * hexdump shows lines that repeat the one before as a star: fills them in up to
 * the next offset.  False if there is no star, or the offset does not fit it.
 */
static bool
hex_repeat(struct hex *h, uint64_t offset)
{
	struct buf *b = &h->out->bytes;
	uint64_t n = offset - h->expected;

	if (!h->star || !h->has_offset || offset <= h->expected ||
	    n % h->width != 0 || n > HEX_REPEATED_MAX - h->repeated)
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

/* Whether a row continues the block; *last: a shorter row also ends it. */
static bool
hex_row_belongs(const struct hex *h, const struct hex_row *row, bool *last)
{
	*last = row->bytes < h->width;
	if (row->bytes > h->width)
		return false;
	if (h->has_offset)
		return row->has_offset && row->offset == h->expected;
	return row->bytes == h->width || row->start == h->column;
}

static bool
hex_begins_profile(const struct hex *h, struct prof_span line,
    const struct hex_row *row)
{
	struct scan_lines lines = { 0 };
	struct hex one = *h;
	bool begins;

	one.out = &lines;
	hex_put_row(&one, line, row);
	begins = lines.bytes.size >= 8 && scan_may_begin(lines.bytes.data);
	buf_free(&lines.bytes);
	return begins;
}

/*
 * Outside of a block, each row of eight bytes begins one.  Inside, only a magic
 * does, so that lines of a log with other numbers do not end the block.
 */
static bool
hex_may_begin_block(const struct hex *h, struct prof_span line,
    const struct hex_row *row)
{
	if (row->bytes < HEX_LEAST)
		return false;
	return !h->active || hex_begins_profile(h, line, row);
}

static bool
hex_add_row(struct hex *h, struct prof_span line, const struct hex_row *row,
    size_t from, bool last)
{
	if (!scan_begin_line(h->out, from))
		return false;
	h->last = h->out->bytes.size;
	hex_put_row(h, line, row);
	h->expected += row->bytes;
	h->gap = 0;
	h->star = false;
	h->active = !last;
	return !h->out->bytes.failed;
}

static bool
hex_add_line(struct hex *h, struct prof_span line, size_t from)
{
	struct hex_row row = hex_find_row(h, line);
	bool last = false;

	if (h->active && row.groups == 1 && row.bytes == HEX_OFFSET)
		/* hexdump -C ends with a line that is only an offset. */
		hex_repeat(h, hex_number(h, line, row.start, 2 * row.bytes));
	if (h->active && row.bytes != 0 && row.has_offset)
		hex_repeat(h, row.offset);
	if (h->active && row.bytes != 0 && hex_row_belongs(h, &row, &last))
		return hex_add_row(h, line, &row, from, last);
	if (hex_may_begin_block(h, line, &row)) {
		h->column = row.start;
		h->width = row.bytes;
		h->has_offset = row.has_offset;
		h->expected = row.offset;
		return scan_begin_block(h->out) &&
		    hex_add_row(h, line, &row, from, false);
	}
	if (line.size > 0 && line.data[line.size - 1] == '*')
		h->star = true;
	else if (++h->gap > SCAN_GAP_MAX)
		h->active = false;
	return true;
}

bool
scan_hex_lines(struct scan_lines *out, struct prof_span log)
{
	struct hex h = { .out = out };
	size_t at = 0;

	scan_digit_values("0123456789abcdef", h.value);
	for (int i = 0; i < 6; i++)
		h.value['A' + i] = (int8_t)(10 + i);
	while (at < log.size) {
		size_t from = at;
		struct prof_span line = scan_next_line(log, &at);

		if (!hex_add_line(&h, line, from))
			return false;
	}
	return true;
}
