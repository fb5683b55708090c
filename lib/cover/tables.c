/* cover/tables.c - the tables of llvm-cov report, byte for byte */
#include "config.h"

#include <stdio.h>

#include "base/error.h"
#include "cover/report.h"
#include "cover/writer.h"

/* Three columns: what there is, what is missed, and the percentage. */
struct table_part {
	const char *heads[3];
	int widths[3];
	size_t member;			/* of a summary */
	size_t option;			/* that shows it; 0: always */
	/* Parts whose colors the second and the third column have. */
	size_t colors[2];
};

#define PART(field) offsetof(struct cover_summary, field)
#define IF(field) (1 + offsetof(struct cover_report_options, field))
#define NO_COLOR SIZE_MAX

static const struct table_part file_parts[] = {
	{ { "Regions", "Missed Regions", "Cover" }, { 12, 18, 10 },
	    PART(regions), IF(regions), { PART(regions), PART(regions) } },
	{ { "Functions", "Missed Functions", "Executed" }, { 12, 18, 10 },
	    PART(functions), 0, { NO_COLOR, PART(functions) } },
	{ { "Instantiations", "Missed Insts.", "Executed" }, { 16, 16, 10 },
	    PART(instances), IF(instances), { NO_COLOR, PART(instances) } },
	{ { "Lines", "Missed Lines", "Cover" }, { 12, 18, 10 },
	    PART(lines), 0, { PART(lines), PART(lines) } },
	{ { "Branches", "Missed Branches", "Cover" }, { 12, 18, 10 },
	    PART(branches), IF(branches), { PART(lines), PART(lines) } },
	{ { "MC/DC Conditions", "Missed Conditions", "Cover" }, { 20, 21, 10 },
	    PART(conditions), IF(conditions), { PART(lines), PART(lines) } },
	{ .heads = { NULL } }
}, function_parts[] = {
	{ { "Regions", "Miss", "Cover" }, { 10, 8, 8 }, PART(regions), 0,
	    { PART(regions), PART(regions) } },
	{ { "Lines", "Miss", "Cover" }, { 10, 8, 8 }, PART(lines), 0,
	    { PART(lines), PART(lines) } },
	{ { "Branches", "Miss", "Cover" }, { 10, 8, 8 }, PART(branches),
	    IF(branches), { PART(lines), PART(branches) } },
	{ { "MC/DC Conditions", "Miss", "Cover" }, { 20, 8, 8 },
	    PART(conditions), IF(conditions), { PART(lines),
	    PART(conditions) } },
	{ .heads = { NULL } }
};

struct tables {
	struct cover_writer writer;
	const struct cover_report_options *options;
	const struct table_part *parts;
	size_t width;			/* of names */
	struct buf memory;
};

static bool
table_shows(const struct tables *r, const struct table_part *p)
{
	return p->option == 0 || *((const bool *)(const void *)r->options +
	    p->option - 1);
}

static struct cover_part
summary_part(const struct cover_summary *s, size_t member)
{
	return *(const struct cover_part *)(const void *)((const char *)s +
	    member);
}

enum { WELL_COVERED = 80 };

/* Text in the color of a part, or as it is. */
static void
table_put_colored(struct tables *r, const struct cover_summary *s,
    size_t color, const char *text)
{
	struct cover_part p = summary_part(s, color == NO_COLOR ? 0 : color);

	if (r->options->colors && color != NO_COLOR)
		buf_print(&r->writer.out, "\33[0;3%cm%s\33[0m",
		    p.size == p.covered ? '2' : cover_percent(p) >=
		    (double)WELL_COVERED ? '3' : '1', text);
	else
		buf_text(&r->writer.out, text);
}

static void
table_put_name(struct tables *r, struct prof_span name)
{
	buf_put(&r->writer.out, name.data, name.size);
	buf_print(&r->writer.out, "%*s", name.size < r->width ?
	    (int)(r->width - name.size) : 0, "");
}

/* A row; functions without something have percentages nevertheless. */
static void
table_put_row(struct tables *r, struct prof_span name,
    const struct cover_summary *s)
{
	const struct table_part *p = r->parts;
	struct buf *b = &r->writer.out;
	struct cover_part n;
	char text[40];

	table_put_name(r, name);
	for (; p->heads[0] != NULL; p++) {
		if (!table_shows(r, p))
			continue;
		n = summary_part(s, p->member);
		buf_print(b, "%*u", p->widths[0], (unsigned)n.size);
		snprintf(text, sizeof(text), "%*u", p->widths[1],
		    (unsigned)(n.size - n.covered));
		table_put_colored(r, s, p->colors[0], text);
		snprintf(text, sizeof(text), "%*.2f%%", p->widths[2] - 1,
		    cover_percent(n));
		if (n.size == 0 && r->parts == file_parts)
			buf_print(b, "%*s", p->widths[2], "-");
		else
			table_put_colored(r, s, p->colors[1], text);
	}
	buf_u8(b, '\n');
}

/* Since LLVM 18, the line is as long as the columns that are shown. */
enum { RELEASE_SHORT_LINES = 18 };

static void
table_put_divider(struct tables *r)
{
	const struct table_part *p = r->parts;
	size_t size = r->width;

	for (; p->heads[0] != NULL; p++) {
		if (table_shows(r, p) || (p->member != PART(conditions) &&
		    r->writer.cover->options.release < RELEASE_SHORT_LINES))
			size += (size_t)(p->widths[0] + p->widths[1] +
			    p->widths[2]);
	}
	while (size-- > 0)
		buf_u8(&r->writer.out, '-');
	buf_u8(&r->writer.out, '\n');
}

