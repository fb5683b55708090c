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
#include "ops/name_forms.h"
#include "ops/order/order.h"
#include "prof.h"

/* cmd/print/text.c: pieces of what prof-show prints for people */
/* Appends formatted text of at most 255 bytes. */
void show_print(struct buf *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a number, right-aligned in `width` columns. */
void show_number(struct buf *, uint64_t, size_t width);

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
	SHOW_MISMATCHED, SHOW_BITMAP_BYTES, SHOW_RAW_COUNTERS, SHOW_VTABLES,
	SHOW_TRACES,
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

/* "  TEXT  NUMBER" with aligned columns, without the end of the line. */
void show_row_print(struct buf *, const char *text, uint64_t);

/* "(N TEXT" or ", N TEXT" behind a row, unless N is 0; sets *open. */
void show_part_print(struct buf *, const char *text, uint64_t,
    bool *open);

/* The row of a figure, without the end of the line. */
void show_row(struct buf *, const struct figures *,
    enum show_row);

/* A figure as a part behind a row. */
void show_row_part(struct buf *, const struct figures *,
    enum show_row, bool *open);

/* The lines of the figures from first to last that are not 0. */
void show_rows_people(struct buf *, const struct figures *,
    enum show_row first, enum show_row last);

/* The JSON members of the figures from first to last. */
void show_rows_json(struct buf *, const struct figures *,
    enum show_row first, enum show_row last);

/* Contexts of a heap profile and their sums: as a line, or as an object. */
void show_heap_rows_people(struct buf *,
    const struct heap_figures *);
void show_heap_rows_json(struct buf *, const struct heap_figures *);

/* The JSON members of data access profiles, unless all of them are 0. */
void show_data_json(struct buf *, const struct figures *);

/*
 * Makes XML 1.0 of the text appended since offset `from`, for elements and for
 * attributes in double quotes.  The text is masked first (base/text.h): no
 * control character reaches the reader of the document, or the terminal that
 * shows its source.  Newlines stay.  U+FFFE and U+FFFF, which XML has not,
 * become U+FFFD, the replacement character.
 */
void markup_xml(struct buf *, size_t from);

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

/*
 * The same for a function of a profile of that level, which is marked if it is
 * context-sensitive; without a name: "(guid 0x0123456789abcdef)".
 */
void show_function_name(struct buf *, enum prof_level,
    const struct prof_function *, bool demangle);

/*
 * As show_name, demangled.  All names that are shown may have 256 MiB and 16
 * times their size; what comes behind them is shown as it is.
 */
void show_demangled(struct buf *, struct prof_span name);

/* At the end of a run: warns if names were not demangled for this reason. */
void show_warn_of_names(const struct cli *);

/*
 * The same to match names, without that limit.  A whole name of a function
 * template begins with the type that it returns, as in "void f<int>(int)".
 */
void match_demangled(struct buf *, struct prof_span name, enum name_style);

/* cmd/print/shorten.c: what terminals and pages have little room for */
/*
 * Shortens the demangled name that was appended since offset `from`: to
 * std::string, and no default arguments of templates of the standard library.
 * It does so once show_short_names was called.
 */
void names_shorten(struct buf *, size_t from);
void show_short_names(void);

/* The columns of the terminal that a program prints on, or 0. */
unsigned show_terminal_width(const struct cli *);

/* If the program prints on a terminal, names are short, and show_fit cuts. */
void show_fit_terminal(const struct cli *);

/*
 * Cuts the middle of the name from one offset to another if the last row, which
 * it is in, is wider than the terminal.
 */
void show_fit(struct buf *, size_t from, size_t to);

/* cmd/print/json.c: members of JSON objects that prof-show prints */
/* The file, and the member; format, version, kind and attributes. */
void show_source_keys(struct buf *, const struct prof_source *);
void show_kind_keys(struct buf *, const struct prof_header *);

/* The name demangled; with `changed`, not if that is the name itself. */
void show_demangled_key(struct buf *, struct prof_span name, bool changed);

/* cmd/print/json.c: frames of heap profiles as prof-show prints them */
/*
 * Appends a frame of the heap as an object: function, location, or the address
 * of what was not symbolized; the function's name demangled if wanted.
 */
void heap_frame_json(struct buf *, const struct heap *, uint32_t frame,
    bool demangle);

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
void profile_json_function(struct buf *, enum prof_level,
    const struct prof_function *, unsigned parts);

/* cmd/print/text.c: warnings about heap profiles */
/* Warns unless functions are named; `file` is a profile, or NULL for all. */
void heap_naming_warn(const struct cli *, const char *file,
    enum heap_naming);

/* Warns if sums were too large for their fields. */
void heap_saturated_warn(const struct cli *, const char *file,
    const struct heap_view *);

#endif
