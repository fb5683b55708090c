#include "fuzz/tokens.h"

#include <ctype.h>

/* Bytes around the place of a change that are looked at. */
enum { LONGEST_LINE = 4096, MOST_COPIES = 5 };

struct token {
	size_t at, size;
};

#define PICK(c, table) \
	text_of((table)[chance(c, sizeof(table) / sizeof((table)[0]))])

static struct prof_span
text_of(const char *s)
{
	return (struct prof_span){ (const uint8_t *)s, strlen(s) };
}

static bool
is_number_byte(uint8_t byte)
{
	return isdigit(byte) || strchr("+-.eE", byte) != NULL;
}

static bool
is_word_byte(uint8_t byte)
{
	return isalnum(byte) || byte == '_' || byte == '$' || byte >= 0x80;
}

static bool
is_blank_byte(uint8_t byte)
{
	return byte == ' ' || byte == '\t';
}

/* Bytes from `at` on that `of` is true of. */
static size_t
run_of(struct prof_span text, size_t at, bool (*of)(uint8_t))
{
	size_t n = 0;

	while (at + n < text.size && text.data[at + n] != '\0' &&
	    of(text.data[at + n]))
		n++;
	return n;
}

static size_t
string_size(struct prof_span text, size_t at)
{
	size_t end = at + 1;

	while (end < text.size && text.data[end] != '\n' &&
	    text.data[end] != '"')
		end += text.data[end] == '\\' ? 2 : 1;
	return (end < text.size ? end + 1 : text.size) - at;
}

static size_t
token_size(struct prof_span text, size_t at)
{
	uint8_t byte = text.data[at];

	if (byte == '"')
		return string_size(text, at);
	if (isdigit(byte) || byte == '-')
		return run_of(text, at, is_number_byte);
	if (is_word_byte(byte))
		return run_of(text, at, is_word_byte);
	return is_blank_byte(byte) ? run_of(text, at, is_blank_byte) : 1;
}

/* The line of a random byte, with the end of the line. */
static struct token
pick_line(struct chance *c, struct prof_span text)
{
	size_t at = (size_t)chance(c, text.size), end = at;

	while (at > 0 && text.data[at - 1] != '\n' && end - at < LONGEST_LINE)
		at--;
	while (end < text.size && text.data[end] != '\n' &&
	    end - at < LONGEST_LINE)
		end++;
	return (struct token){ at, end - at + (end < text.size) };
}

/* A random token of a random line, so that long lines have no privilege. */
static struct token
pick_token(struct chance *c, struct prof_span text)
{
	struct token line = pick_line(c, text), t = { line.at, 0 };
	size_t end = line.at + line.size;
	size_t until = line.at + (size_t)chance(c, line.size);

	do {
		t.at += t.size;
		t.size = token_size(text, t.at);
	} while (t.at + t.size <= until && t.at + t.size < end);
	return t;
}

static struct prof_span
token_text(struct prof_span text, struct token t)
{
	return (struct prof_span){ text.data + t.at, t.size };
}

static struct prof_span
text_in(const struct buf *b)
{
	return (struct prof_span){ b->data, b->size };
}

/* Inserts or replaces with bytes that may be of the buffer itself. */
static void
put_copy(struct buf *b, size_t at, size_t n, struct prof_span bytes)
{
	struct buf copy = { 0 };

	buf_put(&copy, bytes.data, bytes.size);
	if (!copy.failed)
		splice_bytes(b, at, n, text_in(&copy));
	buf_free(&copy);
}

static void
swap_parts(struct buf *b, struct token x, struct token y)
{
	struct token first = x.at < y.at ? x : y, last = x.at < y.at ? y : x;
	struct buf copy = { 0 };

	if (first.at + first.size > last.at)
		return;
	buf_put(&copy, b->data + first.at, first.size);
	put_copy(b, first.at, first.size, token_text(text_in(b), last));
	if (!copy.failed)
		splice_bytes(b, last.at - first.size + last.size, last.size,
		    text_in(&copy));
	buf_free(&copy);
}

static void
repeat_part(struct chance *c, struct buf *b, struct token t)
{
	for (uint64_t n = chance(c, MOST_COPIES) + 1; n > 0; n--)
		put_copy(b, t.at, 0, token_text(text_in(b), t));
}

