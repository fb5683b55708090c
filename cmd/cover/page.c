/* cmd/cover/page.c - coverage as one HTML page */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_text.h"
#include "cmd/cover/page.h"
#include "cmd/cover/run.h"
#include "cmd/page/page.h"
#include "cmd/print/print.h"
#include "cover/writer.h"
#include "io/read_at.h"

/* The most bytes of a source, and of a piece of it. */
enum { SOURCE_MAX = 1 << 28, SOURCE_PIECE = 1 << 16 };

bool
cover_read_source(const struct cover *c, uint32_t path, struct buf *out)
{
	struct prof_span names[] = { c->paths.items[path],
	    cover_original_path(c, path) };
	struct stat st;
	ssize_t n = 1;
	int fd = -1;

	for (unsigned i = 0; i < 2 && fd < 0; i++) {
		out->size = 0;
		buf_put(out, names[i].data, names[i].size);
		buf_u8(out, '\0');
		/* The open of a FIFO without a writer must not block. */
		if (!out->failed)
			fd = open((const char *)out->data, O_RDONLY |
			    O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	}
	out->size = 0;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		n = -1;
	while (n > 0 && out->size < SOURCE_MAX &&
	    buf_reserve(out, SOURCE_PIECE) != NULL) {
		n = read_at(fd, out->data + out->size, SOURCE_PIECE,
		    (off_t)out->size);
		out->size += n > 0 ? (size_t)n : 0;
	}
	close(fd);
	return n == 0;
}

/*
 * A branch; or a region of a macro, where it is used: it ends where that begins
 * then, and the other count is that of the use.
 */
struct page_row {
	uint64_t at;			/* a place */
	uint64_t macro;			/* 0, or the rank of its path + 1 */
	uint64_t end;			/* a place */
	uint64_t count, other;
	unsigned folded;		/* 1: cannot be taken, 2: must be */
};

struct cover_page {
	struct cover_writer writer;
	const struct cover_report *report;
	const struct cover_page_options *options;
	struct page_data data;		/* a member for each file */
	struct buf index, plain;	/* of all files */
	struct buf scratch;
	uint32_t *ranks;		/* of paths */
	struct page_row *rows;
	size_t rows_size, rows_room;
	bool failed;			/* out of memory */
	struct prof_error *err;
};

static void
page_begin_item(struct buf *b)
{
	if (!b->failed && b->data[b->size - 1] != '[')
		buf_u8(b, ',');
}

/* Appends an array to an array. */
#define PAGE_PUT(b, ...) \
	(page_begin_item(b), json_text_numbers(b, \
	    (const uint64_t[]){ __VA_ARGS__ }, \
	    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)))

/*
 * Lines with counts, in runs, and what did not run, from place to place.  Lines
 * are differences to those before, here and in rows, which are packed well.
 */
static void
page_put_lines(struct cover_page *p)
{
	const struct cover_view *v = &p->writer.view;
	const struct cover_segment *s;
	struct buf *b = &p->data.text;
	struct cover_lines run;
	bool open = false, missed;
	uint64_t last = 0;

	buf_text(b, "],\"lines\":[");
	cover_lines_start(&run, v, p->writer.cover->options.release);
	while (cover_lines_next(&run)) {
		if (!run.mapped)
			continue;
		PAGE_PUT(b, run.line - last, run.size, run.count);
		last = run.line;
	}
	buf_text(b, "],\"missed\":[");
	last = 0;
	for (size_t i = 0; i < v->segments_size; i++) {
		s = &v->segments[i];
		missed = s->has_count && s->count == 0 && !s->gap &&
		    i + 1 < v->segments_size;
		if (missed == open)
			continue;
		PAGE_PUT(b, s->at.line - last, s->at.column);
		last = s->at.line;
		open = missed;
	}
}

static int
page_row_compare(const void *a, const void *b)
{
	const struct page_row *x = a, *y = b;

	return x->at != y->at ? compare_u64(x->at, y->at) :
	    x->macro != y->macro ? compare_u64(x->macro, y->macro) :
	    compare_u64(x->end, y->end);
}

static void
page_add_row(struct cover_page *p, const struct cover_region *at,
    uint64_t macro, const struct cover_region *r)
{
	p->failed |= !ARRAY_ADD(p->rows, p->rows_size, p->rows_room,
	    (struct page_row){ cover_place_number(at->start), macro,
	    cover_place_number(macro == 0 ? r->end : r->start), r->count,
	    macro == 0 ? r->other : at->count,
	    r->folded + 2u * r->other_folded });
}