static void
table_put_heads(struct tables *r, const char *name)
{
	const struct table_part *p = r->parts;

	table_put_name(r, span_of_text(name));
	for (; p->heads[0] != NULL; p++) {
		for (unsigned i = 0; i < 3 && table_shows(r, p); i++)
			buf_print(&r->writer.out, "%*s", p->widths[i],
			    p->heads[i]);
	}
	buf_u8(&r->writer.out, '\n');
	table_put_divider(r);
}

/*
 * The size of the folders that all paths begin with.  A path that is the
 * beginning of another is no reason for less.
 */
static size_t
table_common_folders(const struct cover *c)
{
	struct prof_span first, other;
	size_t size = 0, n;

	for (size_t i = 1; i < c->sorted_size; i++) {
		first = c->paths.items[c->sorted[0]];
		other = c->paths.items[c->sorted[i]];
		if (i == 1)
			size = first.size;
		for (n = 0; n < size && n < other.size &&
		    first.data[n] == other.data[n];)
			n++;
		if (n == size ? n < first.size || n == other.size ||
		    other.data[n] == '/' : n == other.size &&
		    first.data[n] == '/')
			continue;
		while (n > 0 && first.data[n - 1] != '/')
			n--;
		size = n;
	}
	return size;
}

/* Rows of the files with functions, or of those without. */
static void
table_put_files(struct tables *r, const struct cover_summary *sums,
    size_t folders, bool functions)
{
	const struct cover *c = r->writer.cover;
	struct buf *path = &r->memory;
	struct prof_span name;
	bool any = functions;
	size_t skip;

	for (size_t i = 0; i < c->sorted_size; i++) {
		if ((sums[c->sorted[i]].functions.size > 0) != functions)
			continue;
		if (!any)
			buf_text(&r->writer.out,
			    "\nFiles which contain no functions:\n");
		any = true;
		name = c->paths.items[c->sorted[i]];
		skip = folders < name.size ? folders : name.size;
		name.data += skip;
		name.size -= skip;
		cover_path_show(path, name);
		table_put_row(r, buf_span(path), &sums[c->sorted[i]]);
	}
}

static enum prof_status
table_put_table(struct tables *r, struct prof_error *err)
{
	struct cover *c = r->writer.cover;
	struct cover_report report = { .cover = c };
	enum prof_status status = cover_report_make(&report, err);
	size_t folders = table_common_folders(c), size;

	if (status != PROF_OK)
		goto out;
	for (size_t i = 0; i < c->sorted_size; i++) {
		size = c->paths.items[c->sorted[i]].size;
		if (size > folders + r->width)
			r->width = size - folders;
	}
	table_put_heads(r, "Filename");
	table_put_files(r, report.sums, folders, true);
	table_put_files(r, report.sums, folders, false);
	table_put_divider(r);
	table_put_row(r, span_of_text("TOTAL"), &report.total);
out:
	free(report.sums);
	return status;
}

/* The table of a file: the functions whose first file it is. */
static enum prof_status
table_put_functions(struct tables *r, uint32_t path, struct prof_error *err)
{
	struct cover *c = r->writer.cover;
	const struct prof_span *names = r->options->names;
	struct cover_summary sum, total = { 0 };
	const uint32_t *f = c->users + c->first[path],
	    *end = c->users + c->first[path + 1];
	bool any = false;

	for (; f != end; f++) {
		if (c->entries[*f].function.files[0] == path &&
		    names[*f].size > r->width)
			r->width = names[*f].size;
	}
	buf_text(&r->writer.out, "File '");
	buf_put(&r->writer.out, c->paths.items[path].data,
	    c->paths.items[path].size);
	buf_text(&r->writer.out, "':\n");
	table_put_heads(r, "Name");
	for (f = c->users + c->first[path]; f != end; f++) {
		if (c->entries[*f].function.files[0] != path)
			continue;
		if (cover_tally_function(c,
		    cover_function_at(c, *f), &sum, err) != PROF_OK ||
		    cover_writer_flush(&r->writer, WRITER_PIECE, err) !=
		    PROF_OK)
			return PROF_FAIL;
		table_put_row(r, names[*f], &sum);
		cover_summary_add(&total, &sum);
		any = true;
	}
	if (any) {
		table_put_divider(r);
		table_put_row(r, span_of_text("TOTAL"), &total);
	}
	return PROF_OK;
}

enum { NAME_WIDTH = 25 };

enum prof_status
cover_write_report(struct cover *c, const struct cover_report_options *options,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct tables r = { .writer = { .cover = c, .sink = sink, .arg = arg },
	    .options = options, .width = NAME_WIDTH,
	    .parts = options->names == NULL ? file_parts : function_parts };
	enum prof_status status = PROF_OK;

	if (options->names == NULL)
		status = table_put_table(&r, err);
	for (size_t i = 0; i < c->sorted_size && status == PROF_OK &&
	    options->names != NULL; i++) {
		buf_text(&r.writer.out, i > 0 ? "\n" : "");
		status = table_put_functions(&r, c->sorted[i], err);
	}
	r.writer.out.failed |= r.memory.failed;
	if (status == PROF_OK)
		status = cover_writer_flush(&r.writer, 0, err);
	buf_free(&r.memory);
	cover_writer_free(&r.writer);
	return status;
}
