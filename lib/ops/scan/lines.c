#include "ops/scan/lines.h"

#include <stdlib.h>

#include "base/array.h"

/* Lines that a magic is spread over at most, one for each hex digit. */
enum { SCAN_MAGIC_LINES = 16 };

/* Where the digits are that come before those of a line. */
struct scan_before {
	size_t from;			/* offset of their line */
	size_t digits;			/* in the last digits of that line */
};

/*
 * Hashes of a line up to a place.  For the frame, blanks are nothing, and all
 * numbers are the same; for the shape, so are all words.
 */
struct scan_surroundings {
	size_t at;
	uint64_t frame, shape;
	uint8_t frame_last, shape_last;	/* bytes that were hashed */
};

struct scan_log {
	struct scan_lines *out;
	const struct scan_alphabet *alphabet;
	size_t first_mark[SCAN_READINGS];	/* of the block */
	uint64_t before;		/* last bits of earlier lines */
	struct scan_before lines[SCAN_MAGIC_LINES];	/* a ring */
	size_t line_count;

	/* The line that is being read. */
	size_t from;			/* its offset */
	struct scan_surroundings surroundings;	/* of its last row */
};

/* Whether 8 bytes, the first in the high bits, are the magic of a profile. */
static bool
scan_is_magic(uint64_t v)
{
	uint8_t bytes[8];

	if (!scan_may_begin(v))
		return false;
	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(v >> (56 - 8 * i));
	return prof_sniff((struct prof_span){ bytes, 8 }) != NULL;
}

/* One step of FNV-1a, but that a byte like the last one may count nothing. */
static void
scan_hash_byte(uint64_t *hash, uint8_t *last, uint8_t c, bool once)
{
	if (once && c == *last)
		return;
	*last = c;
	*hash = (*hash ^ c) * UINT64_C(0x100000001b3);
}

static void
scan_surroundings_add(struct scan_surroundings *s, struct prof_span line,
    size_t end)
{
	for (; s->at < end; s->at++) {
		uint8_t c = line.data[s->at];
		bool digit = c >= '0' && c <= '9';
		bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');

		if (c == ' ' || c == '\t') {
			/* Behind '[' and the like are any number of blanks. */
			if (s->shape_last != '0')
				continue;
			c = ' ';
		}
		scan_hash_byte(&s->frame, &s->frame_last, digit ? '0' : c,
		    digit);
		scan_hash_byte(&s->shape, &s->shape_last, digit || letter ?
		    '0' : c, digit || letter);
	}
}

/* Hashes what is in front of the digits, and the byte behind them. */
static void
scan_log_surroundings(struct scan_log *s, struct scan_row *row)
{
	const struct prof_span line = row->line;
	size_t behind = row->digits.end;
	uint8_t c;

	scan_surroundings_add(&s->surroundings, line, row->digits.front);
	while (behind < line.size && line.data[behind] == '=')
		behind++;
	c = behind < line.size ? line.data[behind] : 0;
	row->frame = s->surroundings.frame + c;
	row->shape = s->surroundings.shape + c;
}

/* Ends the block of a reading; the marks in it learn where. */
static void
scan_log_close(struct scan_log *s, int reading)
{
	struct scan_lines *out = s->out;
	struct scan_reading *r = &out->readings[reading];

	scan_reading_close(r);
	for (size_t i = s->first_mark[reading]; i < out->count; i++)
		out->marks[i].end[reading] = r->bytes.size;
	s->first_mark[reading] = out->count;
}

/* The line in which the magic begins. */
static size_t
scan_log_line_of(const struct scan_log *s, const struct scan_magic *m)
{
	size_t need = (64 + m->rest + s->alphabet->bits - 1) /
	    s->alphabet->bits;
	size_t have = m->digits, from = s->from;

	for (size_t i = 0; i < s->line_count && i < SCAN_MAGIC_LINES &&
	    have < need; i++) {
		const struct scan_before *b = &s->lines[(s->line_count - 1 -
		    i) % SCAN_MAGIC_LINES];

		from = b->from;
		have += b->digits;
	}
	return from;
}