/* A number in place of the first one behind a random byte. */
static void
set_number(struct chance *c, struct buf *b)
{
	static const char *const numbers[] = {
		"0", "1", "-0", "-1", "00", "01", "127", "128", "255", "256",
		"32767", "65535", "65536", "2147483647", "2147483648",
		"4294967295", "4294967296", "9007199254740993",
		"9223372036854775807", "9223372036854775808",
		"18446744073709551614", "18446744073709551615",
		"18446744073709551616", "184467440737095516150",
		"99999999999999999999", "-9223372036854775808", "1.0", "1e0",
		"1e400", "0.1", "1E+2", "1e-2", "1.", ".5", "-", "+1", "0x10",
		"\"1\"", "null", "true", "NaN",
	};
	size_t at = (size_t)chance(c, b->size);

	while (at < b->size && !isdigit(b->data[at]))
		at++;
	if (at < b->size)
		splice_bytes(b, at, run_of(text_in(b), at, is_number_byte),
		    PICK(c, numbers));
}

static void
insert_punctuation(struct chance *c, struct buf *b, size_t at)
{
	static const char *const marks[] = {
		",", ",", ",,", ":", "{", "}", "[", "]", "{}", "[]", "\"",
		"\"\"", "\n", "\n\n", "- ", "#", "'", "|", "&a ", "*a", "---\n",
		"...\n", "? ", "!!int ", ";", "%", "@",
	};

	splice_bytes(b, at, 0, PICK(c, marks));
}

static void
insert_blanks(struct chance *c, struct buf *b, size_t at)
{
	static const char *const blanks[] = {
		" ", "  ", "\t", "\r", "\r\n", "\n", "\f", "\v", "\xc2\xa0",
		"\xef\xbb\xbf",
	};

	splice_bytes(b, at, 0, PICK(c, blanks));
}

/* Into a string, or wherever it comes. */
static void
insert_escape(struct chance *c, struct buf *b, struct token t)
{
	static const char *const escapes[] = {
		"\\\"", "\\\\", "\\/", "\\n", "\\t", "\\u0000", "\\u0041",
		"\\u001b", "\\u00e9", "\\u20ac", "\\ud83d\\ude00", "\\ud83d",
		"\\ude00", "\\uD83D\\u0041", "\\ufffe", "\\x", "\\u12", "\\",
		"\x1b", "\x7f", "\xc3\xa9", "\xed\xa0\x80", "\xff", "\xc0\x80",
		"\xf4\x90\x80\x80", "\xf0\x9f\x98\x80",
	};

	splice_bytes(b, t.at + (size_t)chance(c, t.size + 1), 0,
	    PICK(c, escapes));
}

/* The first bytes of a line are blanks; YAML counts them. */
static void
indent_line(struct chance *c, struct buf *b)
{
	struct token line = pick_line(c, text_in(b));
	size_t blanks = run_of(text_in(b), line.at, is_blank_byte);

	if (blanks > line.size)
		blanks = line.size;
	splice_bytes(b, line.at, (size_t)chance(c, blanks + 1),
	    (struct prof_span){ (const uint8_t *)"    ",
	    (size_t)chance(c, 5) });
}

static void
change_line(struct chance *c, struct buf *b, struct prof_span other)
{
	struct token line = pick_line(c, text_in(b));

	switch (chance(c, 5)) {
	case 0:
		splice_bytes(b, line.at, line.size, text_of(""));
		break;
	case 1:
		repeat_part(c, b, line);
		break;
	case 2:
		swap_parts(b, line, pick_line(c, text_in(b)));
		break;
	case 3:
		indent_line(c, b);
		break;
	default:
		if (other.size != 0)
			put_copy(b, line.at, 0, token_text(other,
			    pick_line(c, other)));
		break;
	}
}

void
tokens_change(struct chance *c, struct buf *b, struct prof_span other)
{
	struct token t;

	if (b->size == 0) {
		insert_punctuation(c, b, 0);
		return;
	}
	t = pick_token(c, text_in(b));
	switch (chance(c, 12)) {
	case 0:
		splice_bytes(b, t.at, t.size, text_of(""));
		break;
	case 1:
		repeat_part(c, b, t);
		break;
	case 2:
		swap_parts(b, t, pick_token(c, text_in(b)));
		break;
	case 3:
		put_copy(b, t.at, t.size, token_text(text_in(b),
		    pick_token(c, text_in(b))));
		break;
	case 4:
		if (other.size != 0)
			put_copy(b, t.at, t.size, token_text(other,
			    pick_token(c, other)));
		break;
	case 5:
		insert_punctuation(c, b, t.at);
		break;
	case 6:
		insert_blanks(c, b, t.at);
		break;
	case 7:
		insert_escape(c, b, t);
		break;
	case 8:
	case 9:
		set_number(c, b);
		break;
	default:
		change_line(c, b, other);
		break;
	}
}
