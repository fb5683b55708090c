#include "config.h"

#include "cmd/print/figure_rows.h"

#include <stddef.h>

#include "base/json_text.h"
#include "cmd/print/people_text.h"
#include "cmd/print/terminal.h"

#define AT(member) offsetof(struct figures, member)
#define HEAP_AT(member) offsetof(struct heap_figures, member)

struct row {
	const char *key, *text;
	size_t at;
};

static const struct row rows[SHOW_ROWS] = {
	[SHOW_FUNCTIONS] = { "functions", "functions", AT(functions) },
	[SHOW_ZERO_FUNCTIONS] = { "zero_functions", "never entered",
	    AT(zero_functions) },
	[SHOW_PSEUDO_FUNCTIONS] = { "pseudo_functions", "pseudo",
	    AT(pseudo_functions) },
	[SHOW_CONTEXT_SENSITIVE] = { "context_sensitive_functions",
	    "context-sensitive", AT(context_sensitive) },
	[SHOW_NAMELESS] = { "nameless_functions", "without name",
	    AT(nameless) },
	[SHOW_COUNTERS] = { "counters", "counters", AT(summary.blocks) },
	[SHOW_ZERO_COUNTERS] = { "zero_counters", "zero", AT(zero_counters) },
	[SHOW_TOTAL_COUNT] = { "total_count", "total count",
	    AT(summary.total_block_count) },
	[SHOW_MAX_FUNCTION_COUNT] = { "max_function_count",
	    "largest first count", AT(summary.max_function_count) },
	[SHOW_MAX_INTERNAL_COUNT] = { "max_internal_count",
	    "largest other count", AT(summary.max_internal_block_count) },
	[SHOW_BITMAP_BYTES] = { "bitmap_bytes", "MC/DC bitmap bytes",
	    AT(bitmap_bytes) },
	[SHOW_RAW_COUNTERS] = { "raw_counters", "unresolved counters",
	    AT(raw_counters) },
	[SHOW_VTABLES] = { "vtables", "vtables", AT(vtables) },
	[SHOW_TRACES] = { "traces", "traces", AT(traces) },
	[SHOW_BINARY_IDS] = { "binary_ids", "binary ids", AT(binary_ids) },
	[SHOW_DATA_ACCESSES] = { "data_accesses", "accessed data",
	    AT(data_accesses) },
	[SHOW_COLD_SYMBOLS] = { "cold_symbols", "cold data symbols",
	    AT(cold_symbols) },
	[SHOW_COLD_LITERALS] = { "cold_literals", "cold string literals",
	    AT(cold_literals) },
};

/* For people, the first row begins a line, and others are parts behind it. */
static const struct row heap_rows[] = {
	{ "contexts", "heap contexts", HEAP_AT(contexts) },
	{ "cold_contexts", "cold", HEAP_AT(class_contexts[HEAP_COLD]) },
	{ "count", "allocations", HEAP_AT(values[HEAP_COUNT]) },
	{ "bytes", "bytes", HEAP_AT(values[HEAP_BYTES]) },
};

enum { HEAP_ROWS = sizeof(heap_rows) / sizeof(*heap_rows) };

const struct show_name show_heap_values[HEAP_VALUES] = {
	[HEAP_BYTES] = { "bytes", "bytes" },
	[HEAP_COUNT] = { "count", "allocations" },
	[HEAP_LIFETIME] = { "lifetime", "average lifetime" },
	[HEAP_ACCESSES] = { "accesses", "accesses" },
};

const struct show_name show_heap_classes[HEAP_CLASSES] = {
	[HEAP_COLD] = { "cold", "cold" },
	[HEAP_WARM] = { "warm", "warm" },
	[HEAP_HOT] = { "hot", "hot" },
	[HEAP_UNKNOWN] = { "unknown", "of unknown class" },
};

static uint64_t
show_value_at(const void *figures, const struct row *row)
{
	return *(const uint64_t *)(const void *)((const char *)figures +
	    row->at);
}

static uint64_t
show_row_value(const struct figures *g, enum show_row row)
{
	return show_value_at(g, &rows[row]);
}

void
show_row_print(const struct row_text *t, const char *text, uint64_t n)
{
	show_print(t->text, "  %-22s ", text);
	columns_number(t->text, n, 20, t->grouped);
}

void
show_part_print(const struct row_text *t, const char *text, uint64_t n,
    bool *open)
{
	if (n == 0)
		return;
	show_print(t->text, "%s", *open ? ", " : "  (");
	columns_number(t->text, n, 0, t->grouped);
	show_print(t->text, " %s", text);
	*open = true;
}

void
show_row(const struct row_text *t, const struct figures *g, enum show_row row)
{
	show_row_print(t, rows[row].text, show_row_value(g, row));
}

void
show_row_part(const struct row_text *t, const struct figures *g,
    enum show_row row, bool *open)
{
	show_part_print(t, rows[row].text, show_row_value(g, row), open);
}

void
show_rows_people(const struct row_text *t, const struct figures *g,
    enum show_row first, enum show_row last)
{
	for (enum show_row row = first; row <= last; row++) {
		if (show_row_value(g, row) == 0)
			continue;
		show_row(t, g, row);
		show_print(t->text, "\n");
	}
}

void
show_rows_json(struct buf *b, const struct figures *g,
    enum show_row first, enum show_row last)
{
	for (enum show_row row = first; row <= last; row++)
		json_member_number(b, rows[row].key, show_row_value(g, row));
}

void
show_data_json(struct buf *b, const struct figures *g)
{
	if ((g->data_accesses | g->cold_symbols | g->cold_literals) != 0)
		show_rows_json(b, g, SHOW_DATA_ACCESSES, SHOW_COLD_LITERALS);
}

void
show_heap_rows_people(const struct row_text *t,
    const struct heap_figures *heap)
{
	bool open = false;

	show_row_print(t, heap_rows[0].text,
	    show_value_at(heap, &heap_rows[0]));
	for (int i = 1; i < HEAP_ROWS; i++)
		show_part_print(t, heap_rows[i].text,
		    show_value_at(heap, &heap_rows[i]), &open);
	show_print(t->text, "%s\n", open ? ")" : "");
}

void
show_heap_rows_json(struct buf *b, const struct heap_figures *heap)
{
	json_member_key(b, "heap");
	json_text_plain(b, "{");
	for (int i = 0; i < HEAP_ROWS; i++)
		json_member_number(b, heap_rows[i].key,
		    show_value_at(heap, &heap_rows[i]));
	json_text_plain(b, "}");
}
