/*
 * What prof-diff --format=markdown prints: tables for a comment on GitHub or
 * GitLab.  Names of functions and files stand in code spans.
 */
#include "config.h"

#include "cmd/diff/formats.h"
#include "cmd/print/markup.h"
#include "cmd/print/terminal.h"

/* A longer name is cut in the middle: comments have a limit, and a width. */
enum { CODE_COLUMNS = 120 };

static void
markdown_title(struct buf *b, const struct diff *d)
{
	size_t failures = diff_failures(d), all = d->verdicts.size;

	buf_text(b, "### Profiles compared");
	if (failures != 0)
		buf_print(b, ": %zu of %zu limits failed", failures, all);
	else if (all != 0)
		buf_print(b, ": %zu of %zu limits passed", all, all);
	buf_text(b, "\n\n| side | file |\n| --- | --- |\n");
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		size_t start;

		buf_print(b, "| %c | ", "AB"[s]);
		start = b->size;
		buf_text(b, d->file[s]);
		markup_code(b, start, CODE_COLUMNS);
		buf_text(b, " |\n");
	}
}

static void
markdown_verdicts(struct buf *b, const struct diff *d)
{
	if (d->verdicts.size == 0)
		return;
	buf_text(b, "\n| limit | of | is | |\n"
	    "| --- | --- | ---: | --- |\n");
	for (size_t i = 0; i < d->verdicts.size; i++) {
		const struct diff_verdict *v = &d->verdicts.items[i];

		buf_print(b, "| `%s %.6g%s` | %s | %.6g%s | %s |\n", v->option,
		    v->limit, v->unit, diff_subjects[v->subject].whose,
		    v->value, v->unit, v->failed ? "**failed**" : "passed");
	}
}

/* Two sums, and the share of the first that the second is. */
static void
markdown_sums(struct buf *b, const char *what, const struct overlap_measure *m)
{
	buf_print(b, "| %s | ", what);
	diff_put_sum(b, &m->total[OVERLAP_A], 0, true);
	buf_text(b, " | ");
	diff_put_sum(b, &m->total[OVERLAP_B], 0, true);
	buf_text(b, " | ");
	if (m->sum[OVERLAP_A] >= 1)
		buf_print(b, "%.1f%%",
		    100 * m->sum[OVERLAP_B] / m->sum[OVERLAP_A]);
	buf_text(b, " |\n");
}

static void
markdown_values(struct buf *b, const struct overlap *o)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		const struct overlap_measure *m = &o->values[k];

		if (m->sum[OVERLAP_A] < 1 && m->sum[OVERLAP_B] < 1)
			continue;
		markdown_sums(b, diff_value_kinds[k], m);
		buf_print(b, "| their overlap | | | %.3f%% |\n",
		    100 * overlap_shares_sum(&m->overlap));
	}
}

static void
markdown_overlaps(struct buf *b, const struct diff *d, int subject)
{
	const struct diff_subject *words = &diff_subjects[subject];
	const struct overlap *o = diff_overlap(d, subject);
	const struct overlap_measure records = {
		.total = { { .low = o->records[OVERLAP_A] },
		    { .low = o->records[OVERLAP_B] } },
		.sum = { (double)o->records[OVERLAP_A],
		    (double)o->records[OVERLAP_B] } };
	struct diff_part parts[DIFF_PARTS];
	size_t size = diff_parts(o, parts);

	buf_print(b, "\n| %s | A | B | share |\n"
	    "| --- | ---: | ---: | ---: |\n", words->title);
	markdown_sums(b, words->records, &records);
	markdown_sums(b, words->sum, &o->counts);
	buf_print(b, "| overlap | | | %.3f%% |\n",
	    100 * overlap_shares_sum(&o->counts.overlap));
	for (size_t i = 0; i < size; i++) {
		buf_print(b, "| %s |%s ", parts[i].what,
		    parts[i].side == OVERLAP_A ? "" : " |");
		columns_number(b, parts[i].n, 0, true);
		buf_print(b, " |%s %.3f%% |\n",
		    parts[i].side == OVERLAP_A ? " |" : "",
		    100 * parts[i].share);
	}
	markdown_values(b, o);
}

static void
markdown_changes(struct buf *b, const struct diff *d, int subject)
{
	size_t rows = diff_rows(d, subject);

	if (rows != 0)
		buf_print(b, "\n| in A | in B | change | | %s |\n"
		    "| ---: | ---: | ---: | --- | --- |\n",
		    subject == DIFF_HEAP ? "context" : "function");
	for (size_t i = 0; i < rows; i++) {
		struct diff_row row = diff_row(d, subject, i);
		size_t start;

		buf_print(b, "| %.3f%% | %.3f%% | %+.3f%% | %s | ",
		    100 * row.share[OVERLAP_A], 100 * row.share[OVERLAP_B],
		    100 * row.change, row.word);
		start = b->size;
		diff_put_name(b, d, subject, i);
		markup_code(b, start, CODE_COLUMNS);
		buf_text(b, " |\n");
	}
}

void
diff_markdown(struct buf *b, const struct diff *d)
{
	markdown_title(b, d);
	markdown_verdicts(b, d);
	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		if (!d->has[s])
			continue;
		markdown_overlaps(b, d, s);
		markdown_changes(b, d, s);
	}
}
