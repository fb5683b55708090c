/*
 * cmd/show/functions.c - functions and summaries, as JSON and for people
 *
 * With --json one object a line; numbers and names as in prof-stream(5).
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/json_text.h"
#include "base/numbers.h"
#include "cmd/print/print.h"
#include "cmd/show/show.h"

static void
show_json_summary(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct figures *g,
    const struct heap_figures *heap, const struct summary_entry *entries,
    const struct buf *ids)
{
	const struct profile_figures p = { h, g, heap, entries, ids };

	(void)style;
	profile_json_summary(b, &p);
	json_text_plain(b, "\n");
}

static void
show_json_function(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct prof_function *f, double share)
{
	(void)share;
	json_text_plain(b, "{");
	show_source_keys(b, &h->source);
	profile_json_function(b, f, (style->counts ? PROFILE_COUNTS : 0U) |
	    (style->values ? PROFILE_VALUES : 0U) |
	    (style->demangle ? PROFILE_DEMANGLED : 0U));
	json_text_plain(b, "}\n");
}

static void
show_json_heading(struct buf *b, const struct show_style *style,
    const struct prof_header *h)
{
	(void)b;
	(void)style;
	(void)h;
}

const struct show_face show_json = { show_json_heading, show_json_function,
    show_json_summary };

/* The text of prof-show for people: aligned rows, without rows of zero. */

static void
show_people_values(const struct row_text *t, const struct figures *g)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect call sites", "memory operations", "vtable loads",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (g->sites[k] == 0)
			continue;
		show_row_print(t, kinds[k], g->sites[k]);
		show_print(t->text, "  (");
		columns_number(t->text, g->values[k], 0, t->grouped);
		show_print(t->text, " values)\n");
	}
}

static void
show_people_cutoffs(const struct row_text *t,
    const struct summary_entry *entries)
{
	show_print(t->text, "  %-10s %20s %10s\n", "share",
	    "counters at least", "counters");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++) {
		show_print(t->text, "  %9.4f%% ",
		    entries[i].cutoff * 100.0 / (double)SUMMARY_SCALE);
		columns_number(t->text, entries[i].min_count, 20, t->grouped);
		show_print(t->text, " ");
		columns_number(t->text, entries[i].counts, 10, t->grouped);
		show_print(t->text, "\n");
	}
}

static void
show_people_counters(const struct row_text *t, const struct figures *g)
{
	bool open = false;

	show_row(t, g, SHOW_FUNCTIONS);
	show_row_part(t, g, SHOW_ZERO_FUNCTIONS, &open);
	show_row_part(t, g, SHOW_CONTEXT_SENSITIVE, &open);
	show_row_part(t, g, SHOW_PSEUDO_FUNCTIONS, &open);
	show_row_part(t, g, SHOW_NAMELESS, &open);
	show_print(t->text, "%s\n", open ? ")" : "");
	open = false;
	show_row(t, g, SHOW_COUNTERS);
	show_row_part(t, g, SHOW_ZERO_COUNTERS, &open);
	show_print(t->text, "%s\n", open ? ")" : "");
	for (enum show_row row = SHOW_TOTAL_COUNT;
	    row <= SHOW_MAX_INTERNAL_COUNT; row++) {
		show_row(t, g, row);
		show_print(t->text, "\n");
	}
}

static void
show_people_ids(struct buf *b, const struct buf *ids)
{
	for (size_t i = 0; !ids->failed && i < ids->size; i++) {
		if (i == 0 || ids->data[i - 1] == '\n')
			buf_text(b, "    ");
		buf_u8(b, ids->data[i]);
	}
}

static void
show_people_summary(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct figures *g,
    const struct heap_figures *heap, const struct summary_entry *entries,
    const struct buf *ids)
{
	const struct row_text t = { b, style->terminal.grouped };

	show_source(b, &h->source);
	show_print(b, ": ");
	show_kind(b, h);
	show_print(b, "\n");
	/* A heap profile has no counters, so that zeros would mislead. */
	if (h->kind != PROF_MEMPROF || g->functions != 0)
		show_people_counters(&t, g);
	if (heap != NULL)
		show_heap_rows_people(&t, heap);
	show_rows_people(&t, g, SHOW_DATA_ACCESSES, SHOW_COLD_LITERALS);
	show_people_values(&t, g);
	show_rows_people(&t, g, SHOW_BITMAP_BYTES, SHOW_BINARY_IDS);
	if (ids != NULL)
		show_people_ids(b, ids);
	if (h->inputs > 1) {
		show_row_print(&t, "merged profiles", h->inputs);
		show_print(b, "\n");
	}
	if (entries != NULL)
		show_people_cutoffs(&t, entries);
}

