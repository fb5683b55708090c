/*
 * The part of a page that needs no JavaScript: totals, the first functions.
 * Foreign text is made XML before it is appended to the page.
 */
#include "config.h"

#include "cmd/print/demangle.h"
#include "cmd/print/figure_rows.h"
#include "cmd/print/markup.h"
#include "cmd/print/people_text.h"
#include "cmd/report/report.h"

static void
plain_heading(struct buf *b, const struct report_profile *p)
{
	size_t start;

	buf_text(b, "<section class=\"profile\">\n<h2>");
	start = b->size;
	show_source(b, &p->header.source);
	markup_xml(b, start);
	buf_text(b, "</h2>\n<p>");
	start = b->size;
	show_kind(b, &p->header);
	markup_xml(b, start);
	buf_text(b, "</p>\n");
}

static void
plain_totals(struct buf *b, const struct report_profile *p)
{
	const struct row_text t = { b, true };
	size_t start;

	buf_text(b, "<pre class=\"totals\">");
	start = b->size;
	if (p->header.kind != PROF_MEMPROF || p->figures.functions != 0)
		show_rows_people(&t, &p->figures, SHOW_FUNCTIONS,
		    SHOW_BINARY_IDS);
	if (p->view != NULL) {
		const struct heap_figures sum = heap_figures_of(&p->heap,
		    false);

		show_heap_rows_people(&t, &sum);
	}
	markup_xml(b, start);
	buf_text(b, "</pre>\n");
}

static void
plain_share(struct buf *b, double sum, double total)
{
	show_print(b, "<td>%.2f%%</td>", total == 0 ? 0 : 100 * sum / total);
}

static void
plain_function(struct buf *b, const struct top_entry *e,
    const char *class)
{
	size_t start;

	show_print(b, "<td class=\"%s\">%s</td>", class, class);
	report_cell_number(b, e->max);
	report_cell_number(b, e->counts_size);
	start = report_cell_name(b);
	show_symbol(b, &e->symbol, true);
	report_cell_end(b, start);
}

static void
plain_functions(struct buf *b, const struct report_profile *p,
    const struct summary_thresholds *thresholds)
{
	static const char *const classes[] = {
		[SUMMARY_HOT] = "hot", [SUMMARY_WARM] = "warm",
		[SUMMARY_COLD] = "cold",
	};
	double sum = 0;

	buf_text(b, "<table class=\"plain\">\n<thead><tr><th>share</th>"
	    "<th>running</th><th>class</th><th>largest</th>"
	    "<th>counters</th><th class=\"name\">function</th></tr></thead>\n"
	    "<tbody>\n");
	for (size_t i = 0; i < p->top.size && i < REPORT_PLAIN_ROWS; i++) {
		const struct top_entry *e = p->top.entries[i];

		sum += (double)e->sum;
		buf_text(b, "<tr>");
		plain_share(b, (double)e->sum, p->top.total);
		plain_share(b, sum, p->top.total);
		plain_function(b, e,
		    classes[summary_classify(thresholds, e->max)]);
	}
	buf_text(b, "</tbody>\n</table>\n");
}

bool
report_profile_plain(struct buf *b, const struct report_profile *p)
{
	struct summary_thresholds thresholds;

	if (!summary_thresholds(&p->figures.summary, &thresholds))
		return false;
	plain_heading(b, p);
	plain_totals(b, p);
	if (p->top.size != 0)
		plain_functions(b, p, &thresholds);
	if (p->view != NULL && !report_heap_plain(b, &p->heap))
		return false;
	buf_text(b, "</section>\n");
	return !b->failed;
}
