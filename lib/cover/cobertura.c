/* cover/cobertura.c - XML of Cobertura (coverage-04.dtd) */
#include "config.h"

#include "base/error.h"
#include "base/radix_sort.h"
#include "base/text.h"
#include "cover/report.h"
#include "cover/writer.h"

struct cobertura {
	struct cover_writer writer;
	const struct cover_report *report;
	const struct cover_cobertura_options *options;
	struct cover_region *branches;	/* of a class; the last of a method */
	size_t branches_size, branches_room;
	struct intern names;		/* of the functions of a class */
	struct buf text;
};

/* Writes markup, and text of any bytes behind it. */
static void
cobertura_put_text(struct cobertura *x, const char *markup,
    struct prof_span text)
{
	buf_text(&x->writer.out, markup);
	buf_put(&x->text, text.data, text.size);
	x->writer.out.failed |= x->text.failed;
	if (x->text.size > 0 && !x->text.failed)
		printable_mask(x->text.data, x->text.size);
	xml_put(&x->writer.out, buf_span(&x->text));
	x->text.size = 0;
}

/* Ends an attribute, and the tag with its rates. */
static void
cobertura_put_rates(struct cobertura *x, const struct cover_summary *s)
{
	unsigned lines = cover_share(s->lines, 10000);
	unsigned branches = cover_share(s->branches, 10000);

	buf_print(&x->writer.out, "\" line-rate=\"%u.%04u\" "
	    "branch-rate=\"%u.%04u\" complexity=\"0\">\n", lines / 10000,
	    lines % 10000, branches / 10000, branches % 10000);
}

static bool
cobertura_add_branches(struct cobertura *x, uint32_t path,
    const struct cover_function *f)
{
	const struct cover_region *b = f->branches;

	for (; b != f->branches + f->branches_size; b++) {
		if (cover_file_has(x->writer.cover, path, f, b) &&
		    !ARRAY_ADD(x->branches, x->branches_size,
		    x->branches_room, *b))
			return false;
	}
	return true;
}

/*
 * The sides of branches up to a line that can be taken, from the branch *at on;
 * branches of instances at one place are one.
 */
static struct cover_part
cobertura_count_sides(const struct cobertura *x, size_t *at, uint64_t line)
{
	const struct cover_region *b, *first, *end;
	struct cover_part sides = { 0 };
	bool can[2], taken[2];

	if (*at == x->branches_size)
		return sides;
	b = x->branches + *at;
	end = x->branches + x->branches_size;
	while (b != end && b->start.line <= line) {
		can[0] = can[1] = taken[0] = taken[1] = false;
		for (first = b; b != end &&
		    cover_compare_regions(first, b) == 0; b++) {
			can[0] |= !b->folded;
			can[1] |= !b->other_folded;
			taken[0] |= !b->folded && b->count > 0;
			taken[1] |= !b->other_folded && b->other > 0;
		}
		sides.size += (uint64_t)can[0] + can[1];
		sides.covered += (uint64_t)taken[0] + taken[1];
	}
	*at = (size_t)(b - x->branches);
	return sides;
}

/* Writes the lines of a view, with the branches from `at` on, and an end. */
static enum prof_status
cobertura_put_lines(struct cobertura *x, const struct cover_view *v,
    size_t at, const char *end, struct prof_error *err)
{
	struct buf *b = &x->writer.out;
	struct cover_part sides;
	struct cover_lines l;

	if (x->branches_size > at)
		qsort(x->branches + at, x->branches_size - at,
		    sizeof(*x->branches), cover_compare_regions);
	buf_text(b, "<lines>\n");
	for (cover_lines_start(&l, v, x->writer.cover->options.release);
	    cover_lines_next(&l);) {
		if (l.mapped && cover_lines_check(&l, err) != PROF_OK)
			return PROF_FAIL;
		for (uint32_t i = 0; l.mapped && i < l.size; i++) {
			buf_print(b, "<line number=\"%u\" hits=\"%llu\"",
			    l.line + i, ull(l.count > INT32_MAX ? INT32_MAX :
			    l.count));
			sides = cobertura_count_sides(x, &at, l.line + i);
			if (sides.size > 0)
				buf_print(b, " branch=\"true\" "
				    "condition-coverage=\"%u%% (%llu/%llu)\"",
				    cover_share(sides, 100),
				    ull(sides.covered), ull(sides.size));
			buf_text(b, "/>\n");
			if (cover_writer_flush(&x->writer, WRITER_PIECE,
			    err) != PROF_OK)
				return PROF_FAIL;
		}
	}
	buf_print(b, "</lines>\n%s", end);
	return PROF_OK;
}

/* Signatures tell functions apart, even different ones of one name. */
static enum prof_status
cobertura_put_method(struct cobertura *x, const struct cover_entry *e,
    const struct cover_function *f, size_t branches, struct prof_error *err)
{
	struct cover *c = x->writer.cover;
	size_t known = x->names.size;
	struct cover_summary sum;

	if (e->start.line == 0)
		return PROF_OK;
	if (cover_tally_function(c, f, &sum, err) != PROF_OK)
		return PROF_FAIL;
	if (intern_add(&x->names, f->name.data, f->name.size) == INDEX_NONE)
		return err_memory(err);
	x->options->put_name(&x->text, f->name);
	cobertura_put_text(x, "<method name=\"", (struct prof_span){ 0 });
	cobertura_put_text(x, "\" signature=\"", f->name);
	if (x->names.size == known)
		buf_print(&x->writer.out, " %llx", ull(f->hash));
	cobertura_put_rates(x, &sum);
	return cobertura_put_lines(x, &c->tally.view, branches, "</method>\n",
	    err);
}