/* Columns of a function's line in front of its name, and of its share. */
enum { FIGURES_COLUMNS = 51, SHARE_COLUMNS = 8 };

static void
show_people_heading(struct buf *b, const struct show_style *style,
    const struct prof_header *h)
{
	show_source(b, &h->source);
	show_print(b, ":\n");
	terminal_begin(&style->terminal, b, TERMINAL_HEADING);
	show_print(b, "%20s %s%8s  %-18s  %s", "max count",
	    style->shares ? "  share " : "", "counters", "hash", "function");
	terminal_end(&style->terminal, b, TERMINAL_HEADING);
	show_print(b, "\n");
}

/* A function's line up to its name; printf would take most of the time. */
static void
show_people_figures(struct buf *b, const struct show_style *style,
    const struct prof_function *f, double share)
{
	const bool grouped = style->terminal.grouped;
	uint8_t hash[16];

	if (prof_is_pseudo(f))
		show_print(b, "%20s", f->counts[0] == PROF_COUNT_HOT ?
		    "pseudo hot" : "pseudo warm");
	else
		columns_number(b, figures_max_count(f), 20, grouped);
	if (style->shares)
		show_print(b, " %6.2f%%", share);
	buf_u8(b, ' ');
	columns_number(b, f->counts_size, 8, grouped);
	swar_store(hash, swar_hex((uint32_t)(f->hash >> 32)));
	swar_store(hash + 8, swar_hex((uint32_t)f->hash));
	buf_put(b, "  0x", 4);
	buf_put(b, hash, sizeof(hash));
	buf_put(b, "  ", 2);
}

static void
show_people_counts(struct buf *b, const struct prof_function *f)
{
	buf_put(b, "                     [", 22);
	digits_append_many(b, f->counts, f->counts_size, ", ");
	if (f->counts_size != 0 && !b->failed)
		b->size -= 2;
	buf_put(b, "]\n", 2);
}

static void
show_people_target(struct buf *b, enum prof_value_kind kind,
    const struct prof_value *v, bool demangle)
{
	size_t start = b->size;

	show_print(b, "%20" PRIu64 "     ", v->count);
	if (kind == PROF_MEM_OP_SIZE)
		show_print(b, "%" PRIu64 " bytes", v->value);
	else if (v->name.data != NULL)
		show_name(b, v->name, demangle);
	else if (v->value == 0)
		show_print(b, "(external)");
	else
		show_print(b, "0x%016" PRIx64, v->value);
	show_printable(b, start);
	show_print(b, "\n");
}

static void
show_people_sites(struct buf *b, const struct prof_function *f, bool demangle)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect call", "memory operation", "vtable load",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < f->values[k].size; i++) {
			const struct prof_site *s = &f->values[k].sites[i];

			if (s->size == 0)
				continue;
			show_print(b, "%20s %s %zu\n", "", kinds[k], i);
			for (size_t n = 0; n < s->size; n++)
				show_people_target(b, (enum prof_value_kind)k,
				    &s->values[n], demangle);
		}
	}
}

static void
show_people_function(struct buf *b, const struct show_style *style,
    const struct prof_header *h, const struct prof_function *f, double share)
{
	size_t start;

	(void)h;
	show_people_figures(b, style, f, share);
	start = b->size;
	show_symbol(b, &f->symbol, style->demangle);
	terminal_fit(&style->terminal, b, start, FIGURES_COLUMNS +
	    (style->shares ? SHARE_COLUMNS : 0));
	buf_u8(b, '\n');
	if (style->counts)
		show_people_counts(b, f);
	if (style->values)
		show_people_sites(b, f, style->demangle);
}

const struct show_face show_people = { show_people_heading,
    show_people_function, show_people_summary };

/* Functions in a pipe; the line of their heading. */
enum { PIPE_ROWS = 10, HEADING_LINES = 1 };

/* Columns of share, running share and class, each with a blank behind it. */
enum { SHARES_COLUMNS = 8 + 8 + 5 };

