/* The text of prof-diff for people. */
#include "config.h"

#include "cmd/compare/compare.h"

#include <math.h>

#include "cmd/print/print.h"

/* Columns in front of the name of a file, and of that of a change. */
enum { FILE_COLUMN = 3, NAME_COLUMN = 43 };

/* Of the bar of a change; fewer would tell little. */
enum { BAR_LEAST = 5, BAR_MOST = 20 };

/* A table of changes. */
struct diff_people_table {
	const struct diff *diff;
	int subject;
	size_t bar_columns;		/* 0: there are no bars */
};

static void
diff_people_files(struct buf *b, const struct diff *d)
{
	size_t start;

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		show_print(b, "%c: ", "AB"[s]);
		start = b->size;
		buf_text(b, d->file[s]);
		terminal_fit(&d->terminal, b, start, FILE_COLUMN);
		buf_u8(b, '\n');
	}
}

/* Two numbers in the columns of A and B, without the end of the line. */
static void
diff_people_numbers(struct buf *b, const struct diff *d, const char *what,
    const struct overlap_total n[OVERLAP_SIDES])
{
	show_print(b, "  %-22s", what);
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		buf_u8(b, ' ');
		diff_put_sum(b, &n[s], 20, d->terminal.grouped);
	}
}

static void
diff_people_sums(struct buf *b, const struct diff *d, const char *what,
    const struct overlap_measure *m)
{
	diff_people_numbers(b, d, what, m->total);
	if (m->sum[OVERLAP_A] >= 1)
		show_print(b, "  (%.1f%%)",
		    100 * m->sum[OVERLAP_B] / m->sum[OVERLAP_A]);
	buf_u8(b, '\n');
}

static void
diff_people_overlap(struct buf *b, const char *what, double overlap)
{
	show_print(b, "  %-22s %19.3f%%\n", what, 100 * overlap);
}

static void
diff_people_values(struct buf *b, const struct diff *d,
    const struct overlap *o)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		const struct overlap_measure *m = &o->values[k];

		if (m->sum[OVERLAP_A] < 1 && m->sum[OVERLAP_B] < 1)
			continue;
		diff_people_sums(b, d, diff_value_kinds[k], m);
		diff_people_overlap(b, "  their overlap",
		    overlap_shares_sum(&m->overlap));
	}
}

/* Functions or contexts, their sum, and the shares that have no overlap. */
static void
diff_people_overlaps(struct buf *b, const struct diff *d, int subject)
{
	const struct diff_subject *words = &diff_subjects[subject];
	const struct overlap *o = diff_overlap(d, subject);
	const struct overlap_total records[] = {
		{ .low = o->records[OVERLAP_A] },
		{ .low = o->records[OVERLAP_B] },
	};
	struct diff_part parts[DIFF_PARTS];
	size_t size = diff_parts(o, parts);

	terminal_begin(&d->terminal, b, TERMINAL_HEADING);
	show_print(b, "%s:", words->title);
	terminal_end(&d->terminal, b, TERMINAL_HEADING);
	buf_u8(b, '\n');
	diff_people_numbers(b, d, words->records, records);
	buf_u8(b, '\n');
	diff_people_sums(b, d, words->sum, &o->counts);
	diff_people_overlap(b, "overlap",
	    overlap_shares_sum(&o->counts.overlap));
	for (size_t i = 0; i < size; i++) {
		show_print(b, "  %-22s ", parts[i].what);
		columns_number(b, parts[i].n, 20, d->terminal.grouped);
		show_print(b, "  (%.3f%% of the %s of %c)\n",
		    100 * parts[i].share, words->unit, "AB"[parts[i].side]);
	}
	diff_people_values(b, d, o);
}

/* The name takes three of four columns that are left beside the figures. */
static size_t
diff_people_bar_columns(const struct terminal *t)
{
	size_t n = t->columns < NAME_COLUMN ? 0 :
	    (t->columns - NAME_COLUMN) / 4;

	return t->columns == COLUMNS_ANY || n < BAR_LEAST ? 0 :
	    n > BAR_MOST ? BAR_MOST : n;
}

/*
 * The change as a bar, and a blank.  The first change of a table, which is the
 * largest, has the longest bar; each change has one that can be seen.
 */