/*
 * Branches, and parts of macros that did not run though their use did.  Those
 * of one place, in instances, are one.
 */
static void
page_put_rows(struct cover_page *p)
{
	const struct page_row *row = p->rows, *next;
	const struct page_row *end = row == NULL ? NULL : row + p->rows_size;
	uint64_t last = 0;
	struct page_row sum;
	struct buf *b = &p->data.text;

	if (p->rows_size > 0)
		qsort(p->rows, p->rows_size, sizeof(*row), page_row_compare);
	buf_text(b, "],\"rows\":[");
	for (; row != end; row = next) {
		sum = *row;
		for (next = row + 1; next != end && page_row_compare(row,
		    next) == 0; next++) {
			sum.count = saturating_add(sum.count, next->count);
			sum.other = saturating_add(sum.other, next->other);
			sum.folded &= next->folded;
		}
		if (sum.macro != 0 && (sum.count > 0 || sum.other == 0))
			continue;
		PAGE_PUT(b, (sum.at >> 32) - last, (uint32_t)sum.at, sum.macro,
		    sum.end >> 32, (uint32_t)sum.end, sum.count, sum.other,
		    sum.folded);
		last = sum.at >> 32;
	}
}

static void
page_put_decision(struct cover_page *p, const struct cover_decision *d)
{
	const struct cover_condition *k, *end = d->conditions +
	    d->conditions_size;
	const uint8_t *outcome = d->outcomes;
	struct buf *b = &p->data.text;

	page_begin_item(b);
	buf_u8(b, '[');
	PAGE_PUT(b, d->region.start.line, d->region.start.column,
	    d->region.end.line, d->region.end.column);
	buf_text(b, ",[");
	for (k = d->conditions; k != end; k++)
		PAGE_PUT(b, k->start.line, k->start.column,
		    k->folded || k->other_folded ? 2 : k->covered);
	buf_text(b, "],[");
	for (size_t i = 0; i < d->ways; i++) {
		page_begin_item(b);
		buf_u8(b, '"');
		for (k = d->conditions; k != end; k++)
			buf_u8(b, (uint8_t)"FT-"[*outcome++]);
		buf_text(b, i < d->false_ways ? "=F\"" : "=T\"");
	}
	buf_text(b, "]]");
}

/* Adds the rows and decisions of a function, and its instance to the index. */
static void
page_add_function(struct cover_page *p, uint32_t path, size_t number)
{
	struct cover *c = p->writer.cover;
	const struct cover_function *f = cover_function_at(c, number);
	const struct cover_region *r, *end = f->branches + f->branches_size;
	const struct cover_region *use;
	struct buf *b = &p->index;

	p->failed |= !cover_view_add_function(&p->writer.view, f, path);
	for (r = f->branches; r != end; r++) {
		if (cover_file_has(c, path, f, r))
			page_add_row(p, r, 0, r);
	}
	end = f->regions + f->regions_size;
	for (r = f->regions; r != end; r++) {
		use = f->uses[r->file] == INDEX_NONE ? NULL :
		    &f->regions[f->uses[r->file]];
		if (r->kind == COVER_CODE && use != NULL &&
		    f->files[use->file] == path)
			page_add_row(p, use, p->ranks[f->files[r->file]] + 1u,
			    r);
	}
	for (size_t i = 0; i < f->decisions_size; i++) {
		if (cover_file_has(c, path, f, &f->decisions[i].region))
			page_put_decision(p, &f->decisions[i]);
	}
	if (!cover_is_main_of(f, path))
		return;
	p->scratch.size = 0;
	show_demangled(&p->scratch, f->name);
	page_begin_item(b);
	buf_u8(b, '[');
	PAGE_PUT(b, c->entries[number].start.line,
	    c->entries[number].start.column, f->count);
	page_begin_item(b);
	cover_quote(b, buf_span(&p->scratch));
	buf_u8(b, ']');
}

/* Files that the page has without JavaScript. */
enum { PLAIN_ROWS = 1000 };

