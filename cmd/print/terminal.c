#include "config.h"

#include "cmd/print/print.h"

#include <langinfo.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "base/numbers.h"
#include "base/text.h"
#include "cmd/common/cli.h"

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

/* Of a terminal that does not say; and the largest size that is believed. */
enum { USUAL_COLUMNS = 80, USUAL_LINES = 24, SIZE_LIMIT = 65535 };

/* A name of fewer columns could be any. */
enum { NAME_COLUMNS = 16 };

/* Rows of tables, and lines for the next prompt. */
enum { LEAST_ROWS = 3, PROMPT_LINES = 2 };

/* ECMA-48, SGR: colours that all terminals have, and 0 to end them. */
static const char *const colours[TERMINAL_ROLES] = {
	[TERMINAL_PLAIN] = NULL,
	[TERMINAL_HEADING] = "\033[1m",
	[TERMINAL_HOT] = "\033[31m",
	[TERMINAL_WARM] = "\033[33m",
	[TERMINAL_COLD] = "\033[36m",
	[TERMINAL_WORSE] = "\033[31m",
	[TERMINAL_BETTER] = "\033[32m",
};

static const char colour_end[] = "\033[0m";

/* A variable that is there and not empty, or NULL. */
static const char *
terminal_variable(const char *name)
{
	const char *value = getenv(name);

	return value == NULL || *value == '\0' ? NULL : value;
}

/* The size that a variable says, else that of the window, else the usual. */
static size_t
terminal_size(const char *variable, unsigned short window, size_t usual)
{
	const char *value = terminal_variable(variable);
	uint64_t n;

	if (value != NULL && cli_is_number(value, 1, SIZE_LIMIT, &n))
		return (size_t)n;
	return window != 0 ? window : usual;
}

/* A terminal that cannot do more than print, or is not known. */
static bool
terminal_is_dumb(void)
{
	const char *kind = terminal_variable("TERM");

	return kind == NULL || strcmp(kind, "dumb") == 0;
}

static bool
terminal_is_coloured(const struct terminal *t, enum terminal_colour wanted)
{
	if (wanted != TERMINAL_AUTO)
		return wanted == TERMINAL_ALWAYS;
	return t->there && terminal_variable("NO_COLOR") == NULL &&
	    !terminal_is_dumb();
}

/* Programs run in the C locale: only its character set matters here. */
static bool
terminal_is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool utf8;

	if (locale == (locale_t)0)
		return false;
	utf8 = strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;
	freelocale(locale);
	return utf8;
}

void
terminal_open(struct terminal *t, const struct cli *c, bool for_people)
{
	struct winsize window = { .ws_col = 0 };
	const char *path = c->output.path;
	bool to_file = path != NULL && strcmp(path, "-") != 0;

	*t = (struct terminal){ .there = !to_file &&
	    isatty(STDOUT_FILENO) != 0,
	    .columns = COLUMNS_ANY };
	if (t->there) {
		(void)ioctl(STDOUT_FILENO, TIOCGWINSZ, &window);
		t->columns = terminal_size("COLUMNS", window.ws_col,
		    USUAL_COLUMNS);
		t->lines = terminal_size("LINES", window.ws_row, USUAL_LINES);
	}
	t->grouped = t->there;
	t->coloured = for_people && terminal_is_coloured(t, c->options.colour);
	t->mark = t->there && terminal_is_utf8() ? "\xe2\x80\xa6" : "...";
}

void
terminal_fit(const struct terminal *t, struct buf *b, size_t from, size_t used)
{
	size_t left = t->columns > used ? t->columns - used : 0;

	if (b->failed)
		return;
	printable_mask(b->data + from, b->size - from);
	columns_cut(b, from, left < NAME_COLUMNS ? NAME_COLUMNS : left,
	    t->mark);
}

size_t
terminal_count_lines(const struct buf *b, size_t from)
{
	size_t lines = 0;

	for (size_t i = from; !b->failed && i < b->size; i++)
		lines += b->data[i] == '\n';
	return lines;
}

size_t
terminal_rows(const struct terminal *t, size_t others, size_t usual)
{
	size_t used = others + PROMPT_LINES;

	if (t->lines == 0)
		return usual;
	return t->lines < used + LEAST_ROWS ? LEAST_ROWS : t->lines - used;
}

void
terminal_begin(const struct terminal *t, struct buf *b,
    enum terminal_role role)
{
	if (t->coloured && colours[role] != NULL)
		buf_text(b, colours[role]);
}

void
terminal_end(const struct terminal *t, struct buf *b, enum terminal_role role)
{
	if (t->coloured && colours[role] != NULL)
		buf_text(b, colour_end);
}
