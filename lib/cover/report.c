/* cover/report.c - tables of files with what is covered, for people */
#include "config.h"

#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "cover/report.h"
#include "cover/writer.h"

struct cover_part
cover_metric(const struct cover_summary *s, enum cover_metric metric)
{
	const struct cover_part parts[COVER_METRICS] = { s->lines,
	    s->functions, s->regions, s->branches, s->conditions };

	return parts[metric];
}

unsigned
cover_share(struct cover_part p, unsigned whole)
{
	uint64_t product;

	/* No source has as much; lines of binaries that lie may be any. */
	while (!mul_u64(p.covered, whole, &product)) {
		p.covered >>= 1;
		p.size >>= 1;
	}
	return p.size == 0 ? whole : (unsigned)(product / p.size);
}

enum prof_status
cover_report_make(struct cover_report *r, struct prof_error *err)
{
	struct cover *c = r->cover;
	enum prof_status status = PROF_OK;

	r->sums = calloc(c->paths.size + 1, sizeof(*r->sums));
	if (r->sums == NULL)
		return err_memory(err);
	for (size_t i = 0; i < c->sorted_size && status == PROF_OK; i++) {
		status = cover_summarize(c, c->sorted[i],
		    &r->sums[c->sorted[i]], err);
		cover_summary_add(&r->total, &r->sums[c->sorted[i]]);
	}
	return status;
}

/* Ranges of lines as text; joined where one goes on from the other. */
struct ranges {
	struct buf *out;
	uint64_t last, end;		/* the last one; all 0: none */
};

static void
ranges_end(const struct ranges *r)
{
	if (r->end > r->last + 1)
		buf_print(r->out, "-%llu", ull(r->end - 1));
}

static void
ranges_add(struct ranges *r, uint64_t first, uint64_t end)
{
	if (first != r->end) {
		ranges_end(r);
		buf_print(r->out, r->end == 0 ? "%llu" : ", %llu", ull(first));
		r->last = first;
	}
	r->end = end;
}

struct cell {
	size_t at, size;		/* in the text of the table */
	size_t width;			/* characters */
	const char *colour;		/* or NULL */
};

enum { COLUMNS = 1 + COVER_METRICS + 2 };

struct table {
	const struct cover_report *report;
	const struct cover_table_options *options;
	size_t folder;			/* bytes that all paths begin with */
	struct buf text;		/* of cells, and of one that is made */
	struct cell *cells;		/* row by row */
	size_t cells_size, cells_room, done;
	size_t columns, widths[COLUMNS];
	struct cover_view view, base_view;
	struct buf lost;		/* lines that are covered no longer */
	uint64_t newly;			/* lines that were not covered */
};

/* The length of the folder that all files are below. */
static size_t
table_find_folder(const struct cover *c)
{
	struct prof_span first, last;
	size_t folder = 0;

	if (c->sorted_size == 0)
		return 0;
	first = c->paths.items[c->sorted[0]];
	last = c->paths.items[c->sorted[c->sorted_size - 1]];
	for (size_t i = 0; i < first.size && i < last.size &&
	    first.data[i] == last.data[i]; i++) {
		if (i > 0 && first.data[i] == '/')
			folder = i + 1;
	}
	return folder;
}

/* Appends a path without the folder, or the folder. */
static void
table_put_path(const struct table *t, struct buf *b, uint32_t path,
    bool folder)
{
	struct prof_span name = t->report->cover->paths.items[path];
	size_t begun = b->size, end = folder ? t->folder : name.size;

	for (size_t i = folder ? 0 : t->folder; i < end; i++) {
		if (t->options->markdown && name.data[i] != '\0' &&
		    strchr("\\`*_{}[]<>()#!|~&@$:", name.data[i]) != NULL)
			buf_u8(b, '\\');
		buf_u8(b, name.data[i]);
	}
	if (!b->failed && b->size > begun)
		printable_mask(b->data + begun, b->size - begun);
}

/* Makes a cell of the text that was appended. */
static void
table_end_cell(struct table *t, const char *colour)
{
	struct cell c = { t->done, t->text.size - t->done, 0, colour };
	size_t *column = &t->widths[t->cells_size % t->columns];

	for (size_t i = c.at; i < t->text.size; i++)
		c.width += (t->text.data[i] & 0xc0) != 0x80;
	*column = c.width > *column ? c.width : *column;
	t->done = t->text.size;
	t->text.failed |= !ARRAY_ADD(t->cells, t->cells_size, t->cells_room,
	    c);
}

/*
 * Adds the cells behind a name; without a sum, they are those of the head, and
 * a file is new if its base has no lines.
 */
