/* cmd/print/print.h - what several programs print */
#ifndef CMD_PRINT_PRINT_H
#define CMD_PRINT_PRINT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/bytes.h"
#include "cmd/common/cli.h"
#include "model/heap.h"
#include "ops/figures.h"
#include "ops/heap/view.h"
#include "ops/nearest.h"
#include "ops/order/order.h"
#include "prof.h"

/*
 * cmd/print/terminal.c: the terminal that text for people is printed on
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
 */
void terminal_open(struct terminal *, const struct cli *, bool for_people);

/*
 * Masks the text appended since offset `from` as messages are, and cuts it in
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

/* cmd/print/text.c: pieces of what prof-show prints for people */
/* Appends formatted text of at most 255 bytes. */
void show_print(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Replaces control characters in the bytes appended since offset `from`, which
 * could change the state of a terminal.
 */
void show_printable(struct buf *, size_t from);

/* Append file and member of a profile; its format, version and attributes. */
void show_source(struct buf *, const struct prof_source *);
void show_kind(struct buf *, const struct prof_header *);

/*
 * cmd/print/text.c: figures of a profile: JSON keys, text for people
 *
 * The rows are in the order of the JSON members.
 */
enum show_row {
	SHOW_FUNCTIONS, SHOW_ZERO_FUNCTIONS, SHOW_PSEUDO_FUNCTIONS,
	SHOW_CONTEXT_SENSITIVE, SHOW_NAMELESS, SHOW_COUNTERS,
	SHOW_ZERO_COUNTERS, SHOW_TOTAL_COUNT, SHOW_MAX_FUNCTION_COUNT,
	SHOW_MAX_INTERNAL_COUNT,
	/* Rows below are printed for people only if they are not 0. */
	SHOW_BITMAP_BYTES, SHOW_RAW_COUNTERS, SHOW_VTABLES, SHOW_TRACES,
	SHOW_BINARY_IDS,
	SHOW_DATA_ACCESSES, SHOW_COLD_SYMBOLS, SHOW_COLD_LITERALS,
	SHOW_ROWS
};

/* What figures of heap profiles are called in JSON, and for people. */
struct show_name {
	const char *key, *text;
};

extern const struct show_name show_heap_values[HEAP_VALUES];
extern const struct show_name show_heap_classes[HEAP_CLASSES];

/* Where rows for people are printed. */
struct row_text {
	struct buf *text;
	bool grouped;			/* digits of numbers */
};

/* "  TEXT  NUMBER" with aligned columns, without the end of the line. */
void show_row_print(const struct row_text *, const char *text, uint64_t);

/* "(N TEXT" or ", N TEXT" behind a row, unless N is 0; sets *open. */
void show_part_print(const struct row_text *, const char *text, uint64_t,
    bool *open);

/* The row of a figure, without the end of the line. */
void show_row(const struct row_text *, const struct figures *,
    enum show_row);

/* A figure as a part behind a row. */
void show_row_part(const struct row_text *, const struct figures *,
    enum show_row, bool *open);

/* The lines of the figures from first to last that are not 0. */
void show_rows_people(const struct row_text *, const struct figures *,
    enum show_row first, enum show_row last);

/* The JSON members of the figures from first to last. */
void show_rows_json(struct buf *, const struct figures *,
    enum show_row first, enum show_row last);

/* Contexts of a heap profile and their sums: as a line, or as an object. */
void show_heap_rows_people(const struct row_text *,
    const struct heap_figures *);
void show_heap_rows_json(struct buf *, const struct heap_figures *);

/* The JSON members of data access profiles, unless all of them are 0. */
void show_data_json(struct buf *, const struct figures *);

/*
 * cmd/print/text.c: foreign text inside XML and Markdown
 *
 * Both functions mask the text first (base/text.h): no control character
 * reaches the reader of the document, or the terminal that shows its source.
 */
/*
 * Makes XML 1.0 of the text appended since offset `from`, for elements and for
 * attributes in double quotes.  Newlines stay.  U+FFFE and U+FFFF, which XML
 * has not, become U+FFFD, the replacement character.
 */
void markup_xml(struct buf *, size_t from);

/*
 * Makes a code span of the text appended since offset `from`, for a cell of a
 * table in Markdown as GitHub and GitLab have it.  Text that takes more columns
 * is cut in the middle.  A pipe gets a backslash in front of it.  A backtick,
 * which would end the span, becomes an apostrophe, and a backslash in front of
 * a pipe, which would end the cell, becomes '?'.
 */
void markup_code(struct buf *, size_t from, size_t columns);

/* cmd/print/text.c: an order of functions as a file */
enum order_form {
	ORDER_NAMES,		/* names as the profile has them */
	ORDER_SYMBOLS,		/* what a linker takes */
	ORDER_LLVM,		/* what llvm-profdata order prints */
};

/*
 * Appends a line for each function.  *left_out is how many have no name, or one
 * that no line can hold.  False if out of memory.
 */
bool order_list(struct buf *, const struct order *, enum order_form,
    size_t *left_out);

/* The first lines of ORDER_LLVM; area is NULL without test traces. */
void order_list_head(struct buf *, const struct order *, const uint64_t *area);

/* cmd/print/demangle.c: names of functions as their authors wrote them */
/*
 * Appends a name as it shall be read: demangled if wanted and possible, in a
 * local name only the part behind the file.
 */
void show_name(struct buf *, struct prof_span name, bool demangle);

/* The same for a symbol; without a name: "(guid 0x0123456789abcdef)". */
void show_symbol(struct buf *, const struct prof_symbol *, bool demangle);

/*
 * As show_name, demangled.  All names that are shown may have 256 MiB and 16
 * times their size; what comes behind them is shown as it is.
 */
void show_demangled(struct buf *, struct prof_span name);

/* At the end of a run: warns if names were not demangled for this reason. */
void show_warn_of_names(const struct cli *);

/*
 * The same for patterns of names, without that limit.  The name of a function
 * template begins with the type that it returns, as in "void f<int>(int)", or
 * is written without it.
 */
void match_demangled(struct buf *, struct prof_span name);
void match_demangled_without_type(struct buf *, struct prof_span name);

/* cmd/print/demangle.c: the names nearest to one not found */
/* Names beyond these get no suggestions, so that time stays bounded. */
enum { NEAREST_WANTED = 8 };

/* All zero: no names. */
struct nearest_names {
	struct nearest wanted[NEAREST_WANTED];
	size_t size;
};

/* The name is borrowed. */
void nearest_names_want(struct nearest_names *, struct prof_span name);

/* Considers a function for each of the names. */
void nearest_names_add(struct nearest_names *, const struct name_forms *);

/* "PROGRAM: no function NAME", with the nearest ones if the name has some. */
void nearest_names_print(const struct nearest_names *, const char *program,
    struct prof_span name);

/* cmd/print/json.c: members of JSON objects that prof-show prints */
/* The file, and the member; format, version, kind and attributes. */
void show_source_keys(struct buf *, const struct prof_source *);
void show_kind_keys(struct buf *, const struct prof_header *);

/* cmd/print/json.c: frames of heap profiles as prof-show prints them */
/*
 * Appends a frame of the heap as an object: function, location, or the address
 * of what was not symbolized.  With a demangler the function's name in clear
 * follows; NULL: names as stored.
 */
void heap_frame_json(struct buf *, const struct heap *, uint32_t frame,
    heap_name *);

/* cmd/print/json.c: profiles as prof-show --json prints them */
struct profile_figures {
	const struct prof_header *header;
	const struct figures *figures;
	const struct heap_figures *heap;	/* NULL: no heap data */
	const struct summary_entry *entries;	/* of LLVM's cutoffs, or NULL */
	/* Hex digits of each build id with a newline behind them, or NULL. */
	const struct buf *ids;
};

/* Appends an object. */
void profile_json_summary(struct buf *, const struct profile_figures *);

enum {
	PROFILE_COUNTS = 1 << 0,
	PROFILE_VALUES = 1 << 1,
	PROFILE_DEMANGLED = 1 << 2,
	PROFILE_CHANGED = 1 << 4,	/* demangled if that is not the name */
	PROFILE_BITMAP = 1 << 3		/* as in streams, if there is one */
};

/* Appends the members of a function: its name, hash, and the parts wanted. */
void profile_json_function(struct buf *, const struct prof_function *,
    unsigned parts);

/* cmd/print/text.c: warnings about heap profiles */
/* Warns unless functions are named; `file` is a profile, or NULL for all. */
void heap_naming_warn(const struct cli *, const char *file,
    enum heap_naming);

/* Warns if sums were too large for their fields. */
void heap_saturated_warn(const struct cli *, const char *file,
    const struct heap_view *);

#endif
