#include "config.h"

#include "cmd/print/print.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json_text.h"
#include "base/numbers.h"
#include "base/text.h"
#include "cmd/common/messages.h"
#include "model/record.h"
#include "model/symtab.h"

void
show_print(struct buf *b, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	buf_vprint(b, format, ap);
	va_end(ap);
}

/* For as many numbers as functions have, printf would take most of the time. */
void
show_number(struct buf *b, uint64_t n, size_t width)
{
	uint8_t digits[DIGITS_MAX];
	size_t size = (size_t)(digits_put(digits, n) - digits);

	for (; width > size; width--)
		buf_u8(b, ' ');
	buf_put(b, digits, size);
}

void
show_printable(struct buf *b, size_t from)
{
	if (!b->failed)
		printable_mask(b->data + from, b->size - from);
}

void
show_source(struct buf *b, const struct prof_source *s)
{
	size_t start = b->size;

	if (s->file.size == 1 && s->file.data[0] == '-')
		show_print(b, "standard input");
	else
		buf_put(b, s->file.data, s->file.size);
	if (s->member.data != NULL) {
		show_print(b, "[");
		buf_put(b, s->member.data, s->member.size);
		show_print(b, "]");
	}
	show_printable(b, start);
	if (s->offset != 0)
		show_print(b, " at 0x%" PRIx64, s->offset);
}

void
show_kind(struct buf *b, const struct prof_header *h)
{
	static const char *const levels[] = {
		[PROF_LEVEL_IR] = ", IR", [PROF_LEVEL_FRONTEND] = ", front end",
		[PROF_LEVEL_UNKNOWN] = "",
	};
	static const char *const kinds[] = {
		[PROF_INSTR] = "", [PROF_MEMPROF] = ", heap",
		[PROF_MIXED] = ", counters and heap",
	};

	show_print(b, "%s", h->source.format == NULL ? "stream" :
	    h->source.format);
	if (h->source.version != 0)
		show_print(b, " version %" PRIu64, h->source.version);
	if (h->source.pointer_bits != 0)
		show_print(b, ", %u-bit %s-endian", h->source.pointer_bits,
		    h->source.endian == 'b' ? "big" : "little");
	show_print(b, "%s%s", kinds[h->kind], levels[h->level]);
	for (int i = 0; i < PROF_FLAGS; i++) {
		if (h->flags >> i & 1)
			show_print(b, ", %s", words_flag_text[i]);
	}
}

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
	[SHOW_MISMATCHED] = { "mismatched_names", "mismatched names",
	    AT(hashes.names) },
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
show_row_print(struct buf *b, const char *text, uint64_t n)
{
	show_print(b, "  %-22s ", text);
	show_number(b, n, 20);
}

void
show_part_print(struct buf *b, const char *text, uint64_t n,
    bool *open)
{
	if (n == 0)
		return;
	show_print(b, "%s", *open ? ", " : "  (");
	show_number(b, n, 0);
	show_print(b, " %s", text);
	*open = true;
}

void
show_row(struct buf *b, const struct figures *g, enum show_row row)
{
	show_row_print(b, rows[row].text, show_row_value(g, row));
}

void
show_row_part(struct buf *b, const struct figures *g,
    enum show_row row, bool *open)
{
	show_part_print(b, rows[row].text, show_row_value(g, row), open);
}

