/* cmd/cover/select.c - files, lines, changes and tests that are looked at */
#include "config.h"

#include <fnmatch.h>

#include "base/error.h"
#include "cmd/cover/run.h"
#include "cover/writer.h"
#include "format/codec.h"
#include "io/input.h"

static struct prof_span
select_without_slash(const char *text, size_t size)
{
	size -= size > 0 && text[size - 1] == '/';
	return (struct prof_span){ (const uint8_t *)text, size };
}

static int
select_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Tests are numbered in the order of their names. */
static void
select_name_tests(const struct cover_selection *s, const struct cli *c,
    struct intern *tests)
{
	const struct cli_list *l = &s->tests;
	bool fits = l->size == 0 || intern_add(tests, "", 0) != INDEX_NONE;

	if (l->size > 1)
		qsort(l->items, l->size, sizeof(*l->items), select_compare);
	for (size_t i = 0; i < l->size && fits; i++)
		fits = intern_add(tests, l->items[i], strlen(l->items[i])) !=
		    INDEX_NONE;
	if (!fits)
		cli_out_of_memory(c);
}

void
cover_select_begin(struct cover_selection *s, const struct cli *c,
    struct cover *to)
{
	const struct cli_list *maps = &s->maps;
	const char *from, *end;

	if (s->covering != NULL && s->tests.size == 0)
		cli_usage_error(c, "--covering needs --test");
	if (s->has_least && s->diffs.size == 0)
		cli_usage_error(c, "--fail-under-diff needs --diff");
	s->path_maps = calloc(maps->size + 1, sizeof(*s->path_maps));
	if (s->path_maps == NULL)
		cli_out_of_memory(c);
	for (size_t i = 0; i < maps->size; i++) {
		from = maps->items[i];
		end = strchr(from, '=');
		if (end == NULL || end == from)
			cli_usage_error(c, "--path-map needs FROM=TO");
		s->path_maps[i].from = select_without_slash(from,
		    (size_t)(end - from));
		s->path_maps[i].to = select_without_slash(end + 1,
		    strlen(end + 1));
	}
	to->options.path_maps = s->path_maps;
	to->options.path_maps_size = maps->size;
	select_name_tests(s, c, &to->tests);
}

enum prof_status
cover_select_read_diff(struct cover_selection *s, struct cli *c)
{
	struct input_member m;
	struct prof_span text;
	struct input *in;
	enum prof_status status = PROF_OK;

	for (size_t i = 0; i < s->diffs.size && status == PROF_OK; i++) {
		c->inputs.file = s->diffs.items[i];
		in = input_open(c->inputs.file, 0, NULL, &c->err);
		status = PROF_FAIL;
		if (in != NULL && input_next(in, &m, &c->err) == PROF_OK &&
		    input_image(in, &text, &c->err) == PROF_OK)
			status = cover_diff_read(&s->changes, text, &c->err);
		input_close(in);
	}
	if (status == PROF_OK)
		c->inputs.file = NULL;
	return status;
}

static bool
select_matches(const struct cli_list *globs, const char *path)
{
	for (size_t i = 0; i < globs->size; i++) {
		if (fnmatch(globs->items[i], path, 0) == 0)
			return true;
	}
	return false;
}

/* Hides files by their paths; only the others stay in the sorted list. */
static void
select_files(const struct cover_selection *s, struct cover *to,
    struct cover_excluded *of)
{
	size_t size = to->sorted_size;
	const char *path;
	bool *hidden;

	to->sorted_size = 0;
	for (size_t i = 0; i < size; i++) {
		hidden = &of[to->sorted[i]].hidden;
		path = (const char *)to->paths.items[to->sorted[i]].data;
		*hidden = (s->include.size > 0 &&
		    !select_matches(&s->include, path)) ||
		    select_matches(&s->exclude, path);
		if (!*hidden)
			to->sorted[to->sorted_size++] = to->sorted[i];
	}
}

/*
 * Finds the next marker, of lcov or that of the user (NULL: none), and goes on
 * behind it.
 */
static const char *
select_next_marker(const char *at, const char *end, const char *own)
{
	const char *words[] = { "LCOV_EXCL", own }, *found, *first = NULL;

	for (unsigned i = 0; i < 2 && words[i] != NULL; i++) {
		found = memmem(at, (size_t)(end - at), words[i],
		    strlen(words[i]));
		if (found != NULL && (first == NULL ||
		    found + strlen(words[i]) < first))
			first = found + strlen(words[i]);
	}
	return first;
}

/*
 * Adds the lines that comments of a source exclude, which ends with NUL; the
 * cli names it.  False if out of memory.
 */
