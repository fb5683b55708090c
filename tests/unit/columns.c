/* Text by the columns of a terminal: widths, cuts, digits in groups. */
#include "cmd/print/print.h"

#include <locale.h>
#include <string.h>

#include "tests/support/test.h"

#define WIDE "\xe4\xb8\xad"		/* U+4E2D, two columns */
#define ACCENT "e\xcc\x81"		/* e and U+0301, one column */
#define UMLAUT "\xc3\xb6"		/* U+00F6 */
#define FACE "\xf0\x9f\x98\x80"		/* U+1F600, two columns */
#define MARK "\xe2\x80\xa6"		/* U+2026 */

static const struct {
	const char *text;
	size_t columns;
} widths[] = {
	{ "", 0 }, { "main", 4 }, { "gr" UMLAUT "n", 4 }, { WIDE "x", 3 },
	{ ACCENT, 1 }, { FACE WIDE, 4 },
	/* What no mask has been over does not end the text. */
	{ "\xff\x80", 2 }, { "a\xe4\xb8", 3 },
};

static const struct {
	const char *text;
	size_t columns;
	const char *mark, *cut;
} cuts[] = {
	{ "short", 5, "...", "short" },
	{ "short", COLUMNS_ANY, "...", "short" },
	{ "0123456789", 9, "...", "012...789" },
	{ "0123456789", 8, "...", "012...89" },
	{ "0123456789", 5, "...", "0...9" },
	{ "0123456789", 9, MARK, "0123" MARK "6789" },
	{ "0123456789", 8, MARK, "0123" MARK "789" },
	{ "0123456789", 3, MARK, "0" MARK "9" },
	/* No room for the mark and a character on each side. */
	{ "0123456789", 4, "...", "0123" },
	{ "0123456789", 2, MARK, "01" },
	{ "0123456789", 0, MARK, "" },
	{ WIDE WIDE, 1, MARK, "" },
	/* Bytes say nothing: the first fits, of the others nothing is split. */
	{ UMLAUT UMLAUT UMLAUT UMLAUT, 4, MARK, UMLAUT UMLAUT UMLAUT UMLAUT },
	{ UMLAUT UMLAUT UMLAUT UMLAUT, 3, MARK, UMLAUT MARK UMLAUT },
	{ WIDE WIDE WIDE WIDE, 8, MARK, WIDE WIDE WIDE WIDE },
	{ WIDE WIDE WIDE WIDE, 7, MARK, WIDE MARK WIDE },
	{ WIDE WIDE WIDE WIDE, 5, MARK, WIDE MARK WIDE },
	{ WIDE WIDE WIDE WIDE, 4, MARK, WIDE MARK },
	/* Combining characters stay with the character in front of them. */
	{ ACCENT ACCENT ACCENT ACCENT, 3, MARK, ACCENT MARK ACCENT },
	{ "abc" ACCENT, 3, MARK, "a" MARK ACCENT },
};

static const struct {
	uint64_t number;
	size_t width;
	bool grouped;
	const char *text;
} numbers[] = {
	{ 0, 0, true, "0" }, { 0, 3, true, "  0" }, { 999, 0, true, "999" },
	{ 1000, 0, true, "1,000" }, { 1000, 7, true, "  1,000" },
	{ 1000, 7, false, "   1000" }, { 123456, 0, true, "123,456" },
	{ 1234567, 2, true, "1,234,567" },
	{ UINT64_MAX, 0, true, "18,446,744,073,709,551,615" },
	{ UINT64_MAX, 26, false, "      18446744073709551615" },
};

/* Whether the buffer is "<" and the text. */
static bool
is_text(const struct buf *b, const char *text)
{
	return !b->failed && b->size == strlen(text) + 1 &&
	    b->data[0] == '<' && memcmp(b->data + 1, text, b->size - 1) == 0;
}

/*
 * Whether the expected columns of the text hold: of characters that are not one
 * column wide, the locale tells, and a host need not have the locale.
 */
static bool
is_known(const char *text)
{
	static locale_t utf8;

	if (utf8 == (locale_t)0)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
	return utf8 != (locale_t)0 || (strstr(text, WIDE) == NULL &&
	    strstr(text, ACCENT) == NULL && strstr(text, FACE) == NULL);
}

static void
begin(struct buf *b, const char *text)
{
	b->size = 0;
	buf_u8(b, '<');
	buf_text(b, text);
}

int
main(void)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < COUNT(widths); i++) {
		if (is_known(widths[i].text))
			check(columns_of(span_of_text(widths[i].text)) ==
			    widths[i].columns, "width %zu", i);
	}
	for (size_t i = 0; i < COUNT(cuts); i++) {
		if (!is_known(cuts[i].text))
			continue;
		begin(&b, cuts[i].text);
		columns_cut(&b, 1, cuts[i].columns, cuts[i].mark);
		check(is_text(&b, cuts[i].cut), "cut %zu: %.*s", i,
		    (int)b.size - 1, (const char *)b.data + 1);
	}
	for (size_t i = 0; i < COUNT(numbers); i++) {
		begin(&b, "");
		columns_number(&b, numbers[i].number, numbers[i].width,
		    numbers[i].grouped);
		check(is_text(&b, numbers[i].text), "number %zu", i);
	}
	buf_free(&b);
	return done_testing();
}
