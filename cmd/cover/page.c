/* cmd/cover/page.c - coverage as one HTML page */
#include "config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json_text.h"
#include "cmd/cover/run.h"
#include "cmd/page/page.h"
#include "cmd/print/print.h"
#include "cover/writer.h"
#include "io/read_at.h"

enum { SOURCE_MAX = 1 << 28 };		/* bytes */

bool
cover_read_source(const struct cover *c, uint32_t path, struct buf *out)
{
	/* The open of a FIFO without a writer must not block. */
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = open((const char *)c->paths.items[path].data, flags);
	struct stat st;
	ssize_t n = -1;
	uint8_t *to;

	if (fd < 0)
		fd = open((const char *)cover_original_path(c, path).data,
		    flags);
	out->size = 0;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_size <= SOURCE_MAX &&
	    (to = buf_reserve(out, (size_t)st.st_size)) != NULL)
		n = read_at(fd, to, (size_t)st.st_size, 0);
	close(fd);
	out->size = n > 0 ? (size_t)n : 0;
	return n >= 0;
}

struct cover_page {
	struct cover_writer writer;
	const struct cover_report *report;
	const struct cover_page_options *options;
	struct page_data data;		/* a member for each file */
	struct buf index;		/* of all files */
	struct buf plain;		/* without JavaScript */
	struct buf scratch;
	struct cover_region *branches;	/* of the file */
	size_t branches_size, branches_room;
	bool failed;			/* out of memory */
	struct prof_error *err;
};

/* Appends an array to an array. */
#define PAGE_PUT(b, ...) \
	(cover_begin_item(b), json_text_numbers(b, \
	    (const uint64_t[]){ __VA_ARGS__ }, \
	    sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)))

/*
 * Lines with counts, in runs, and what did not run, from place to place.  Lines
 * are differences to those before, here and in branches, which are packed well.
 */
static enum prof_status
page_put_lines(struct cover_page *p)
{
	const struct cover_view *v = &p->writer.view;
	const struct cover_segment *s;
	struct buf *b = &p->data.text;
	struct cover_lines run;
	bool open = false, missed;
	uint64_t last = 0;

	buf_text(b, "{\"lines\":[");
	cover_lines_start(&run, v, p->writer.cover->options.release);
	while (cover_lines_next(&run)) {
		if (!run.mapped)
			continue;
		if (cover_lines_check(&run, p->err) != PROF_OK)
			return PROF_FAIL;
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
	return PROF_OK;
}

/* Writes the branches; those that instances have at one place are one. */
static void
page_put_branches(struct cover_page *p)
{
	const struct cover_region *r = p->branches;
	const size_t size = p->branches_size;
	struct buf *b = &p->data.text;
	struct cover_region sum;
	uint64_t last = 0;

	buf_text(b, "],\"branches\":[");
	if (size > 0)
		qsort(p->branches, size, sizeof(*r), cover_compare_regions);
	for (size_t i = 0, k; i < size; i = k) {
		sum = r[i];
		for (k = i + 1; k < size &&
		    cover_compare_regions(&r[i], &r[k]) == 0; k++) {
			sum.count = saturating_add(sum.count, r[k].count);
			sum.other = saturating_add(sum.other, r[k].other);
			sum.folded &= r[k].folded;
			sum.other_folded &= r[k].other_folded;
		}
		PAGE_PUT(b, sum.start.line - last, sum.start.column,
		    sum.end.line, sum.end.column, sum.count, sum.other,
		    sum.folded + 2u * sum.other_folded);
		last = sum.start.line;
	}
}

/* Adds the branches of a function, and its instance to the index. */
static void
page_add_function(struct cover_page *p, uint32_t path, size_t number)
{
	struct cover *c = p->writer.cover;
	const struct cover_function *f = cover_function_at(c, number);
	struct buf *b = &p->index;

	p->failed |= !cover_view_add_function(&p->writer.view, f, path);
	for (size_t i = 0; i < f->branches_size; i++) {
		if (cover_file_has(c, path, f, &f->branches[i]))
			p->failed |= !ARRAY_ADD(p->branches, p->branches_size,
			    p->branches_room, f->branches[i]);
	}
	if (!cover_is_main_of(f, path))
		return;
	p->scratch.size = 0;
	show_demangled(&p->scratch, f->name);
	cover_begin_item(b);
	buf_u8(b, '[');
	PAGE_PUT(b, c->entries[number].start.line, f->count);
	cover_begin_item(b);
	cover_quote(b, buf_span(&p->scratch));
	buf_u8(b, ']');
}

/* A file: a member of the data, and what the index says of it. */
static enum prof_status
page_put_file(struct cover_page *p, size_t rank)
{
	const struct cover *c = p->writer.cover;
	const uint32_t path = c->sorted[rank];
	const struct cover_summary *sum = &p->report->sums[path];
	const struct cover_line_set *changed = p->options->changed == NULL ||
	    p->options->changed[path] == NULL ? NULL :
	    &p->options->changed[path]->lines;
	struct buf *b = &p->index;

	buf_text(b, rank == 0 ? "{\"path\":" : ",\n{\"path\":");
	cover_quote(b, c->paths.items[path]);
	json_member_number(b, "at", p->data.packed.size);
	/* Pairs of numbers, of which the scripts know the order. */
	json_member_key(b, "sum");
	json_text_numbers(b, (const uint64_t *)sum, sizeof(*sum) /
	    sizeof(uint64_t));
	buf_text(b, ",\"functions\":[");
	cover_view_begin(&p->writer.view);
	p->branches_size = 0;
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++)
		page_add_function(p, path, c->users[i]);
	if (p->failed)
		return err_memory(p->err);
	if (cover_view_end(&p->writer.view, p->err) != PROF_OK)
		return PROF_FAIL;
	buf_text(b, "],\"changed\":[");
	for (size_t i = 0; changed != NULL && i < changed->size; i++)
		PAGE_PUT(b, changed->items[i].first, changed->items[i].last);
	buf_u8(b, ']');
	if (page_put_lines(p) != PROF_OK)
		return PROF_FAIL;
	page_put_branches(p);
	buf_text(&p->data.text, "]}\n");
	if (!p->options->source_less && cover_read_source(c, path,
	    &p->scratch)) {
		buf_put(&p->data.text, p->scratch.data, p->scratch.size);
		json_member_flag(b, "source");
	}
	buf_u8(b, '}');
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
	const struct cover_part *lines = &p->report->total.lines;
	struct buf *b = &p->data.text;
	size_t at;

	buf_print(&p->plain, "<p>%llu of %llu lines ran.</p>\n",
	    ull(lines->covered), ull(lines->size));
	for (size_t i = 0; i < p->writer.cover->sorted_size; i++) {
		if (page_put_file(p, i) != PROF_OK)
			return PROF_FAIL;
	}
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
	    .err = err };
	enum prof_status status = page_write(&p);

	cover_writer_free(&p.writer);
	page_data_free(&p.data);
	buf_free(&p.index);
	buf_free(&p.plain);
	buf_free(&p.scratch);
	free(p.branches);
	return status;
}
