/* Names and rows for people: what terminals and pages have little room for. */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "cmd/print/print.h"

/* Brackets deeper than that, and a name cut to less, would say nothing. */
enum { DEPTH_MAX = 64, NAME_LEAST = 24 };

static bool short_names;
static size_t row_width;		/* of the terminal; 0: any */

/* The size of the word that the rest of a text begins with, or 0. */
static size_t
text_skip(const char *at, const char *end, const char *word)
{
	const size_t size = strlen(word);

	return size <= (size_t)(end - at) && memcmp(at, word, size) == 0 ?
	    size : 0;
}

/* Behind "std::", and the inline namespace of a library there; or `at`. */
static const char *
skip_std(const char *at, const char *end)
{
	size_t size = text_skip(at, end, "std::");

	if (size == 0)
		return at;
	at += size;
	at += text_skip(at, end, "__cxx11::");
	return at + text_skip(at, end, "__1::");
}

/* Behind the '>' that belongs to the '<' before `at`, or NULL. */
static const char *
skip_arguments(const char *at, const char *end)
{
	for (size_t depth = 1; at < end; at++) {
		depth += *at == '<';
		depth -= *at == '>';
		if (depth == 0)
			return at + 1;
	}
	return NULL;
}

/*
 * Behind the template arguments from `at` on, if there are some, all of these
 * are those that the standard library has by default, and no others follow; or
 * `at`.  In vain, it is not tried again before *tried, so that it takes time in
 * proportion to the name.
 */
static const char *
skip_defaults(const char *at, const char *end, const char **tried)
{
	static const char *const words[] = { "allocator<", "char_traits<",
	    "default_delete<", "equal_to<", "hash<", "less<" };
	const char *next = at, *last = at, *name;
	size_t size;

	while (at >= *tried && next != NULL &&
	    text_skip(next, end, ", ") != 0) {
		last = next;
		name = skip_std(next + 2, end);
		size = 0;
		for (size_t i = 0; name != next + 2 && size == 0 &&
		    i < sizeof(words) / sizeof(*words); i++)
			size = text_skip(name, end, words[i]);
		next = size == 0 ? NULL : skip_arguments(name + size, end);
	}
	if (next != NULL && next != at) {
		last = next;
		next += text_skip(next, end, " ");
		if (next < end && *next == '>')
			return next;
	}
	*tried = last > *tried ? last : *tried;
	return at;
}

/* Where the identifier before `at` begins. */
static const char *
back_identifier(const char *begin, const char *at)
{
	while (at != begin && (at[-1] == '_' ||
	    isalnum((unsigned char)at[-1])))
		at--;
	return at;
}

/* Whether the arguments of the template of a name have no defaults. */
static bool
is_tuple(const char *name, const char *end)
{
	const size_t size = (size_t)(end - name);

	return (size == 4 && memcmp(name, "pair", size) == 0) ||
	    (size == 5 && memcmp(name, "tuple", size) == 0) ||
	    (size == 7 && memcmp(name, "variant", size) == 0);
}

/* std::basic_string<char>, which ends at `to`, becomes std::string. */
static char *
drop_char(const char *begin, char *open, char *to)
{
	char *name = open - (size_t)(open - back_identifier(begin, open));

	if (to - open != 6 || memcmp(open, "<char>", 6) != 0 ||
	    text_skip(name, open, "basic_") == 0 || name - begin < 5 ||
	    memcmp(name - 5, "std::", 5) != 0)
		return to;
	memmove(name, name + 6, (size_t)(open - name - 6));
	return open - 6;
}

static void
name_shorten(struct buf *b, size_t from)
{
	char *begin = (char *)b->data + from, *to = begin, *open[DEPTH_MAX];
	const char *at = begin, *end = (char *)b->data + b->size, *next;
	const char *tried = at;
	size_t depth = 0;

	while (at < end) {
		next = skip_std(at, end);
		if (next != at && back_identifier(begin, to) == to) {
			memcpy(to, "std::", 5);
			to += 5;
			at = next;
			continue;
		}
		next = at;
		if (*at == ',' && depth != 0 && depth <= DEPTH_MAX &&
		    !is_tuple(back_identifier(begin, open[depth - 1]),
		    open[depth - 1]))
			next = skip_defaults(at, end, &tried);
		/* Old demanglers separate brackets by blanks. */
		if (next == at && at != begin && at[-1] == '>')
			next += text_skip(at, end, " >") != 0;
		if (next != at) {
			at = next;
			continue;
		}
		if (*at == '<' && depth < DEPTH_MAX)
			open[depth] = to;
		depth += *at == '<';
		*to++ = *at;
		if (*at++ == '>' && depth != 0 && --depth < DEPTH_MAX)
			to = drop_char(begin, open[depth], to);
	}
	b->size = (size_t)(to - (char *)b->data);
}

void
show_short_names(void)
{
	short_names = true;
}

void
names_shorten(struct buf *b, size_t from)
{
	if (short_names && !b->failed && b->size != from)
		name_shorten(b, from);
}

unsigned
show_terminal_width(const struct cli *c)
{
	struct winsize size;

	return c->output.path == NULL && isatty(STDOUT_FILENO) &&
	    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void
show_fit_terminal(const struct cli *c)
{
	row_width = show_terminal_width(c);
	if (row_width != 0)
		show_short_names();
}

/* Characters of UTF-8. */
static size_t
text_columns(const uint8_t *text, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < size; i++)
		n += (text[i] & 0xc0) != 0x80;
	return n;
}

void
show_fit(struct buf *b, size_t from, size_t to)
{
	size_t line = from, row, name, head, tail, kept;

	while (line != 0 && !b->failed && b->data[line - 1] != '\n')
		line--;
	if (row_width == 0 || b->failed)
		return;
	row = text_columns(b->data + line, b->size - line);
	name = text_columns(b->data + from, to - from);
	if (row <= row_width || name <= NAME_LEAST)
		return;
	kept = row - row_width < name - NAME_LEAST ?
	    name - (row - row_width) : NAME_LEAST;
	/* Dots take the place of the middle; the end says more. */
	for (head = from, row = (kept - 3) / 2; row != 0 ||
	    (b->data[head] & 0xc0) == 0x80; head++)
		row -= (b->data[head] & 0xc0) != 0x80;
	for (tail = to, row = kept - 3 - (kept - 3) / 2; row != 0; tail--)
		row -= (b->data[tail - 1] & 0xc0) != 0x80;
	memcpy(b->data + head, "...", 3);
	memmove(b->data + head + 3, b->data + tail, b->size - tail);
	b->size -= tail - head - 3;
}
