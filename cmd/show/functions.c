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
show_json_summary(struct buf *b, const struct prof_header *h,
    const struct figures *g, const struct heap_figures *heap,
    const struct summary_entry *entries, const struct buf *ids)
{
	const struct profile_figures p = { h, g, heap, entries, ids };

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
	profile_json_function(b, h->level, f,
	    (style->counts ? PROFILE_COUNTS : 0U) |
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
show_people_values(struct buf *b, const struct figures *g)
{
	static const char *const kinds[PROF_VALUE_KINDS] = {
		"indirect call sites", "memory operations", "vtable loads",
	};

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (g->sites[k] == 0)
			continue;
		show_row_print(b, kinds[k], g->sites[k]);
		show_print(b, "  (");
		show_number(b, g->values[k], 0);
		show_print(b, " values)\n");
	}
}

static void
show_people_cutoffs(struct buf *b,
    const struct summary_entry *entries)
{
	show_print(b, "  %-10s %20s %10s\n", "share",
	    "counters at least", "counters");
	for (int i = 0; i < SUMMARY_CUTOFFS; i++) {
		show_print(b, "  %9.4f%% ",
		    entries[i].cutoff * 100.0 / (double)SUMMARY_SCALE);
		show_number(b, entries[i].min_count, 20);
		show_print(b, " ");
		show_number(b, entries[i].counts, 10);
		show_print(b, "\n");
	}
}

static void
show_people_counters(struct buf *b, const struct figures *g)
{
	bool open = false;

	show_row(b, g, SHOW_FUNCTIONS);
	show_row_part(b, g, SHOW_ZERO_FUNCTIONS, &open);
	show_row_part(b, g, SHOW_CONTEXT_SENSITIVE, &open);
	show_row_part(b, g, SHOW_PSEUDO_FUNCTIONS, &open);
	show_row_part(b, g, SHOW_NAMELESS, &open);
	show_print(b, "%s\n", open ? ")" : "");
	open = false;
	show_row(b, g, SHOW_COUNTERS);
	show_row_part(b, g, SHOW_ZERO_COUNTERS, &open);
	show_print(b, "%s\n", open ? ")" : "");
	for (enum show_row row = SHOW_TOTAL_COUNT;
	    row <= SHOW_MAX_INTERNAL_COUNT; row++) {
		show_row(b, g, row);
		show_print(b, "\n");
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
show_people_summary(struct buf *b, const struct prof_header *h,
    const struct figures *g, const struct heap_figures *heap,
    const struct summary_entry *entries, const struct buf *ids)
{
	show_source(b, &h->source);
	show_print(b, ": ");
	show_kind(b, h);
	show_print(b, "\n");
	/* A heap profile has no counters, so that zeros would mislead. */
	if (h->kind != PROF_MEMPROF || g->functions != 0)
		show_people_counters(b, g);
	show_rows_people(b, g, SHOW_MISMATCHED, SHOW_MISMATCHED);
	if (heap != NULL)
		show_heap_rows_people(b, heap);
	show_rows_people(b, g, SHOW_DATA_ACCESSES, SHOW_COLD_LITERALS);
	show_people_values(b, g);
	show_rows_people(b, g, SHOW_BITMAP_BYTES, SHOW_BINARY_IDS);
	if (ids != NULL)
		show_people_ids(b, ids);
	if (h->inputs > 1) {
		show_row_print(b, "merged profiles", h->inputs);
		show_print(b, "\n");
	}
	if (entries != NULL)
		show_people_cutoffs(b, entries);
}

static void
show_people_heading(struct buf *b, const struct show_style *style,
    const struct prof_header *h)
{
	show_source(b, &h->source);
	show_print(b, ":\n%20s %s%8s  %-18s  %sfunction\n", "max count",
	    style->shares ? "  share " : "", "counters", "hash",
	    style->decimal ? "             decimal  " : "");
}

/* A function's line up to its name. */
static void
show_people_figures(struct buf *b, const struct show_style *style,
    const struct prof_function *f, double share)
{
	uint8_t hash[16];

	if (prof_is_pseudo(f))
		show_print(b, "%20s", f->counts[0] == PROF_COUNT_HOT ?
		    "pseudo hot" : "pseudo warm");
	else
		show_number(b, figures_max_count(f), 20);
	if (style->shares)
		show_print(b, " %6.2f%%", share);
	buf_u8(b, ' ');
	show_number(b, f->counts_size, 8);
	swar_store(hash, swar_hex((uint32_t)(f->hash >> 32)));
	swar_store(hash + 8, swar_hex((uint32_t)f->hash));
	buf_put(b, "  0x", 4);
	buf_put(b, hash, sizeof(hash));
	buf_put(b, "  ", 2);
	if (style->decimal) {
		show_number(b, f->hash, 20);
		buf_put(b, "  ", 2);
	}
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
	show_fit(b, start, b->size);
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

	show_people_figures(b, style, f, share);
	start = b->size;
	show_function_name(b, h->level, f, style->demangle);
	show_printable(b, start);
	show_fit(b, start, b->size);
	buf_u8(b, '\n');
	if (style->counts)
		show_people_counts(b, f);
	if (style->values)
		show_people_sites(b, f, style->demangle);
}

const struct show_face show_people = { show_people_heading,
    show_people_function, show_people_summary };

struct hottest {
	struct buf *text;
	const struct show_style *style;
	enum prof_level level;
	const struct top *top;
	const struct summary_thresholds *thresholds;
	size_t rows;
	size_t count_columns, size_columns;
	uint64_t sum;			/* of the rows so far */
};

/* Rows, and the columns of their largest numbers and of the headings. */
static void
hottest_measure(struct hottest *w)
{
	uint8_t digits[DIGITS_MAX];
	uint64_t count = 0, size = 0;

	for (; w->rows < w->top->size && w->rows < HOTTEST; w->rows++) {
		const struct top_entry *e = w->top->entries[w->rows];

		if (e->sum == 0)
			break;
		count = e->max > count ? e->max : count;
		size = e->function.counts_size > size ?
		    e->function.counts_size : size;
	}
	w->count_columns = (size_t)(digits_put(digits, count) - digits);
	if (w->count_columns < strlen("count"))
		w->count_columns = strlen("count");
	w->size_columns = (size_t)(digits_put(digits, size) - digits);
	if (w->size_columns < strlen("counters"))
		w->size_columns = strlen("counters");
}

static void
hottest_put_function(struct hottest *w, const struct top_entry *e)
{
	/* By the largest counter: a compiler looks at counters one by one. */
	static const char *const classes[] = {
		[SUMMARY_HOT] = "hot", [SUMMARY_WARM] = "warm",
		[SUMMARY_COLD] = "cold",
	};
	struct buf *b = w->text;
	double total = w->top->total;
	size_t start;

	w->sum = saturating_add(w->sum, e->sum);
	show_print(b, "%6.2f%% %6.2f%% %-5s ", 100 * (double)e->sum / total,
	    100 * (double)w->sum / total,
	    classes[summary_classify(w->thresholds, e->max)]);
	show_number(b, e->max, w->count_columns);
	buf_u8(b, ' ');
	show_number(b, e->function.counts_size, w->size_columns);
	buf_text(b, "  ");
	start = b->size;
	show_function_name(b, w->level, &e->function, w->style->demangle);
	show_printable(b, start);
	show_fit(b, start, b->size);
	buf_u8(b, '\n');
}

void
show_hottest(struct buf *b, const struct show_style *style,
    enum prof_level level, const struct top *top,
    const struct summary_thresholds *thresholds)
{
	struct hottest w = { .text = b, .style = style, .level = level,
	    .top = top, .thresholds = thresholds };

	hottest_measure(&w);
	if (w.rows == 0)
		return;
	show_print(b, "%7s %7s class %*s %*s  function\n", "share",
	    "running", (int)w.count_columns, "count", (int)w.size_columns,
	    "counters");
	for (size_t i = 0; i < w.rows; i++)
		hottest_put_function(&w, top->entries[i]);
}
