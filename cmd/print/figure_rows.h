/*
 * cmd/print/figure_rows.h - figures of a profile: JSON keys, text for people
 *
 * The rows are in the order of the JSON members.
 */
#ifndef CMD_PRINT_FIGURE_ROWS_H
#define CMD_PRINT_FIGURE_ROWS_H

#include "base/bytes.h"
#include "ops/figures.h"
#include "ops/heap/view.h"

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

/* Contexts of a heap profile and what they sum up to: a line, or an object. */
void show_heap_rows_people(const struct row_text *,
    const struct heap_figures *);
void show_heap_rows_json(struct buf *, const struct heap_figures *);

/* The JSON members of data access profiles, unless all of them are 0. */
void show_data_json(struct buf *, const struct figures *);

#endif