static enum prof_status
cobertura_put_class(struct cobertura *x, uint32_t path, size_t folder,
    struct prof_error *err)
{
	struct cover *c = x->writer.cover;
	struct prof_span name = c->paths.items[path];
	const struct cover_function *f;
	size_t branches;

	folder += folder < name.size && name.data[folder] == '/';
	cobertura_put_text(x, "<class name=\"", (struct prof_span){
	    name.data + folder, name.size - folder });
	cobertura_put_text(x, "\" filename=\"", name);
	cobertura_put_rates(x, &x->report->sums[path]);
	buf_text(&x->writer.out, "<methods>\n");
	intern_free(&x->names);
	cover_view_begin(&x->writer.view);
	x->branches_size = 0;
	for (size_t i = c->first[path]; i < c->first[path + 1]; i++) {
		f = cover_function_at(c, c->users[i]);
		branches = x->branches_size;
		if (!cobertura_add_branches(x, path, f) ||
		    !cover_view_add_function(&x->writer.view, f, path))
			return err_memory(err);
		if (cover_is_main_of(f, path) && cobertura_put_method(x,
		    &c->entries[c->users[i]], f, branches, err) != PROF_OK)
			return PROF_FAIL;
	}
	buf_text(&x->writer.out, "</methods>\n");
	return cover_view_end(&x->writer.view, err) == PROF_OK ?
	    cobertura_put_lines(x, &x->writer.view, 0, "</class>\n", err) :
	    PROF_FAIL;
}

/* By path, as the places in the list of sorted paths are. */
static int
folder_tie(const void *a, const void *b)
{
	return ((uintptr_t)a > (uintptr_t)b) - ((uintptr_t)a < (uintptr_t)b);
}

/* The files of a folder, which end where another folder begins. */
static enum prof_status
cobertura_put_package(struct cobertura *x, const struct radix_sort_item *f,
    const struct radix_sort_item *end, struct prof_error *err)
{
	struct cover_summary sum = { 0 };

	for (const struct radix_sort_item *i = f; i != end; i++)
		cover_summary_add(&sum,
		    &x->report->sums[*(const uint32_t *)i->thing]);
	cobertura_put_text(x, "<package name=\"", f->name.size > 0 ? f->name :
	    span_of_text("."));
	cobertura_put_rates(x, &sum);
	buf_text(&x->writer.out, "<classes>\n");
	for (; f != end; f++) {
		if (cobertura_put_class(x, *(const uint32_t *)f->thing,
		    f->name.size, err) != PROF_OK)
			return PROF_FAIL;
	}
	buf_text(&x->writer.out, "</classes>\n</package>\n");
	return PROF_OK;
}

static enum prof_status
cobertura_put_packages(struct cobertura *x, struct prof_error *err)
{
	const struct cover *c = x->writer.cover;
	struct radix_sort_item *files = calloc(c->sorted_size + 1,
	    sizeof(*files)), *f, *next;
	enum prof_status status = PROF_OK;

	if (files == NULL)
		return err_memory(err);
	for (size_t i = 0; i < c->sorted_size; i++) {
		files[i] = (struct radix_sort_item){
		    .name = c->paths.items[c->sorted[i]],
		    .thing = &c->sorted[i] };
		while (files[i].name.size > 0 &&
		    files[i].name.data[--files[i].name.size] != '/')
			;
	}
	radix_sort(files, c->sorted_size, folder_tie);
	for (f = files; f != files + c->sorted_size && status == PROF_OK;
	    f = next) {
		for (next = f; next != files + c->sorted_size &&
		    prof_span_compare(f->name, next->name) == 0;)
			next++;
		status = cobertura_put_package(x, f, next, err);
	}
	free(files);
	return status;
}

enum prof_status
cover_write_cobertura(const struct cover_report *r,
    const struct cover_cobertura_options *o, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	struct cobertura x = { .writer = { .cover = r->cover, .sink = sink,
	    .arg = arg }, .report = r, .options = o };
	const struct cover_summary *total = &r->total;
	enum prof_status status;

	buf_print(&x.writer.out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	    "<!DOCTYPE coverage SYSTEM \"http://cobertura.sourceforge.net/xml/"
	    "coverage-04.dtd\">\n"
	    "<coverage lines-valid=\"%llu\" lines-covered=\"%llu\" "
	    "branches-valid=\"%llu\" branches-covered=\"%llu\" "
	    "version=\"%s\" timestamp=\"%llu", ull(total->lines.size),
	    ull(total->lines.covered), ull(total->branches.size),
	    ull(total->branches.covered), PACKAGE_VERSION, ull(o->time));
	cobertura_put_rates(&x, total);
	cobertura_put_text(&x, "<sources>\n<source>", span_of_text(o->source));
	buf_text(&x.writer.out, "</source>\n</sources>\n<packages>\n");
	status = cobertura_put_packages(&x, err);
	buf_text(&x.writer.out, "</packages>\n</coverage>\n");
	if (status == PROF_OK)
		status = cover_writer_flush(&x.writer, 0, err);
	cover_writer_free(&x.writer);
	free(x.branches);
	intern_free(&x.names);
	buf_free(&x.text);
	return status;
}
