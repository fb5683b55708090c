#include "ops/scan/reading.h"

/* Most bytes, in all, that are filled in for lines shown as a star. */
#define SCAN_REPEATED_MAX	((uint64_t)64 << 20)

/* Appends what the digits behind the first `skip` spell. */
static void
scan_reading_put(struct scan_reading *r, const struct scan_row *row,
    size_t skip)
{
	const struct scan_digits *d = &row->digits;
	const struct scan_alphabet *a = r->alphabet;
	uint8_t *p = buf_reserve(&r->bytes, d->count), *start = p;
	/* Letters at the right of a dump may look like more digits. */
	size_t end = r->base_count != 0 && d->count > r->width ? r->width :
	    d->count;

	for (size_t i = d->start, n = 0; p != NULL && n < end; i++) {
		int v = a->value[row->line.data[i]];

		if (v < 0 || n++ < skip)
			continue;
		r->bits = r->bits << a->bits | (unsigned)v;
		r->bit_count += a->bits;
		if (r->bit_count < 8)
			continue;
		r->bit_count -= 8;
		*p++ = (uint8_t)(r->bits >> r->bit_count);
		r->bits &= (1u << r->bit_count) - 1;
	}
	if (d->closed)
		r->bits = r->bit_count = 0;
	if (p != NULL)
		r->bytes.size += (size_t)(p - start);
}

static void
scan_reading_take(struct scan_reading *r, const struct scan_row *row)
{
	uint64_t size = row->digits.count * r->alphabet->bits / 8;

	r->taken = true;
	r->taken_start = row->digits.start;
	r->taken_bits = 8 * (uint64_t)r->bytes.size + r->bit_count;
	r->since += size;
	for (size_t i = 0; i < r->base_count; i++)
		r->bases[i].expected += size;
	r->column = row->digits.front;
	r->gap = 0;
	r->star = false;
	r->last.digits.count = 0;
	scan_reading_put(r, row, 0);
}

/* False if the number has other digits, or does not fit. */
static bool
scan_parse_number(const struct scan_alphabet *a, struct prof_span number,
    unsigned base, uint64_t *n)
{
	*n = 0;
	for (size_t i = 0; i < number.size; i++) {
		int v = a->value[number.data[i]];

		if (v < 0 || (unsigned)v >= base || !mul_u64(*n, base, n) ||
		    !add_u64(*n, (unsigned)v, n))
			return false;
	}
	return number.size != 0;
}

/*
 * The likeliest base comes first: od has seven digits in octal and decimal
 * offsets, and six in hexadecimal ones.
 */
enum { OD_DIGITS = 7 };

static const unsigned scan_bases[][SCAN_BASES] = {
	{ 16, 8, 10 }, { 8, 10, 16 },
};

/* Finds the bases in which the number of the second row follows the first. */
static bool
scan_reading_find_bases(struct scan_reading *r, struct prof_span number)
{
	const unsigned *bases = scan_bases[r->number.size == OD_DIGITS];

	for (size_t i = 0; i < SCAN_BASES; i++) {
		uint64_t first, second;

		if (scan_parse_number(r->alphabet, r->number, bases[i],
		    &first) && scan_parse_number(r->alphabet, number,
		    bases[i], &second) && second >= first &&
		    second - first == r->since)
			r->bases[r->base_count++] = (struct scan_base){
			    bases[i], second };
	}
	return r->base_count != 0;
}

/*
 * Dumps show lines that repeat the one before as a star: fills them in up to
 * the offset if whole lines fit.
 */
static bool
scan_reading_fill(struct scan_reading *r, struct scan_base base,
    uint64_t offset)
{
	size_t width = r->width / 2;
	uint64_t n = offset - base.expected;
	uint8_t *p;

	if (offset <= base.expected || width == 0 || r->width % 2 != 0 ||
	    n % width != 0 || n > SCAN_REPEATED_MAX - r->repeated ||
	    r->bytes.size < width || r->bit_count != 0 ||
	    (p = buf_reserve(&r->bytes, (size_t)n)) == NULL)
		return false;
	for (uint64_t i = 0; i < n; i += width)
		memcpy(p + i, p - width, width);
	r->bytes.size += (size_t)n;
	r->repeated += n;
	r->bases[0] = (struct scan_base){ base.base, offset };
	r->base_count = 1;
	return true;
}

