#include "config.h"

#include "cmd/common/columns.h"

#include <locale.h>
#include <wchar.h>

#include "base/digits.h"

/* A character of masked text: its bytes, and the columns that it takes. */
struct column_character {
	size_t size, columns;
};

/*
 * Columns by wcwidth(3), whose tables are those of the locale.  Where there is
 * no C.UTF-8, each character counts as one column.
 */
static size_t
columns_of_code(wchar_t code)
{
	static locale_t utf8;
	static bool asked;
	locale_t before;
	int n;

	if (!asked)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	asked = true;
	if (utf8 == (locale_t)0)
		return 1;
	before = uselocale(utf8);
	n = wcwidth(code);
	uselocale(before);
	return n < 0 ? 1 : (size_t)n;
}

/* The character at the start of the text, which is not empty. */
static struct column_character
columns_character(struct prof_span s)
{
	const uint8_t first = s.data[0];
	size_t size = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 :
	    4;
	uint32_t code;

	if (first < 0xc0 || size > s.size)
		return (struct column_character){ 1, 1 };
	code = first & (0x7fu >> size);
	for (size_t i = 1; i < size; i++)
		code = code << 6 | (s.data[i] & 0x3f);
	return (struct column_character){ size,
		columns_of_code((wchar_t)code) };
}

static struct prof_span
columns_skip(struct prof_span s, size_t n)
{
	return (struct prof_span){ s.data + n, s.size - n };
}

size_t
columns_of(struct prof_span s)
{
	size_t columns = 0;

	while (s.size != 0) {
		struct column_character c = columns_character(s);

		columns += c.columns;
		s = columns_skip(s, c.size);
	}
	return columns;
}

/*
 * Bytes of the first characters: as many as take at most n columns, with the
 * combining characters that belong to the last of them.
 */
static size_t
columns_prefix(struct prof_span s, size_t n)
{
	const size_t size = s.size;

	while (s.size != 0) {
		struct column_character c = columns_character(s);

		if (c.columns > n)
			break;
		n -= c.columns;
		s = columns_skip(s, c.size);
	}
	return size - s.size;
}

/* Offset of the last characters, which take at most n columns of all. */
static size_t
columns_suffix(struct prof_span s, size_t all, size_t n)
{
	const size_t size = s.size;

	while (s.size != 0) {
		struct column_character c = columns_character(s);

		/* A combining character needs the one in front of it. */
		if (all <= n && c.columns != 0)
			break;
		all -= c.columns;
		s = columns_skip(s, c.size);
	}
	return size - s.size;
}

void
columns_cut(struct buf *b, size_t from, size_t n, const char *mark)
{
	struct prof_span s, text = span_of_text(mark);
	size_t all, room = columns_of(text), head, tail;

	/* No character takes more columns than bytes. */
	if (b->failed || b->size - from <= n)
		return;
	/* The mark may have more bytes than the text that it replaces. */
	if (buf_reserve(b, text.size) == NULL)
		return;
	s = (struct prof_span){ b->data + from, b->size - from };
	all = columns_of(s);
	if (all <= n)
		return;
	if (n < room + 2) {
		b->size = from + columns_prefix(s, n);
		return;
	}
	room = n - room;
	head = columns_prefix(s, room - room / 2);
	tail = columns_suffix(s, all, room / 2);
	memmove(b->data + from + head + text.size, s.data + tail,
	    s.size - tail);
	memcpy(b->data + from + head, text.data, text.size);
	b->size = from + head + text.size + s.size - tail;
}

void
columns_pad(struct buf *b, size_t from, size_t n)
{
	size_t all;

	if (b->failed)
		return;
	all = columns_of((struct prof_span){ b->data + from, b->size - from });
	for (; all < n; all++)
		buf_u8(b, ' ');
}

void
columns_number(struct buf *b, uint64_t number, size_t width, bool grouped)
{
	uint8_t digits[DIGITS_MAX], groups[DIGITS_GROUPED_MAX];
	const uint8_t *text = grouped ? groups : digits;
	size_t size = (size_t)(digits_put(digits, number) - digits), blanks;
	uint8_t *p;

	if (grouped)
		size = digits_group(groups, digits, size);
	blanks = size < width ? width - size : 0;
	p = buf_reserve(b, blanks + size);
	if (p == NULL)
		return;
	memset(p, ' ', blanks);
	memcpy(p + blanks, text, size);
	b->size += blanks + size;
}
