/* cmd/cover/select.c - files, lines, changes and tests that are looked at */
#include "config.h"

#include <fnmatch.h>

#include "base/error.h"
#include "cmd/cover/page.h"
#include "cmd/cover/run.h"
#include "cover/writer.h"
#include "io/input.h"

void
cover_tell(const struct cli *c, uint64_t line, const char *format, ...)
{
	struct prof_error warning = { .offset = line };
	va_list args;

	if (line > 0)
		warning.where = PROF_AT_LINE;
	va_start(args, format);
	vsnprintf(warning.reason, sizeof(warning.reason), format, args);
	va_end(args);
	cli_warn((void *)(uintptr_t)c, &warning);
}

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
	unsigned inputs = s->diff != NULL && strcmp(s->diff, "-") == 0;
	const struct cli_list *maps = &s->maps;
	const char *from, *end;

	for (size_t i = 0; i < c->inputs.size; i++)
		inputs += strcmp(c->inputs.items[i].path, "-") == 0;
	if (inputs > 1)
		cli_usage_error(c, "standard input can be read once only");
	if (s->covering != NULL && s->tests.size == 0)
		cli_usage_error(c, "--covering needs --test");
	if (s->has_least && s->diff == NULL)
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
	enum prof_status status = PROF_FAIL;

	if (s->diff == NULL)
		return PROF_OK;
	c->inputs.file = s->diff;
	in = input_open(s->diff, 0, NULL, &c->err);
	if (in != NULL && input_next(in, &m, &c->err) == PROF_OK &&
	    input_image(in, &text, &c->err) == PROF_OK)
		status = cover_diff_read(&s->changes, text, &c->err);
	input_close(in);
	if (status == PROF_OK)
		c->inputs.file = NULL;
	return status;
}

/* Adds the lines of another set. */
static bool
select_unite(struct cover_line_set *s, const struct cover_line_set *other)
{
	struct cover_line_set sum = { 0 };
	const struct cover_range *r;
	size_t i = 0, k = 0;
	bool fits = true;

	while (fits && (i < s->size || k < other->size)) {
		if (k == other->size || (i < s->size && s->items[i].first <
		    other->items[k].first))
			r = &s->items[i++];
		else
			r = &other->items[k++];
		fits = cover_lines_add(&sum, r->first, r->last);
	}
	free(s->items);
	*s = sum;
	return fits;
}