static void
table_add_sums(struct table *t, const struct cover_summary *sum,
    const struct cover_summary *base)
{
	static const char *const names[] = { "Lines", "Functions", "Regions",
	    "Branches", "MC/DC" };
	const struct cover_summary *shown = sum != NULL ? sum :
	    &t->report->total;
	struct cover_part p;
	unsigned share;
	int change;

	table_end_cell(t, NULL);
	for (unsigned m = 0; m < COVER_METRICS; m++) {
		if (m != COVER_LINES &&
		    cover_metric(&t->report->total, m).size == 0)
			continue;
		p = cover_metric(shown, m);
		share = cover_share(p, 10000);
		if (sum == NULL || p.size == 0)
			buf_text(&t->text, sum == NULL ? names[m] : "-");
		else
			buf_print(&t->text, "%llu/%llu %*u.%02u%%",
			    ull(p.covered), ull(p.size), t->options->markdown ?
			    0 : 3, share / 100, share % 100);
		/* Green, yellow and red, with the limits of llvm-cov. */
		table_end_cell(t, sum == NULL || p.size == 0 ? NULL : share ==
		    10000 ? "32" : share >= 8000 ? "33" : "31");
	}
	if (t->report->base == NULL)
		return;
	change = (int)cover_share(shown->lines, 10000) -
	    (int)cover_share(base->lines, 10000);
	if (sum == NULL || base->lines.size == 0)
		buf_text(&t->text, sum == NULL ? "Change" : "new");
	else
		buf_print(&t->text, "%c%d.%02d", change < 0 ? '-' : '+',
		    abs(change) / 100, abs(change) % 100);
	table_end_cell(t, NULL);
}

/* Lines that both have, and that only one of them covered. */
static void
table_compare_lines(struct table *t, struct ranges *lost)
{
	struct cover_lines now, old;
	uint64_t start, end, now_end, old_end;
	bool more, old_more;

	cover_lines_start(&now, &t->view,
	    t->report->cover->options.release);
	cover_lines_start(&old, &t->base_view,
	    t->report->cover->options.release);
	more = cover_lines_next(&now);
	old_more = cover_lines_next(&old);
	while (more && old_more) {
		start = now.line > old.line ? now.line : old.line;
		now_end = (uint64_t)now.line + now.size;
		old_end = (uint64_t)old.line + old.size;
		end = now_end < old_end ? now_end : old_end;
		if (start < end && now.mapped && old.mapped) {
			if (now.count == 0 && old.count > 0)
				ranges_add(lost, start, end);
			else if (now.count > 0 && old.count == 0)
				t->newly += end - start;
		}
		if (now_end == end)
			more = cover_lines_next(&now);
		if (old_end == end)
			old_more = cover_lines_next(&old);
	}
	ranges_end(lost);
}

static enum prof_status
table_add_file(struct table *t, uint32_t path, struct prof_error *err)
{
	static const struct cover_summary none;
	const struct cover_report *r = t->report, *base = r->base;
	struct prof_span name = r->cover->paths.items[path];
	uint32_t old = base == NULL ? INDEX_NONE :
	    intern_find(&base->cover->paths, name.data, name.size);
	struct ranges missed = { &t->text, 0, 0 };
	struct ranges lost = { &t->lost, 0, 0 };
	size_t before = t->lost.size;
	struct cover_lines l;

	if (cover_view_file(r->cover, path, &t->view, err) != PROF_OK ||
	    (old != INDEX_NONE && cover_view_file(base->cover, old,
	    &t->base_view, err) != PROF_OK))
		return PROF_FAIL;
	table_put_path(t, &t->text, path, false);
	table_add_sums(t, &r->sums[path], old == INDEX_NONE ? &none :
	    &base->sums[old]);
	for (cover_lines_start(&l, &t->view, r->cover->options.release);
	    cover_lines_next(&l);) {
		if (l.mapped && l.count == 0)
			ranges_add(&missed, l.line, (uint64_t)l.line + l.size);
	}
	ranges_end(&missed);
	table_end_cell(t, NULL);
	if (old == INDEX_NONE)
		return PROF_OK;
	buf_text(&t->lost, t->options->markdown ? "- " : "");
	table_put_path(t, &t->lost, path, false);
	buf_text(&t->lost, ": ");
	table_compare_lines(t, &lost);
	if (lost.end == 0)
		t->lost.size = before;
	else
		buf_u8(&t->lost, '\n');
	return PROF_OK;
}

/* Adds the files in the order that is wanted, and by path among equals. */
static enum prof_status
table_add_files(struct table *t, struct prof_error *err)
{
	const struct cover *c = t->report->cover;
	struct number_sort_item *files = calloc(c->sorted_size + 1,
	    sizeof(*files));
	enum prof_status status = PROF_OK;

	for (size_t i = 0; files != NULL && i < c->sorted_size; i++) {
		struct cover_part p = t->report->sums[c->sorted[i]].lines;

		files[i].item = c->sorted[i];
		files[i].key = t->options->order == 0 ? 0 :
		    t->options->order == 1 ? cover_share(p, 1000000) :
		    UINT64_MAX - (p.size - p.covered);
	}
	if (files == NULL || !number_sort(files, c->sorted_size))
		status = err_memory(err);
	for (size_t i = 0; i < c->sorted_size && status == PROF_OK; i++)
		status = table_add_file(t, files[i].item, err);
	free(files);
	return status;
}

