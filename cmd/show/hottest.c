#include "config.h"

#include "cmd/show/hottest.h"

#include <string.h>

#include "cmd/common/columns.h"
#include "cmd/print/people_text.h"

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
		size = e->counts_size > size ?
		    e->counts_size : size;
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
	columns_number(b, e->counts_size, w->size_columns,
	    t->grouped);
	buf_text(b, "  ");
	start = b->size;
	show_symbol(b, &e->symbol, w->style->demangle);
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