static bool
select_by_markers(const struct cli *c, const char *own,
    const struct buf *source, struct cover_excluded *of)
{
	static const char *const words[] = { "_LINE", "_START", "_STOP",
	    "_BR_LINE" };
	const char *p = (const char *)source->data, *at, *next;
	const char *end = p + source->size - 1;
	uint32_t line = 1, started = 0;
	bool fits = true;

	for (; p != end && fits; p = next, line++) {
		next = memchr(p, '\n', (size_t)(end - p));
		next = next == NULL ? end : next + 1;
		for (at = p; (at = select_next_marker(at, next, own)) !=
		    NULL;) {
			unsigned kind = 0;
			size_t size;

			size = strspn(at, "_ABCDEFGHIJKLMNOPQRSTUVWXYZ");
			while (kind < 4 && (strlen(words[kind]) != size ||
			    memcmp(words[kind], at, size) != 0))
				kind++;
			if (kind == 0 && started == 0)
				fits &= cover_lines_add(&of->lines, line, line);
			else if (kind == 1 && started == 0)
				started = line;
			else if (kind == 2 && started == 0)
				warn_line(c->context, line, "a marker _STOP "
				    "without a start");
			else if (kind == 2)
				fits &= cover_lines_add(&of->lines, started,
				    line);
			else if (kind == 3)
				fits &= cover_lines_add(&of->branches, line,
				    line);
			started = kind == 2 ? 0 : started;
		}
	}
	if (started == 0)
		return fits;
	warn_line(c->context, started, "a marker _START without a stop: the "
	    "rest of the file is excluded");
	return fits && cover_lines_add(&of->lines, started, UINT32_MAX);
}

/* Takes out lines by the comments of all sources that are looked at. */
static bool
select_lines(struct cover_selection *s, struct cli *c, const struct cover *to)
{
	struct buf source = { 0 };
	size_t missing = 0;
	bool fits = true;

	for (size_t i = 0; i < to->sorted_size && fits; i++) {
		uint32_t path = to->sorted[i];

		if (s->of[path].hidden)
			continue;
		if (!cover_read_source(to, path, &source)) {
			missing++;
			continue;
		}
		buf_u8(&source, '\0');
		c->inputs.file = (const char *)to->paths.items[path].data;
		fits = !source.failed && select_by_markers(c, s->word,
		    &source, &s->of[path]);
		c->inputs.file = NULL;
	}
	buf_free(&source);
	if (missing > 0)
		warn_set(c->context, "sources that cannot be read, whose "
		    "markers do not count: %zu", missing);
	return fits;
}

/* Finds the files of the changes. */
static enum prof_status
select_find_changes(struct cover_selection *s, struct cli *c,
    const struct cover *to)
{
	const struct cover_change *one = s->changes.items, *missing = NULL;
	char shown[2][ERR_NAME_SIZE];
	bool found = false;
	uint32_t path;

	for (size_t i = 0; i < s->changes.size; i++, one++) {
		if (one->lines.size == 0)
			continue;
		if (cover_path_find(to, one->path, &path, &c->err) != PROF_OK)
			return PROF_FAIL;
		if (path != INDEX_NONE && s->changed[path] != NULL)
			return err_set(&c->err, PROF_E_USE, "%s and %s are one "
			    "file, which one diff of all commits is needed for",
			    err_name(shown[0], s->changed[path]->path),
			    err_name(shown[1], one->path));
		if (path != INDEX_NONE)
			s->changed[path] = one;
		found |= path != INDEX_NONE;
		missing = one;
	}
	if (!found && missing != NULL)
		warn_set(c->context, "no binary has a file of the diff, such "
		    "as %s", err_name(shown[0], missing->path));
	return PROF_OK;
}

/* Takes out all lines of a file but those that are changed. */
static bool
select_changed_lines(const struct cover_change *change,
    struct cover_excluded *of)
{
	struct cover_line_set rest = { 0 };
	const struct cover_range *r = change->lines.items;
	const struct cover_range *end = r + change->lines.size;
	uint32_t next = 0, line;
	bool fits = true;

	for (; r != end; r++) {
		for (line = (uint32_t)r->first; line <= r->last; line++) {
			if (cover_lines_have(&of->lines, line))
				continue;
			fits = fits && (line == next || cover_lines_add(&rest,
			    next, line - 1));
			next = line + 1;
		}
	}
	free(of->lines.items);
	of->lines = rest;
	return fits && cover_lines_add(&of->lines, next, UINT32_MAX);
}

enum prof_status
cover_select(struct cover_selection *s, struct cli *c, struct cover *to,
    bool keep_unchanged)
{
	const bool patch = s->diffs.size != 0 && !keep_unchanged;
	bool fits;

	s->of_size = to->paths.size;
	s->of = calloc(s->of_size + 1, sizeof(*s->of));
	s->changed = calloc(s->of_size + 1, sizeof(*s->changed));
	if (s->of == NULL || s->changed == NULL)
		return err_memory(&c->err);
	select_files(s, to, s->of);
	if (select_find_changes(s, c, to) != PROF_OK)
		return PROF_FAIL;
	for (size_t i = 0; i < s->of_size && patch; i++)
		s->of[i].hidden = s->changed[i] == NULL;
	fits = !s->markers || select_lines(s, c, to);
	for (size_t i = 0; i < s->of_size && patch && fits; i++)
		fits = s->changed[i] == NULL || select_changed_lines(
		    s->changed[i], &s->of[i]);
	if (!fits)
		return err_memory(&c->err);
	return s->markers || s->include.size + s->exclude.size > 0 || patch ?
	    cover_exclude(to, s->of, &c->err) : PROF_OK;
}