/* A file: a member of the data, and what the index says of it. */
static enum prof_status
page_put_file(struct cover_page *p, size_t rank)
{
	const struct cover *c = p->writer.cover;
	const uint32_t path = c->sorted[rank];
	const struct cover_summary *sum = &p->report->sums[path];
	struct prof_span name = c->paths.items[path];
	const struct cover_range *r = NULL, *end = NULL;
	struct buf *b = &p->index, *plain = &p->plain;

	buf_text(b, rank == 0 ? "{\"path\":" : ",\n{\"path\":");
	cover_quote(b, name);
	json_member_number(b, "at", p->data.packed.size);
	/* Pairs of numbers, of which the scripts know the order. */
	json_member_key(b, "sum");
	json_text_numbers(b, (const uint64_t *)sum, sizeof(*sum) /
	    sizeof(uint64_t));
	buf_text(b, ",\"functions\":[");
	buf_text(&p->data.text, "{\"decisions\":[");
	cover_view_begin(&p->writer.view);
	p->rows_size = 0;
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++)
		page_add_function(p, path, c->users[i]);
	if (p->failed)
		return err_memory(p->err);
	if (cover_view_end(&p->writer.view, p->err) != PROF_OK)
		return PROF_FAIL;
	buf_text(b, "],\"changed\":[");
	if (p->options->changed != NULL)
		r = p->options->changed(p->options->arg, path, &end);
	for (; r != NULL && r != end; r++)
		PAGE_PUT(b, r->first, r->last);
	buf_u8(b, ']');
	page_put_lines(p);
	page_put_rows(p);
	buf_text(&p->data.text, "]}\n");
	if (!p->options->source_less && cover_read_source(c, path,
	    &p->scratch)) {
		buf_put(&p->data.text, p->scratch.data, p->scratch.size);
		json_member_flag(b, "source");
	}
	buf_u8(b, '}');
	if (rank < PLAIN_ROWS) {
		buf_text(plain, "<tr>");
		page_cell_number(plain, sum->lines.size);
		page_cell_number(plain, sum->lines.covered);
		rank = page_cell_name(plain);
		buf_put(plain, name.data, name.size);
		page_cell_end(plain, rank);
	}
	p->failed |= p->scratch.failed || !page_data_flush(&p->data, true);
	return p->failed ? err_memory(p->err) : PROF_OK;
}

static bool
page_flush(void *page, struct buf *text)
{
	struct cover_page *p = page;

	(void)text;
	return cover_writer_flush(&p->writer, 0, p->err) == PROF_OK;
}

/* Writes all files, and the index, the last member: the data end with where. */
static enum prof_status
page_write(struct cover_page *p)
{
	struct page page = { .title = p->options->title, .style = cover_style,
	    .script = cover_script, .flush = page_flush, .arg = p };
	struct buf *b = &p->data.text;
	size_t at;

	if (p->ranks == NULL)
		return err_memory(p->err);
	for (uint32_t i = 0; i < p->writer.cover->sorted_size; i++)
		p->ranks[p->writer.cover->sorted[i]] = i;
	buf_text(&p->plain, "<table>\n<thead><tr><th>lines</th><th>covered"
	    "</th><th class=\"name\">file</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < p->writer.cover->sorted_size; i++) {
		if (page_put_file(p, i) != PROF_OK)
			return PROF_FAIL;
	}
	buf_text(&p->plain, "</tbody></table>\n");
	at = p->data.packed.size;
	buf_print(b, "{\"patch\":%s,\"source_less\":%s,\"files\":[",
	    p->options->changed != NULL ? "true" : "false",
	    p->options->source_less ? "true" : "false");
	buf_put(b, p->index.data, p->index.size);
	buf_text(b, "]}\n");
	p->failed |= !page_data_flush(&p->data, true);
	buf_u64le(&p->data.packed, at);
	if (p->failed || p->data.packed.failed || p->index.failed ||
	    p->plain.failed)
		return err_memory(p->err);
	page.plain = buf_span(&p->plain);
	page.data = buf_span(&p->data.packed);
	return page_put(&p->writer.out, &page) ?
	    cover_writer_flush(&p->writer, 0, p->err) : PROF_FAIL;
}

enum prof_status
cover_page_write(const struct cover_report *report,
    const struct cover_page_options *options, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct cover_page p = { .writer = { .cover = report->cover,
	    .sink = sink, .arg = arg }, .report = report, .options = options,
	    .err = err, .ranks = calloc(report->cover->paths.size + 1,
	    sizeof(*p.ranks)) };
	enum prof_status status = page_write(&p);

	cover_writer_free(&p.writer);
	page_data_free(&p.data);
	buf_free(&p.index);
	buf_free(&p.plain);
	buf_free(&p.scratch);
	free(p.ranks);
	free(p.rows);
	return status;
}
