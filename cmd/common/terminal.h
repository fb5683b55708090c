/*
 * cmd/common/terminal.h - the terminal that text for people is printed on
 *
 * Programs that print tables open it once options are parsed, before the
 * sandbox, with the options of CLI_TERMINAL_ROWS.  In a pipe or a file names
 * are whole, digits are not grouped and nothing has a colour, so that programs
 * read the text as they always did.
 */
#ifndef CMD_COMMON_TERMINAL_H
#define CMD_COMMON_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/common/command_line.h"

struct buf;
struct cli;

struct terminal {
	bool there;			/* standard output is a terminal */
	size_t columns;			/* COLUMNS_ANY in a pipe or file */
	size_t lines;			/* 0 in a pipe or file */
	bool grouped;			/* digits of numbers */
	bool coloured;
	const char *mark;		/* where text is cut: "..." or U+2026 */
};

/* In the order of the words of --color. */
enum terminal_colour { TERMINAL_AUTO, TERMINAL_ALWAYS, TERMINAL_NEVER };

/* What a colour means.  PLAIN has none. */
enum terminal_role {
	TERMINAL_PLAIN, TERMINAL_HEADING, TERMINAL_HOT, TERMINAL_WARM,
	TERMINAL_COLD, TERMINAL_WORSE, TERMINAL_BETTER, TERMINAL_ROLES
};

/* Options of programs that print on a terminal: they set cli_options. */
#define CLI_TERMINAL_ROWS \
	{ 0, "color", "WHEN", \
	    "colours: auto (default), always or never", \
	    CLI_SETS_WORD(struct cli, options.colour, "auto", "always", \
	    "never") }

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

#endif