enum prof_status
cover_select_base(struct cover_selection *s, struct cli *c, struct cover *base)
{
	s->of_base = calloc((size_t)base->paths.size + 1, sizeof(*s->of_base));
	if (s->of_base == NULL)
		return err_memory(&c->err);
	select_files(s, base, s->of_base);
	return s->include.size + s->exclude.size > 0 ? cover_exclude(base,
	    s->of_base, &c->err) : PROF_OK;
}

/* Counts the changed lines of a view, and lists those that did not run. */
static enum prof_status
select_measure_file(struct cover_selection *s, const struct cover *to,
    uint32_t path, const struct cover_view *v, struct prof_error *err)
{
	struct prof_span name = to->paths.items[path];
	struct cover_lines l;

	for (cover_lines_start(&l, v, to->options.release);
	    cover_lines_next(&l);) {
		if (!l.mapped)
			continue;
		if (cover_lines_check(&l, err) != PROF_OK)
			return PROF_FAIL;
		for (uint32_t line = l.line; line < l.line + l.size; line++) {
			if (!cover_lines_have(&s->changed[path]->lines, line))
				continue;
			s->lines.size++;
			s->lines.covered += l.count > 0;
			if (l.count > 0)
				continue;
			buf_put(&s->missed, name.data, name.size);
			buf_print(&s->missed, ":%u\n", line);
		}
	}
	return s->missed.failed ? err_memory(err) : PROF_OK;
}

enum prof_status
cover_measure_changes(struct cover_selection *s, struct cli *c,
    struct cover *to)
{
	const struct cover_part *p = &s->lines;
	enum prof_status status = PROF_OK;
	struct cover_view v = { 0 };
	uint32_t path;

	for (size_t i = 0; i < to->sorted_size && status == PROF_OK; i++) {
		path = to->sorted[i];
		if (s->changed[path] == NULL)
			continue;
		status = cover_view_file(to, path, &v, &c->err);
		if (status == PROF_OK)
			status = select_measure_file(s, to, path, &v, &c->err);
	}
	cover_view_free(&v);
	if (s->has_least && status == PROF_OK && p->size == 0)
		warn_set(c->context, "no changed line has code");
	if ((double)p->covered * 100 < s->least * (double)p->size) {
		message_print("%s: %llu of %llu changed lines ran, which is "
		    "less than %g%%\n", c->name, ull(p->covered),
		    ull(p->size), s->least);
		c->report.unclean = true;
	}
	return status;
}

/* A line that tests are asked for. */
struct covering {
	uint32_t path;
	uint64_t line;
	struct cover_view view;
	struct buf *out;
};

/* A cover_visit: the name of the test, if it ran the line. */
static enum prof_status
covering_visit(void *arg, struct cover *t, struct prof_error *err)
{
	struct covering *x = arg;
	struct cover_lines l;

	if (cover_view_file(t, x->path, &x->view, err) != PROF_OK)
		return PROF_FAIL;
	for (cover_lines_start(&l, &x->view, t->options.release);
	    cover_lines_next(&l);) {
		if (l.mapped && l.count > 0 && x->line >= l.line &&
		    x->line - l.line < l.size) {
			buf_put(x->out, t->test.data, t->test.size);
			buf_u8(x->out, '\n');
		}
	}
	return PROF_OK;
}

enum prof_status
cover_put_covering(const struct cover_selection *s, struct cli *c,
    struct cover *to, struct buf *out)
{
	const char *colon = strrchr(s->covering, ':');
	struct covering x = { .out = out };
	enum prof_status status;
	struct prof_span path = { (const uint8_t *)s->covering, 0 };

	if (colon == NULL || !cli_is_number(colon + 1, 1, UINT32_MAX, &x.line))
		return err_set(&c->err, PROF_E_USE, "--covering needs "
		    "PATH:LINE");
	path.size = (size_t)(colon - s->covering);
	if (cover_path_find(to, path, &x.path, &c->err) != PROF_OK)
		return PROF_FAIL;
	status = x.path == INDEX_NONE ? err_set(&c->err, PROF_E_USE,
	    "--covering: no binary has this file") : cover_each_test(to,
	    x.path, false, covering_visit, &x, &c->err);
	cover_view_free(&x.view);
	return status;
}

void
cover_selection_free(struct cover_selection *s)
{
	const struct cli_list *lists[] = { &s->include, &s->exclude, &s->maps,
	    &s->tests, &s->diffs };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		free(lists[i]->items);
	for (size_t i = 0; i < s->of_size; i++) {
		free(s->of[i].lines.items);
		free(s->of[i].branches.items);
	}
	free(s->of);
	free(s->of_base);
	free(s->changed);
	free(s->path_maps);
	buf_free(&s->missed);
	cover_diff_free(&s->changes);
}