/* Drops the bases in which the number is not the next one, unless all are. */
static bool
scan_reading_is_next(struct scan_reading *r, struct prof_span number)
{
	struct scan_base fit[SCAN_BASES];
	size_t count = 0;
	uint64_t offset;

	for (size_t i = 0; i < r->base_count; i++) {
		if (scan_parse_number(r->alphabet, number, r->bases[i].base,
		    &offset) && offset == r->bases[i].expected)
			fit[count++] = r->bases[i];
	}
	if (count == 0)
		return false;
	memcpy(r->bases, fit, sizeof(fit[0]) * count);
	r->base_count = count;
	return true;
}

/* Whether a row of a block with offsets is the next one. */
static bool
scan_reading_follows(struct scan_reading *r, const struct scan_row *row)
{
	const struct scan_digits *d = &row->digits;
	struct prof_span number = d->number;
	uint64_t offset;
	bool next;

	/* Behind a star, the last line of a dump is only an offset. */
	if (r->star && number.size == 0 && d->end == row->line.size)
		number = (struct prof_span){ row->line.data + d->start,
		    d->count };
	if (number.size < r->number.size)
		return false;
	next = scan_reading_is_next(r, number);
	for (size_t i = 0; r->star && !next && i < r->base_count; i++)
		next = scan_parse_number(r->alphabet, number, r->bases[i].base,
		    &offset) && scan_reading_fill(r, r->bases[i], offset);
	return d->number.size != 0 && next;
}

static bool
scan_reading_belongs(struct scan_reading *r, const struct scan_row *row)
{
	const struct scan_digits *d = &row->digits;

	if (r->base_count != 0)
		return scan_reading_follows(r, row);
	if (r->number.size != 0 && scan_reading_find_bases(r, d->number))
		return true;
	if (!r->by_width)
		return row->frame == r->frame;
	if (d->count < r->width && d->count > r->last.digits.count &&
	    (row->shape == r->shape || d->front == r->column))
		r->last = *row;
	return d->count == r->width;
}

bool
scan_reading_row(struct scan_reading *r, const struct scan_row *row)
{
	if (r->active && !r->taken && scan_reading_belongs(r, row))
		scan_reading_take(r, row);
	return !r->bytes.failed;
}

/* Bits of all blocks up to the end of a magic in the row that was taken. */
static uint64_t
scan_reading_bits(const struct scan_reading *r, const struct scan_magic *m)
{
	return r->taken_bits + (uint64_t)m->digits * r->alphabet->bits -
	    m->rest;
}

bool
scan_reading_holds(const struct scan_reading *r, const struct scan_row *row,
    const struct scan_magic *m)
{
	return r->active && r->taken &&
	    r->taken_start == row->digits.start &&
	    scan_reading_bits(r, m) % 8 == 0;
}

size_t
scan_reading_offset(const struct scan_reading *r, const struct scan_magic *m)
{
	return (size_t)(scan_reading_bits(r, m) / 8 - 8);
}

void
scan_reading_begin(struct scan_reading *r, const struct scan_row *row,
    const struct scan_magic *m)
{
	const struct scan_digits *d = &row->digits;

	buf_number(&r->bytes, m->value, 8, true);
	r->bits = m->left;
	r->bit_count = m->rest;
	r->active = true;
	r->frame = row->frame;
	r->shape = row->shape;
	r->width = d->count;
	r->column = d->front;
	r->number = d->number;
	r->since = d->count * r->alphabet->bits / 8;
	r->taken = true;
	r->taken_start = d->start;
	/* The block may not have the bits of the row in front of the magic. */
	r->taken_bits = 8 * (uint64_t)r->bytes.size + m->rest -
	    (uint64_t)m->digits * r->alphabet->bits;
	scan_reading_put(r, row, m->digits);
}

bool
scan_reading_line_end(struct scan_reading *r, struct prof_span line)
{
	bool taken = r->taken;

	r->taken = false;
	if (!r->active || taken)
		return true;
	if (line.data[line.size - 1] == '*')
		r->star = true;
	else
		r->gap++;
	return r->gap <= SCAN_GAP_MAX;
}

void
scan_reading_close(struct scan_reading *r)
{
	if (r->active && r->last.digits.count != 0)
		scan_reading_put(r, &r->last, 0);
	r->active = r->star = false;
	r->base_count = 0;
	r->gap = 0;
	r->bits = r->bit_count = 0;
	r->last.digits.count = 0;
}