void
show_rows_people(struct buf *b, const struct figures *g,
    enum show_row first, enum show_row last)
{
	for (enum show_row row = first; row <= last; row++) {
		if (show_row_value(g, row) == 0)
			continue;
		show_row(b, g, row);
		show_print(b, "\n");
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
show_heap_rows_people(struct buf *b,
    const struct heap_figures *heap)
{
	bool open = false;

	show_row_print(b, heap_rows[0].text,
	    show_value_at(heap, &heap_rows[0]));
	for (int i = 1; i < HEAP_ROWS; i++)
		show_part_print(b, heap_rows[i].text,
		    show_value_at(heap, &heap_rows[i]), &open);
	show_print(b, "%s\n", open ? ")" : "");
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

void
markup_xml(struct buf *b, size_t from)
{
	struct buf text = { 0 };

	if (b->failed)
		return;
	buf_put(&text, b->data + from, b->size - from);
	b->failed = text.failed;
	b->size = from;
	printable_mask_lines(text.data, text.size);
	xml_put(b, buf_span(&text));
	buf_free(&text);
}

static void
order_put_line(struct buf *b, const char *before, struct prof_span text)
{
	buf_put(b, before, strlen(before));
	buf_put(b, text.data, text.size);
	buf_put(b, "\n", 1);
}

/*
 * As in llvm-profdata, names are split at ';' only, and a function that occurs
 * in traces only gives an empty line.
 */
static void
order_put_as_llvm(struct buf *b, const struct order_function *f)
{
	struct prof_span name = f->symbol.name, file = { NULL, 0 };
	const uint8_t *at;

	if (!f->in_profile)
		name = file;
	at = name.size == 0 ? NULL : memchr(name.data, ';', name.size);
	if (at != NULL && at + 1 < name.data + name.size) {
		file = (struct prof_span){ name.data,
		    (size_t)(at - name.data) };
		name.data = at + 1;
		name.size -= file.size + 1;
	}
	if (file.size != 0)
		order_put_line(b, "# ", file);
	order_put_line(b, "", name);
}

/*
 * Linkers find local functions by name without file, and warn about repeated
 * names: a name in `seen` is not printed again.
 */
static bool
order_put_symbol(struct buf *b, struct prof_span name, struct symtab *seen)
{
	struct prof_span file, symbol = local_name_split(name, &file);

	if (symtab_find(seen, prof_guid(symbol), NULL) != SYMTAB_NONE)
		return true;
	if (file.size != 0)
		order_put_line(b, "# ", file);
	order_put_line(b, "", symbol);
	return symtab_add(seen, symbol, 0);
}

static bool
order_name_fits_line(struct prof_span name)
{
	return name.size != 0 && memchr(name.data, '\n', name.size) == NULL;
}

bool
order_list(struct buf *b, const struct order *o, enum order_form form,
    size_t *left_out)
{
	struct symtab seen = { 0 };
	bool done = true;

	*left_out = 0;
	for (size_t i = 0; done && i < order_size(o); i++) {
		struct order_function f = order_get(o, i);
		bool fits = order_name_fits_line(f.symbol.name);

		*left_out += !fits;
		if (form == ORDER_LLVM)
			order_put_as_llvm(b, &f);
		else if (fits && form == ORDER_NAMES)
			order_put_line(b, "", f.symbol.name);
		else if (fits)
			done = order_put_symbol(b, f.symbol.name, &seen);
	}
	symtab_free(&seen);
	return done && !b->failed;
}

void
order_list_head(struct buf *b, const struct order *o, const uint64_t *area)
{
	static const char warning[] = "# Warning: Mach-O may prefix symbols "
	    "with \"_\" depending on the linkage and this output does not "
	    "take that into account. Some post-processing may be required "
	    "before passing to the linker via -order_file.\n";
	char line[80];
	int n;

	n = snprintf(line, sizeof(line), "# Ordered %zu functions\n",
	    order_size(o));
	buf_put(b, line, (size_t)n);
	if (area != NULL) {
		/* LLVM prints the area as a number of 32 bits. */
		n = snprintf(line, sizeof(line), "# Total area under the page "
		    "fault curve: %e\n", (double)(float)(uint32_t)*area);
		buf_put(b, line, (size_t)n);
	}
	buf_put(b, warning, sizeof(warning) - 1);
}

static void
heap_warn(const struct cli *c, const char *file, const char *text)
{
	if (file == NULL)
		message_print("%s: warning: %s\n", c->name, text);
	else
		message_print("%s: %s: warning: %s\n", c->name, file, text);
}

void
heap_naming_warn(const struct cli *c, const char *file,
    enum heap_naming naming)
{
	static const char *const hints[] = {
		[HEAP_HASHED] = "functions are known only by their hash: "
		    "--binary BINARY names them, the stream of "
		    "prof-merge keeps their names",
		[HEAP_ADDRESSES] = "call stacks have addresses only: "
		    "--binary PROGRAM adds the functions",
	};

	if (naming != HEAP_NAMED && !c->options.quiet)
		heap_warn(c, file, hints[naming]);
}

void
heap_saturated_warn(const struct cli *c, const char *file,
    const struct heap_view *view)
{
	char text[80];

	if (heap_view_saturated(view) == 0 || c->options.quiet)
		return;
	snprintf(text, sizeof(text), "sums larger than their fields: %" PRIu64,
	    heap_view_saturated(view));
	heap_warn(c, file, text);
}