static void
diff_people_bar(struct buf *b, const struct diff_people_table *t,
    double change, enum terminal_role role)
{
	double largest = fabs(diff_row(t->diff, t->subject, 0).change);
	double part = fabs(change) / largest * (double)t->bar_columns;
	size_t n = change == 0 ? 0 : part < 1 ? 1 : (size_t)(part + 0.5);

	if (t->bar_columns == 0)
		return;
	terminal_begin(&t->diff->terminal, b, role);
	for (size_t i = 0; i < n; i++)
		buf_u8(b, change > 0 ? '+' : '-');
	terminal_end(&t->diff->terminal, b, role);
	for (size_t i = n; i <= t->bar_columns; i++)
		buf_u8(b, ' ');
}

/* More counts or bytes than before are worse, and so is what cannot be used. */
static void
diff_people_change(struct buf *b, const struct diff_people_table *table,
    size_t i)
{
	const struct diff *d = table->diff;
	const struct terminal *t = &d->terminal;
	struct diff_row row = diff_row(d, table->subject, i);
	enum terminal_role of_change = row.change > 0 ? TERMINAL_WORSE :
	    row.change < 0 ? TERMINAL_BETTER : TERMINAL_PLAIN;
	enum terminal_role of_state = row.useless ? TERMINAL_WORSE :
	    TERMINAL_PLAIN;
	size_t start;

	show_print(b, "  %8.3f%% %8.3f%% ", 100 * row.share[OVERLAP_A],
	    100 * row.share[OVERLAP_B]);
	terminal_begin(t, b, of_change);
	show_print(b, "%+9.3f%%", 100 * row.change);
	terminal_end(t, b, of_change);
	buf_text(b, "  ");
	diff_people_bar(b, table, row.change, of_change);
	terminal_begin(t, b, of_state);
	show_print(b, "%-8s", t->there ? row.word : row.state);
	terminal_end(t, b, of_state);
	buf_u8(b, ' ');
	start = b->size;
	diff_put_name(b, d, table->subject, i);
	terminal_fit(t, b, start, NAME_COLUMN + (table->bar_columns == 0 ? 0 :
	    table->bar_columns + 1));
	buf_u8(b, '\n');
}

static void
diff_people_changes(struct buf *b, const struct diff *d, int subject,
    size_t rows)
{
	const struct diff_people_table table = { d, subject,
	    diff_people_bar_columns(&d->terminal) };

	if (rows == 0)
		return;
	terminal_begin(&d->terminal, b, TERMINAL_HEADING);
	show_print(b, "  %9s %9s %10s", "in A", "in B", "change");
	terminal_end(&d->terminal, b, TERMINAL_HEADING);
	buf_u8(b, '\n');
	for (size_t i = 0; i < rows; i++)
		diff_people_change(b, &table, i);
}

/* Lines that are not rows of tables, of which there are so many. */
static size_t
diff_people_others(const struct diff *d, size_t tables)
{
	struct buf others = { 0 };
	size_t lines;

	diff_people_files(&others, d);
	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		if (d->has[s])
			diff_people_overlaps(&others, d, s);
	}
	lines = terminal_count_lines(&others, 0) + tables;
	buf_free(&others);
	return lines;
}

/* Gives each table in turn one of the lines that the screen has left. */
static void
diff_people_fit(const struct diff *d, size_t rows[DIFF_SUBJECTS])
{
	size_t wanted[DIFF_SUBJECTS], all = 0, tables = 0, left;

	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		wanted[s] = rows[s];
		all += rows[s];
		tables += rows[s] != 0;
		rows[s] = 0;
	}
	left = terminal_rows(&d->terminal, diff_people_others(d, tables), all);
	if (left > all)
		left = all;
	for (int s = 0; left != 0; s = (s + 1) % DIFF_SUBJECTS) {
		if (rows[s] == wanted[s])
			continue;
		rows[s]++;
		left--;
	}
}

void
diff_people(struct buf *b, const struct diff *d)
{
	size_t rows[DIFF_SUBJECTS];

	for (int s = 0; s < DIFF_SUBJECTS; s++)
		rows[s] = d->has[s] ? diff_rows(d, s) : 0;
	if (d->fits)
		diff_people_fit(d, rows);
	diff_people_files(b, d);
	for (int s = 0; s < DIFF_SUBJECTS; s++) {
		if (!d->has[s])
			continue;
		diff_people_overlaps(b, d, s);
		diff_people_changes(b, d, s, rows[s]);
	}
}

/*
 * What prof-diff --format=markdown prints: tables for a comment on GitHub or
 * GitLab.  Names of functions and files stand in code spans.
 */

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