/* A path as text; valid until the next call.  NULL: out of memory. */
static const char *
select_text(struct cover_selection *s, struct prof_span path)
{
	s->text.size = 0;
	buf_put(&s->text, path.data, path.size);
	buf_u8(&s->text, '\0');
	return s->text.failed ? NULL : (const char *)s->text.data;
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

struct marked {
	const struct cli *cli;
	struct cover_excluded *of;
	uint32_t started[2];		/* lines of _START and _BR_START */
	bool failed;
};

/* What stands behind the prefix of a marker on a line. */
static void
marked_take(struct marked *m, const char *word, size_t size, uint32_t line)
{
	static const char *const words[] = { "_LINE", "_START", "_STOP",
	    "_BR_LINE", "_BR_START", "_BR_STOP" };
	unsigned kind = 0;
	struct cover_line_set *set;
	uint32_t *started;

	while (kind < 6 && (strlen(words[kind]) != size || memcmp(words[kind],
	    word, size) != 0))
		kind++;
	if (kind == 6)
		return;
	set = kind < 3 ? &m->of->lines : &m->of->branches;
	started = &m->started[kind / 3];
	if (kind % 3 == 0 && *started == 0) {
		m->failed |= !cover_lines_add(set, line, line);
	} else if (kind % 3 == 1) {
		if (*started != 0)
			cover_tell(m->cli, line, "a marker %s inside another, "
			    "of line %u", words[kind], *started);
		*started = *started == 0 ? line : *started;
	} else if (kind % 3 == 2 && *started == 0) {
		cover_tell(m->cli, line, "a marker %s without a start",
		    words[kind]);
	} else if (kind % 3 == 2) {
		m->failed |= !cover_lines_add(set, *started, line);
		*started = 0;
	}
}

/*
 * Adds the lines that comments with a prefix exclude; the cli names the source.
 * False if out of memory.
 */
static bool
marked_read(const struct cli *c, struct prof_span text, const char *prefix,
    struct cover_excluded *of)
{
	struct marked m = { .cli = c, .of = of };
	const char *p = (const char *)text.data, *end = p + text.size, *word;
	const char *counted = p;
	size_t size = strlen(prefix), length;
	uint32_t line = 1;

	while ((word = memmem(p, (size_t)(end - p), prefix, size)) != NULL) {
		for (; counted != word; counted++)
			line += *counted == '\n';
		p = word += size;
		for (length = 0; word + length != end && (word[length] == '_' ||
		    (word[length] >= 'A' && word[length] <= 'Z')); length++)
			;
		marked_take(&m, word, length, line);
	}
	for (unsigned i = 0; i < 2; i++) {
		if (m.started[i] == 0)
			continue;
		cover_tell(c, m.started[i], "a marker %s without a stop: the "
		    "rest of the file is excluded", i > 0 ? "_BR_START" :
		    "_START");
		m.failed |= !cover_lines_add(i > 0 ? &of->branches :
		    &of->lines, m.started[i], UINT32_MAX);
	}
	return !m.failed;
}

/* Takes out the lines of a source that its comments exclude. */
static bool
select_by_markers(struct cover_selection *s, struct cli *c,
    struct prof_span source, struct cover_excluded *of)
{
	const char *prefixes[] = { s->word == NULL ? "LCOV_EXCL" : s->word,
	    "GCOVR_EXCL" };
	struct cover_excluded one;
	bool fits = true;

	for (unsigned i = 0; i < (s->word == NULL ? 2 : 1) && fits; i++) {
		one = (struct cover_excluded){ 0 };
		fits = marked_read(c, source, prefixes[i], &one) &&
		    select_unite(&of->lines, &one.lines) &&
		    select_unite(&of->branches, &one.branches);
		free(one.lines.items);
		free(one.branches.items);
	}
	return fits;
}

/* Hides files by their paths; only the others stay in the sorted list. */
static bool
select_files(struct cover_selection *s, struct cover *to)
{
	size_t size = to->sorted_size;
	struct cover_excluded *of;
	const char *path = "";

	to->sorted_size = 0;
	for (size_t i = 0; i < size && path != NULL; i++) {
		of = &s->of[to->sorted[i]];
		path = select_text(s, to->paths.items[to->sorted[i]]);
		of->hidden = path != NULL && ((s->include.size > 0 &&
		    !select_matches(&s->include, path)) ||
		    select_matches(&s->exclude, path));
		if (!of->hidden)
			to->sorted[to->sorted_size++] = to->sorted[i];
	}
	return path != NULL;
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
		c->inputs.file = select_text(s, to->paths.items[path]);
		if (!cover_read_source(to, path, &source))
			missing++;
		else
			fits = c->inputs.file != NULL && select_by_markers(s,
			    c, buf_span(&source), &s->of[path]);
		c->inputs.file = NULL;
	}
	buf_free(&source);
	if (missing > 0)
		cover_tell(c, 0, "%zu sources cannot be read: their markers do "
		    "not count", missing);
	return fits;
}

/* Whether a name is that of a source; most headers have no code. */
static bool
select_is_source(const char *path)
{
	static const char *const suffixes[] = { ".c", ".cc", ".cpp", ".cxx",
	    ".C", ".m", ".mm", ".rs", ".swift" };
	const char *dot = path == NULL ? NULL : strrchr(path, '.');

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		if (dot != NULL && strcmp(dot, suffixes[i]) == 0)
			return true;
	}
	return false;
}

/* Finds the files of the changes. */
static enum prof_status
select_find_changes(struct cover_selection *s, struct cli *c,
    const struct cover *to)
{
	struct cover_path_index x = { 0 };
	enum prof_status status = cover_path_index_init(&x, to) ? PROF_OK :
	    err_memory(&c->err);
	char shown[2][ERR_NAME_SIZE];
	const struct cover_change *one = s->changes.items;
	uint32_t path;

	for (size_t i = 0; i < s->changes.size && status == PROF_OK;
	    i++, one++) {
		if (one->lines.size == 0)
			continue;
		status = cover_path_find(&x, one->path, &path, &c->err);
		if (status != PROF_OK)
			break;
		if (path == INDEX_NONE) {
			if (select_is_source(select_text(s, one->path)))
				cover_tell(c, 0, "%s is changed, but in no "
				    "binary", err_name(shown[0], one->path));
		} else if (s->changed[path] != NULL)
			status = err_set(&c->err, PROF_E_USE, "%s and %s are "
			    "one file of the binaries", err_name(shown[0],
			    s->changed[path]->path), err_name(shown[1],
			    one->path));
		else
			s->changed[path] = one;
	}
	cover_path_index_free(&x);
	return status;
}

/* Takes out all lines of a file but those that are changed. */
static bool
select_changed_lines(const struct cover_change *change,
    struct cover_excluded *of)
{
	struct cover_line_set rest = { 0 };
	const struct cover_range *r;
	uint32_t next = 0;
	bool fits = true;

