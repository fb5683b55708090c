/* Coverage of binaries by a sum: files, their lines, functions and numbers. */
#include "libprof/cover.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cover/cover.h"
#include "cover/writer.h"
#include "io/input.h"
#include "libprof/private.h"

enum { COVER_RELEASE = 22 };		/* of LLVM, whose rules count */

struct prof_cover {
	struct prof *p;
	struct cover_counts *counts;
	struct cover cover;
	bool failed, finished;
	size_t next_file;		/* among the sorted ones */
	/* Of the current file. */
	uint32_t path;
	size_t next_function;		/* among its users */
	struct cover_view view;
	struct cover_lines lines;
	uint32_t line, lines_left;
	struct cover_summary summary;
};

static int
cover_keep_item(void *writer, const struct prof_item *item)
{
	struct prof_error err;

	return prof_put(writer, item_record(item), &err) == PROF_OK ? 0 : -1;
}

struct prof_cover *
prof_cover_new(struct prof_sum *sum)
{
	struct cover_options options = { .release = COVER_RELEASE };
	struct prof *p = sum_owner(sum);
	struct prof_cover *c = calloc(1, sizeof(*c));
	struct prof_writer *w = NULL;
	bool done;

	problem_begin(p);
	if (c != NULL && cover_init(&c->cover, &options))
		c->counts = cover_counts_new();
	if (c != NULL && c->counts != NULL)
		w = cover_counts_writer(c->counts, &p->problem.error);
	done = w != NULL && prof_sum_visit(sum, cover_keep_item, w) == 0;
	/* Nothing but memory can be missing to the writer. */
	if (w == NULL || (!done && p->problem.error.code == PROF_E_SYSTEM))
		problem_memory(p);
	prof_writer_free(w);
	if (!done) {
		prof_cover_free(c);
		return NULL;
	}
	c->p = p;
	return c;
}

void
prof_cover_free(struct prof_cover *c)
{
	if (c == NULL)
		return;
	cover_view_free(&c->view);
	cover_free(&c->cover);
	cover_counts_free(c->counts);
	free(c);
}

/* Adds a member of a file, if it is an object with coverage. */
static enum prof_status
cover_add_member(struct prof_cover *c, struct input *in,
    const struct input_member *m, bool *any)
{
	const struct cover_counts *counts = c->counts;
	const struct cover_sums sums = { .items = &counts, .size = 1 };
	struct prof_error *err = &c->p->problem.error;
	struct cover_sections s = { 0 };
	enum prof_status status;
	struct prof_span image;
	bool has = false;

	if (!cover_is_object(m->start))
		return PROF_OK;
	status = input_image(in, &image, err);
	if (status == PROF_OK)
		status = cover_sections_find(&s, image, NULL, err);
	if (status == PROF_OK)
		status = cover_add(&c->cover, &s, &sums, &has, err);
	cover_sections_free(&s);
	*any |= has;
	return status;
}

int
prof_cover_add_binary(struct prof_cover *c, const char *path)
{
	struct prof *p = c->p;
	struct prof_error *err = &p->problem.error;
	struct input *in;
	struct input_member member;
	enum prof_status status;
	bool any = false;
	int result;

	problem_begin(p);
	if (c->failed || c->finished)
		return problem_use(p, c->failed ? "the cover has failed" :
		    "a file of the cover was returned already");
	p->file = path;
	in = input_open(path, p->max_bytes, NULL, err);
	if (in == NULL)
		return problem_fail(p);
	while ((status = input_next(in, &member, err)) == PROF_OK) {
		p->member = member.name;
		if (cover_add_member(c, in, &member, &any) != PROF_OK)
			break;
	}
	c->failed = status != PROF_END;
	if (!c->failed && !any) {
		p->member = NULL;
		status = err_set(err, PROF_E_FORMAT, "no binary with coverage");
	}
	result = status == PROF_END ? 0 : problem_fail(p);
	input_close(in);
	p->file = p->member = NULL;
	return result;
}

/* Once all binaries were added: tells of functions that are left out. */
static enum prof_status
cover_complete(struct prof_cover *c)
{
	struct prof_error warning = { 0 };
	char shown[ERR_NAME_SIZE];

	if (cover_finish(&c->cover, &c->p->problem.error) != PROF_OK)
		return PROF_FAIL;
	c->finished = true;
	for (size_t i = 0; i < c->cover.stale_size; i++) {
		err_set(&warning, PROF_E_MISMATCH, "%s: the profile has it of "
		    "another build", err_name(shown, c->cover.stale[i].name));
		problem_warn(c->p, &warning);
	}
	return PROF_OK;
}

int
prof_cover_next_file(struct prof_cover *c, const char **path, size_t *size)
{
	struct prof_error *err = &c->p->problem.error;
	struct prof_span name;

	problem_begin(c->p);
	if (c->failed)
		return problem_use(c->p, "the cover has failed");
	if (!c->finished && cover_complete(c) != PROF_OK) {
		c->failed = true;
		return problem_fail(c->p);
	}
	if (c->next_file == c->cover.sorted_size) {
		c->next_file = 0;
		return 0;
	}
	c->path = c->cover.sorted[c->next_file++];
	if (cover_summarize(&c->cover, c->path, &c->summary, err) !=
	    PROF_OK || cover_view_file(&c->cover, c->path, &c->view, err) !=
	    PROF_OK)
		return problem_fail(c->p);
	cover_lines_start(&c->lines, &c->view, COVER_RELEASE);
	c->lines_left = 0;
	c->next_function = c->cover.first[c->path];
	name = c->cover.paths.items[c->path];
	*path = (const char *)name.data;
	*size = name.size;
	return 1;
}

int
prof_cover_next_line(struct prof_cover *c, uint32_t *line, uint64_t *count)
{
	while (c->lines_left == 0) {
		if (c->next_file == 0 || !cover_lines_next(&c->lines))
			return 0;
		c->line = c->lines.line;
		c->lines_left = c->lines.mapped ? c->lines.size : 0;
	}
	c->lines_left--;
	*line = c->line++;
	*count = c->lines.count;
	return 1;
}

int
prof_cover_next_function(struct prof_cover *c, const char **name, size_t *size,
    uint32_t *line, uint64_t *count)
{
	const struct cover_entry *e;

	while (c->next_file > 0 &&
	    c->next_function < c->cover.first[c->path + 1]) {
		e = &c->cover.entries[c->cover.users[c->next_function++]];
		if (!cover_is_main_of(&e->function, c->path))
			continue;
		*name = (const char *)e->function.name.data;
		*size = e->function.name.size;
		*line = e->start.line;
		*count = e->function.count;
		return 1;
	}
	return 0;
}

uint64_t
prof_cover_number(const struct prof_cover *c, enum prof_cover_number number)
{
	const struct cover_part *const parts[] = { &c->summary.lines,
	    &c->summary.regions, &c->summary.functions, &c->summary.branches,
	    &c->summary.conditions };
	unsigned at = (unsigned)number - PROF_COVER_LINES;

	if (at > PROF_COVER_CONDITIONS_RUN - PROF_COVER_LINES)
		return 0;
	return at % 2 == 0 ? parts[at / 2]->size : parts[at / 2]->covered;
}
