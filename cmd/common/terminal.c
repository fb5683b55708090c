#include "config.h"

#include "cmd/common/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/printable.h"
#include "cmd/common/cli.h"
#include "cmd/common/columns.h"
#include "cmd/common/pager.h"

/* Of a terminal that does not say; and the largest size that is believed. */
enum { USUAL_COLUMNS = 80, USUAL_LINES = 24, SIZE_LIMIT = 65535 };

/* A name of fewer columns could be any. */
enum { NAME_COLUMNS = 16 };

/*
 * Rows of tables.  Lines for the next prompt: with only one, less -F stays on
 * the screen although the text fits, since it has its own prompt there.
 */
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
	if (for_people && t->there && !terminal_is_dumb() &&
	    !c->options.quiet)
		pager_start();
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