	for (size_t i = 0; i < change->lines.size && fits; i++) {
		r = &change->lines.items[i];
		fits = r->first == next || cover_lines_add(&rest, next,
		    r->first - 1);
		next = r->last + 1;
	}
	fits = fits && cover_lines_add(&rest, next, UINT32_MAX) &&
	    select_unite(&of->lines, &rest);
	free(rest.items);
	return fits;
}

enum prof_status
cover_select(struct cover_selection *s, struct cli *c, struct cover *to,
    bool keep_unchanged)
{
	const bool patch = s->diff != NULL && !keep_unchanged;
	bool fits;

	s->of_size = to->paths.size;
	s->of = calloc(s->of_size + 1, sizeof(*s->of));
	s->changed = calloc(s->of_size + 1, sizeof(*s->changed));
	if (s->of == NULL || s->changed == NULL || !select_files(s, to))
		return err_memory(&c->err);
	if (s->diff != NULL && select_find_changes(s, c, to) != PROF_OK)
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

/* Counts the changed lines of a view, and lists those that did not run. */
static void
select_measure_file(struct cover_selection *s, const struct cover *to,
    uint32_t path, const struct cover_view *v)
{
	const struct cover_line_set *set = &s->changed[path]->lines;
	struct prof_span name = to->paths.items[path];
	struct cover_lines l;

	for (cover_lines_start(&l, v, to->options.release);
	    cover_lines_next(&l);) {
		for (size_t i = cover_lines_from(set, l.line); l.mapped &&
		    i < set->size && set->items[i].first < l.line +
		    (uint64_t)l.size; i++) {
			const struct cover_range *r = &set->items[i];
			uint64_t line = r->first > l.line ? r->first : l.line;

			for (; line <= r->last && line < l.line +
			    (uint64_t)l.size; line++) {
				s->lines++;
				s->ran += l.count > 0;
				if (l.count > 0)
					continue;
				buf_put(&s->missed, name.data, name.size);
				buf_print(&s->missed, ":%llu\n", ull(line));
			}
		}
	}
}

enum prof_status
cover_measure_changes(struct cover_selection *s, struct cli *c,
    struct cover *to)
{
	enum prof_status status = PROF_OK;
	struct cover_view v = { 0 };

	for (size_t i = 0; i < to->sorted_size && s->diff != NULL &&
	    status == PROF_OK; i++) {
		if (s->changed[to->sorted[i]] == NULL)
			continue;
		status = cover_view_file(to, to->sorted[i], &v, &c->err);
		if (status == PROF_OK)
			select_measure_file(s, to, to->sorted[i], &v);
	}
	cover_view_free(&v);
	if (status != PROF_OK || s->missed.failed)
		return err_memory(&c->err);
	if (!s->has_least)
		return PROF_OK;
	if (s->lines == 0)
		cover_tell(c, 0, "no changed line has code");
	else if ((double)s->ran * 100 < s->least * (double)s->lines) {
		message_print("%s: %llu of %llu changed lines ran, which is "
		    "less than %g%%\n", c->name, ull(s->ran), ull(s->lines),
		    s->least);
		c->report.unclean = true;
	}
	return PROF_OK;
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
	struct cover_path_index index = { 0 };
	enum prof_status status = PROF_FAIL;
	struct prof_span path = { (const uint8_t *)s->covering, 0 };

	if (colon == NULL || !cli_is_number(colon + 1, 1, UINT32_MAX, &x.line))
		return err_set(&c->err, PROF_E_USE, "--covering needs "
		    "PATH:LINE");
	path.size = (size_t)(colon - s->covering);
	if (!cover_path_index_init(&index, to))
		err_memory(&c->err);
	else if (cover_path_find(&index, path, &x.path, &c->err) == PROF_OK)
		status = x.path == INDEX_NONE ? err_set(&c->err, PROF_E_USE,
		    "--covering: no binary has this file") : cover_each_test(
		    to, x.path, false, covering_visit, &x, &c->err);
	cover_path_index_free(&index);
	cover_view_free(&x.view);
	return status;
}

const struct cover_range *
cover_changed_lines(const void *selection, uint32_t path,
    const struct cover_range **end)
{
	const struct cover_selection *s = selection;
	const struct cover_change *change = s->changed[path];

	*end = change == NULL ? NULL : change->lines.items +
	    change->lines.size;
	return change == NULL ? NULL : change->lines.items;
}

void
cover_selection_free(struct cover_selection *s)
{
	const struct cli_list *lists[] = { &s->include, &s->exclude, &s->maps,
	    &s->tests };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		free(lists[i]->items);
	for (size_t i = 0; i < s->of_size; i++) {
		free(s->of[i].lines.items);
		free(s->of[i].branches.items);
	}
	free(s->of);
	free(s->changed);
	free(s->path_maps);
	buf_free(&s->text);
	buf_free(&s->missed);
	cover_diff_free(&s->changes);
}