/* Of the lines that were missed, as many ranges as fit on a terminal. */
static size_t
table_fit(const struct table *t, const struct cell *c)
{
	size_t left = t->options->width, fits = c->size;

	for (size_t i = 0; i + 1 < t->columns; i++)
		left -= left > t->widths[i] + 2 ? t->widths[i] + 2 : left;
	if (t->options->width == 0 || fits <= left)
		return fits;
	for (fits = left < 5 ? 0 : left - 5;
	    fits > 0 && t->text.data[c->at + fits] != ',';)
		fits--;
	return fits;
}

static void
table_put_cell(const struct table *t, struct buf *b, const struct cell *c,
    size_t column)
{
	bool last = column == t->columns - 1, first = column == 0;
	size_t fits = last ? table_fit(t, c) : c->size;
	int pad = last ? 0 : (int)(t->widths[column] - c->width);
	bool coloured = c->colour != NULL && t->options->colours;

	if (t->options->markdown)
		buf_text(b, "| ");
	else
		buf_print(b, "%*s", first || fits == 0 ? 0 : pad + 2, "");
	if (coloured)
		buf_print(b, "\033[%sm", c->colour);
	buf_put(b, t->text.data + c->at, fits);
	buf_text(b, coloured ? "\033[0m" : "");
	buf_text(b, fits < c->size && fits > 0 ? ", ..." : "");
	if (t->options->markdown)
		buf_u8(b, ' ');
	else
		buf_print(b, "%*s", first ? pad : 0, "");
	if (last)
		buf_text(b, t->options->markdown ? "|\n" : "\n");
}

/* What the sums leave out, and the lines that changed. */
static void
table_put_notes(const struct table *t, struct buf *b)
{
	const struct cover *c = t->report->cover;
	size_t unused = 0;

	for (size_t i = 0; i < c->entries_size; i++)
		unused += c->entries[i].function.state == COVER_UNUSED;
	if (c->stale_size > 0)
		buf_print(b, "\nStale functions, left out: %zu\n",
		    c->stale_size);
	if (unused > 0)
		buf_print(b, "\nUnused functions: %zu\n", unused);
	if (t->report->base == NULL)
		return;
	buf_print(b, "\nNewly covered lines: %llu\n", ull(t->newly));
	if (t->lost.size > 0)
		buf_text(b, "\nNo longer covered:\n\n");
	buf_put(b, t->lost.data, t->lost.size);
}

static void
table_put(const struct table *t, struct buf *b)
{
	if (t->folder > 0) {
		buf_text(b, "Files below ");
		table_put_path(t, b, t->report->cover->sorted[0], true);
		buf_text(b, ":\n\n");
	}
	for (size_t i = 0; i < t->cells_size; i++) {
		table_put_cell(t, b, &t->cells[i], i % t->columns);
		if (!t->options->markdown || i + 1 != t->columns)
			continue;
		buf_text(b, "| ---");
		for (size_t k = 2; k < t->columns; k++)
			buf_text(b, " | ---:");
		buf_text(b, " | --- |\n");
	}
	table_put_notes(t, b);
}

enum prof_status
cover_write_table(const struct cover_report *r,
    const struct cover_table_options *o, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct table t = { .report = r, .options = o };
	struct cover_writer w = { .sink = sink, .arg = arg };
	enum prof_status status;

	t.folder = table_find_folder(r->cover);
	t.columns = COLUMNS;
	buf_text(&t.text, "File");
	table_add_sums(&t, NULL, r->base == NULL ? NULL :
	    &r->base->total);
	buf_text(&t.text, "Missed lines");
	table_end_cell(&t, NULL);
	t.columns = t.cells_size;
	status = table_add_files(&t, err);
	buf_text(&t.text, "Total");
	table_add_sums(&t, &r->total, r->base == NULL ? NULL :
	    &r->base->total);
	table_end_cell(&t, NULL);
	if (status == PROF_OK && (t.text.failed || t.lost.failed))
		status = err_memory(err);
	if (status == PROF_OK) {
		table_put(&t, &w.out);
		status = cover_writer_flush(&w, 0, err);
	}
	buf_free(&w.out);
	buf_free(&t.text);
	buf_free(&t.lost);
	free(t.cells);
	cover_view_free(&t.view);
	cover_view_free(&t.base_view);
	return status;
}
