/* Lines of a cover before and after some are excluded. */
#include "cover/cover.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/test.h"

struct row {
	const char *name;
	/* Of functions: a letter, then "L1:C1-L2:C2=COUNT" of each region. */
	const char *functions;
	const char *excluded;		/* "FIRST-LAST ..." */
	const char *lines;		/* "LINE=COUNT ..." of mapped ones */
	const char *branches;		/* excluded for branches; or NULL */
	size_t left;			/* branches; each region has one */
};

#define NESTED	"f 1:10-10:2=5 4:9-6:4=2"

static const struct row rows[] = {
	{ "all", NESTED, "", "1=5 2=5 3=5 4=5 5=2 6=2 7=5 8=5 9=5 10=5",
	    NULL, 2 },
	{ "a whole region", NESTED, "3-7", "1=5 2=5 8=5 9=5 10=5", NULL, 1 },
	{ "one line of it", NESTED, "5-5",
	    "1=5 2=5 3=5 4=5 6=2 7=5 8=5 9=5 10=5", NULL, 2 },
	{ "where it begins", NESTED, "3-4", "1=5 2=5 5=2 6=2 7=5 8=5 9=5 10=5",
	    NULL, 1 },
	{ "where it ends", NESTED, "6-7", "1=5 2=5 3=5 4=5 5=2 8=5 9=5 10=5",
	    NULL, 2 },
	{ "the first line", NESTED, "1-1",
	    "2=5 3=5 4=5 5=2 6=2 7=5 8=5 9=5 10=5", NULL, 1 },
	{ "all but two lines", NESTED, "0-4 7-4000000000", "5=2 6=2", NULL, 0 },
	{ "every other line", NESTED, "1-1 3-3 5-5 7-7 9-9",
	    "2=5 4=5 6=2 8=5 10=5", NULL, 1 },
	{ "a function", NESTED " g 20:1-22:2=7", "1-12", "20=7 21=7 22=7", NULL,
	    1 },
	{ "all of it", NESTED, "1-10", "", NULL, 0 },
	{ "regions with one end", "f 1:1-10:2=5 4:3-10:2=2 7:3-10:2=0", "5-8",
	    "1=5 2=5 3=5 4=5 9=0 10=0", NULL, 2 },
	/* A function inside another one, as a lambda is. */
	{ "between them", "f 1:1-9:2=5 g 4:5-8:6=0", "0-5 7-90", "6=0", NULL,
	    0 },
	{ "one line, columns count", "f 1:1-9:2=5 4:5-4:9=0 4:7-9:2=3", "4-4",
	    "1=5 2=5 3=5 5=3 6=3 7=3 8=3 9=3", NULL, 1 },
	{ "branches", NESTED, "", "1=5 2=5 3=5 4=5 5=2 6=2 7=5 8=5 9=5 10=5",
	    "4-4", 1 },
};

static void
take_lines(struct cover_line_set *s, const char *text)
{
	unsigned first, last;
	int size;

	for (; sscanf(text, " %u-%u%n", &first, &last, &size) == 2;
	    text += size)
		check(cover_lines_add(s, first, last), "memory");
}

/* Adds the functions of a text. */
static void
add_functions(struct cover *c, const char *text)
{
	static uint32_t files[1];
	struct cover_region all[8], r;
	unsigned long long count;
	char name[2];
	int size;

	while (sscanf(text, " %1[a-z]%n", name, &size) == 1) {
		struct cover_function f = { .files = files, .files_size = 1,
		    .name = arena_copy(&c->arena, span_of_text(name)) };
		uint32_t *p[] = { &r.start.line, &r.start.column, &r.end.line,
		    &r.end.column };

		r = (struct cover_region){ 0 };
		for (text += size; sscanf(text, " %u:%u-%u:%u=%llu%n", p[0],
		    p[1], p[2], p[3], &count, &size) == 5; text += size) {
			r.count = count;
			all[f.regions_size++] = r;
		}
		f.branches_size = f.regions_size;
		for (unsigned i = 0; i < 2; i++)
			*(i == 0 ? &f.regions : &f.branches) = (void *)(
			    uintptr_t)arena_copy(&c->arena,
			    (struct prof_span){ (void *)all,
			    f.regions_size * sizeof(*all) }).data;
		check(cover_function_link(&c->arena, &f) &&
		    cover_put_function(c, &f), "function %s", name);
	}
}

/* The mapped lines of the first path, and how many branches are left. */
static size_t
put_lines(struct cover *c, struct buf *out)
{
	struct cover_view v = { 0 };
	struct prof_error err = { 0 };
	struct cover_lines l;
	size_t branches = 0;

	for (size_t i = 0; i < c->entries_size; i++) {
		const struct cover_function *f = cover_function_at(c, i);

		for (size_t k = 0; k < f->regions_size; k++)
			check(cover_view_add(&v, &f->regions[k]), "region");
		branches += f->branches_size;
	}
	check(cover_view_end(&v, &err) == PROF_OK, "view");
	for (cover_lines_start(&l, &v, c->options.release);
	    cover_lines_next(&l);) {
		for (uint32_t i = 0; i < l.size && l.mapped; i++)
			buf_print(out, "%s%u=%llu", out->size > 0 ? " " : "",
			    l.line + i, (unsigned long long)l.count);
	}
	cover_view_free(&v);
	buf_u8(out, '\0');
	return branches;
}

static void
run_row(const struct row *row, unsigned release)
{
	struct cover_options options = { .release = release };
	struct cover_excluded of = { 0 };
	struct prof_error err = { 0 };
	struct buf out = { 0 };
	struct cover c;

	check(cover_init(&c, &options), "init");
	intern_add(&c.paths, "a.c", 3);
	add_functions(&c, row->functions);
	take_lines(&of.lines, row->excluded);
	if (row->branches != NULL)
		take_lines(&of.branches, row->branches);
	check(cover_finish(&c, &err) == PROF_OK && cover_exclude(&c, &of,
	    &err) == PROF_OK, "%s: %s", row->name, err.reason);
	check(put_lines(&c, &out) == row->left, "%s: branches", row->name);
	check(strcmp((char *)out.data, row->lines) == 0, "%s: %s", row->name,
	    (char *)out.data);
	check(c.sorted_size == (*row->lines != '\0'), "%s: file", row->name);
	free(of.lines.items);
	free(of.branches.items);
	buf_free(&out);
	cover_free(&c);
}

/* A line that begins with what is skipped has no count up to LLVM 16. */
static void
check_skipped(void)
{
	const struct cover_region list[] = {
		{ .start = { 7, 1 }, .end = { 9, 9 }, .count = 5 },
		{ .start = { 8, 1 }, .end = { 8, 4 }, .kind = COVER_SKIPPED },
		{ .start = { 8, 18 }, .end = { 8, 20 }, .count = 3 },
	};
	struct prof_error err = { 0 };
	struct cover_view v = { 0 };
	struct cover_lines l;

	for (size_t i = 0; i < COUNT(list); i++)
		check(cover_view_add(&v, &list[i]), "region");
	check(cover_view_end(&v, &err) == PROF_OK, "view");
	cover_lines_start(&l, &v, 15);
	check(cover_lines_next(&l) && l.line == 7 && l.count == 5, "line 7");
	check(cover_lines_next(&l) && l.line == 8 && !l.mapped && l.count == 0,
	    "line 8: %llu", (unsigned long long)l.count);
	cover_view_free(&v);
}

int
main(void)
{
	check_skipped();
	for (size_t i = 0; i < COUNT(rows); i++) {
		run_row(&rows[i], 22);
		run_row(&rows[i], 15);
	}
	return done_testing();
}