struct hottest {
	struct buf *text;
	const struct show_style *style;
	const struct top *top;
	const struct summary_thresholds *thresholds;
	size_t rows;
	size_t count_columns, size_columns;
	uint64_t sum;			/* of the rows so far */
};

size_t
show_hottest_limit(const struct terminal *t)
{
	return terminal_rows(t, 0, PIPE_ROWS);
}

static size_t
hottest_count_rows(const struct hottest *w, size_t from)
{
	size_t rows = terminal_rows(&w->style->terminal, HEADING_LINES +
	    terminal_count_lines(w->text, from), PIPE_ROWS), n;

	for (n = 0; n < w->top->size && n < rows; n++) {
		if (w->top->entries[n]->sum == 0)
			break;
	}
	return n;
}

/* Columns of the largest number, and at least those of the heading. */
static size_t
hottest_number_columns(const struct hottest *w, const char *heading,
    uint64_t largest)
{
	struct buf b = { 0 };
	size_t n = strlen(heading);

	columns_number(&b, largest, 0, w->style->terminal.grouped);
	if (b.size > n)
		n = b.size;
	buf_free(&b);
	return n;
}

static void
hottest_measure(struct hottest *w)
{
	uint64_t count = 0, size = 0;

	for (size_t i = 0; i < w->rows; i++) {
		const struct top_entry *e = w->top->entries[i];

		count = e->max > count ? e->max : count;
		size = e->function.counts_size > size ?
		    e->function.counts_size : size;
	}
	w->count_columns = hottest_number_columns(w, "count", count);
	w->size_columns = hottest_number_columns(w, "counters", size);
}

static void
hottest_put_heading(const struct hottest *w)
{
	const struct terminal *t = &w->style->terminal;

	terminal_begin(t, w->text, TERMINAL_HEADING);
	show_print(w->text, "%7s %7s class %*s %*s  function", "share",
	    "running", (int)w->count_columns, "count", (int)w->size_columns,
	    "counters");
	terminal_end(t, w->text, TERMINAL_HEADING);
	buf_u8(w->text, '\n');
}

/* By the largest counter, as a compiler looks at counters one by one. */
static void
hottest_put_class(const struct hottest *w, uint64_t max)
{
	static const struct {
		const char *word;
		enum terminal_role role;
	} classes[] = {
		[SUMMARY_HOT] = { "hot", TERMINAL_HOT },
		[SUMMARY_WARM] = { "warm", TERMINAL_WARM },
		[SUMMARY_COLD] = { "cold", TERMINAL_COLD },
	};
	enum summary_class class = summary_classify(w->thresholds, max);
	enum terminal_role role = classes[class].role;

	terminal_begin(&w->style->terminal, w->text, role);
	show_print(w->text, "%-5s", classes[class].word);
	terminal_end(&w->style->terminal, w->text, role);
}

static void
hottest_put_function(struct hottest *w, const struct top_entry *e)
{
	const struct terminal *t = &w->style->terminal;
	struct buf *b = w->text;
	double total = w->top->total;
	size_t start;

	w->sum = saturating_add(w->sum, e->sum);
	show_print(b, "%6.2f%% %6.2f%% ", 100 * (double)e->sum / total,
	    100 * (double)w->sum / total);
	hottest_put_class(w, e->max);
	buf_u8(b, ' ');
	columns_number(b, e->max, w->count_columns, t->grouped);
	buf_u8(b, ' ');
	columns_number(b, e->function.counts_size, w->size_columns,
	    t->grouped);
	buf_text(b, "  ");
	start = b->size;
	show_symbol(b, &e->function.symbol, w->style->demangle);
	terminal_fit(t, b, start, SHARES_COLUMNS + w->count_columns +
	    w->size_columns + 4);
	buf_u8(b, '\n');
}

void
show_hottest(struct buf *b, size_t from, const struct show_style *style,
    const struct top *top, const struct summary_thresholds *thresholds)
{
	struct hottest w = { .text = b, .style = style, .top = top,
	    .thresholds = thresholds };

	w.rows = hottest_count_rows(&w, from);
	if (w.rows == 0)
		return;
	hottest_measure(&w);
	hottest_put_heading(&w);
	for (size_t i = 0; i < w.rows; i++)
		hottest_put_function(&w, top->entries[i]);
}
