/*
 * cmd/print/terminal.h - the terminal that text for people is printed on
 *
 * Programs that print tables open it once options are parsed, before the
 * sandbox, with the options of CLI_TERMINAL_ROWS.  In a pipe or a file names
 * are whole, digits are not grouped and nothing has a colour, so that programs
 * read the text as they always did.
 *
 * Text is measured by the columns that it takes: wide characters of East Asia
 * take two columns, combining ones none; bytes say nothing.  It is UTF-8 that
 * printable_mask has been over, so that it has no control characters.
 */
#ifndef CMD_PRINT_TERMINAL_H
#define CMD_PRINT_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "cmd/common/cli.h"

struct terminal {
	bool there;			/* standard output is a terminal */
	size_t columns;			/* COLUMNS_ANY in a pipe or file */
	size_t lines;			/* 0 in a pipe or file */
	bool grouped;			/* digits of numbers */
	bool coloured;
	const char *mark;		/* where text is cut: "..." or U+2026 */
};

/* What a colour means.  PLAIN has none. */
enum terminal_role {
	TERMINAL_PLAIN, TERMINAL_HEADING, TERMINAL_HOT, TERMINAL_WARM,
	TERMINAL_COLD, TERMINAL_WORSE, TERMINAL_BETTER, TERMINAL_ROLES
};

/*
 * Looks at standard output, unless -o names a file, and the environment:
 * COLUMNS and LINES, else the size of the window, else 80 columns and 24 lines;
 * NO_COLOR and TERM; LC_ALL, LC_CTYPE and LANG, for the mark.  Text that is not
 * for people has no colours.
 * If the text is for people, and standard output is a terminal, starts the
 * pager too (pager.h), unless --quiet was given.  Called before
 * cli_restrict.
 */
void terminal_open(struct terminal *, const struct cli *, bool for_people);

/*
 * Masks the text appended since offset `from` (message_text.h), and cuts it in
 * the middle so that it fits behind as many columns of the line as are used; it
 * keeps 16 columns if fewer are left.
 */
void terminal_fit(const struct terminal *, struct buf *, size_t from,
    size_t used);

/* Lines of the text since offset `from`. */
size_t terminal_count_lines(const struct buf *, size_t from);

/*
 * How many rows of a table fit on the screen beside so many other lines and
 * those of the next prompt; but at least 3.  `usual` in a pipe or a file.
 */
size_t terminal_rows(const struct terminal *, size_t others, size_t usual);

/* Begin and end a piece of text in the colour of a role. */
void terminal_begin(const struct terminal *, struct buf *,
    enum terminal_role);
void terminal_end(const struct terminal *, struct buf *, enum terminal_role);

/* Columns of text that is never cut. */
#define COLUMNS_ANY SIZE_MAX

/* The columns that the text takes. */
size_t columns_of(struct prof_span);

/*
 * Cuts the text appended since offset `from` in the middle, if it takes more
 * than n columns, so that it takes n, or n - 1 where a wide character does not
 * fit.  The mark ("...", or U+2026 where the terminal shows it) stands between
 * the first and the last characters; if n has no room for it and one character
 * on each side, the text is cut at its end.
 */
void columns_cut(struct buf *, size_t from, size_t n, const char *mark);

/*
 * Appends a number, right-aligned in `width` columns; grouped: with a comma
 * between each three digits.
 */
void columns_number(struct buf *, uint64_t, size_t width, bool grouped);

#endif