static bool
scan_log_mark(struct scan_log *s, struct scan_row *row,
    const struct scan_magic *m)
{
	struct scan_lines *out = s->out;
	struct scan_mark mark = { .from = scan_log_line_of(s, m) };

	scan_log_surroundings(s, row);
	for (int i = 0; i < SCAN_READINGS; i++) {
		struct scan_reading *r = &out->readings[i];

		if (!scan_reading_holds(r, row, m)) {
			scan_log_close(s, i);
			scan_reading_begin(r, row, m);
		}
		mark.at[i] = scan_reading_offset(r, m);
	}
	return ARRAY_ADD(out->marks, out->count, out->room, mark);
}

/*
 * Looks for magics in the row, at any bit where a byte may begin.  *bits are
 * the last ones before the row, and then those at its end.
 */
static bool
scan_log_row(struct scan_log *s, struct scan_row *row, uint64_t *bits)
{
	const struct scan_digits *d = &row->digits;
	const unsigned step = s->alphabet->bits == 4 ? 4 : 2;
	uint64_t value = *bits;

	for (size_t i = d->start, n = 0; n < d->count; i++) {
		int v = s->alphabet->value[row->line.data[i]];
		unsigned digit = (unsigned)v;

		if (v < 0)
			continue;
		n++;
		for (unsigned rest = s->alphabet->bits; rest > 0;) {
			rest -= step;
			value = value << step | (digit >> rest &
			    ((1u << step) - 1));
			if (scan_is_magic(value) &&
			    !scan_log_mark(s, row, &(struct scan_magic){ value,
			    n, rest, digit & ((1u << rest) - 1) }))
				return false;
		}
	}
	*bits = d->closed ? 0 : value;
	return true;
}

/* Gives a row to the readings that are in a block. */
static bool
scan_log_read_row(struct scan_log *s, struct scan_row *row)
{
	for (int i = 0; i < SCAN_READINGS; i++) {
		struct scan_reading *r = &s->out->readings[i];

		if (!r->active)
			continue;
		scan_log_surroundings(s, row);
		if (!scan_reading_row(r, row))
			return false;
	}
	return true;
}

static bool
scan_log_line(struct scan_log *s, struct prof_span line)
{
	struct scan_row row = { .line = line };
	const uint64_t before = s->before;
	size_t digits = 0, end = 0;
	bool numbered = false;

	s->surroundings = (struct scan_surroundings){ .at = 0 };
	while (s->alphabet->next(s->alphabet, line, &row.digits)) {
		uint64_t bits = before;
		/* What uuencode prints may have ends that look like a line. */
		bool part = row.digits.start < end;

		if (!scan_log_read_row(s, &row) ||
		    (!part && !scan_log_row(s, &row, &bits)))
			return false;
		end = row.digits.end;
		/* Behind digits with an offset may be text that has some. */
		if (numbered && row.digits.number.size == 0)
			continue;
		numbered = row.digits.number.size != 0;
		s->before = bits;
		digits = row.digits.count;
	}
	s->lines[s->line_count++ % SCAN_MAGIC_LINES] =
	    (struct scan_before){ s->from, digits };
	for (int i = 0; i < SCAN_READINGS; i++) {
		if (!scan_reading_line_end(&s->out->readings[i], line))
			scan_log_close(s, i);
	}
	return true;
}

/* Size of the line at the start of the bytes; LF, CR or both end it. */
static size_t
scan_line_size(struct prof_span bytes)
{
	size_t n = 0;

	while (n < bytes.size && bytes.data[n] != '\n' && bytes.data[n] != '\r')
		n++;
	return n;
}

bool
scan_lines_read(struct scan_lines *out, const struct scan_alphabet *a,
    struct prof_span log)
{
	struct scan_log s = { .out = out, .alphabet = a };

	for (int i = 0; i < SCAN_READINGS; i++) {
		out->readings[i].alphabet = a;
		out->readings[i].by_width = i == 1;
	}
	for (size_t at = 0; at < log.size; at++) {
		struct prof_span line = { log.data + at, log.size - at };

		line.size = scan_line_size(line);
		s.from = at;
		if (line.size != 0 && !scan_log_line(&s, line))
			return false;
		at += line.size;
	}
	for (int i = 0; i < SCAN_READINGS; i++)
		scan_log_close(&s, i);
	return true;
}

void
scan_lines_free(struct scan_lines *s)
{
	for (int i = 0; i < SCAN_READINGS; i++)
		buf_free(&s->readings[i].bytes);
	free(s->marks);
	*s = (struct scan_lines){ .count = 0 };
}
