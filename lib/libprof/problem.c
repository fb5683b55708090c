/* struct prof: options, the last error, warnings. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "libprof/private.h"

const char *
prof_version(void)
{
	return PACKAGE_VERSION;
}

static struct prof *
prof_create(const struct prof *other)
{
	struct prof *p = calloc(1, sizeof(*p));

	if (p == NULL)
		return NULL;
	if (other != NULL) {
		p->max_bytes = other->max_bytes;
		p->salvage = other->salvage;
		p->map_files = other->map_files;
		p->listener = other->listener;
		p->arg = other->arg;
		p->context = prof_context_share(other->context, problem_warn,
		    p);
	} else {
		p->context = prof_context_new(problem_warn, p);
	}
	if (p->context != NULL)
		p->blocks = prof_context_share(other != NULL ? other->blocks :
		    p->context, problem_warn, p);
	if (p->blocks == NULL) {
		prof_free(p);
		return NULL;
	}
	prof_context_blocks(p->blocks);
	if (other == NULL)
		prof_context_limit_counts(p->blocks, PROF_COUNT_PLAUSIBLE, 0);
	return p;
}

struct prof *
prof_new(void)
{
	return prof_create(NULL);
}

struct prof *
prof_share(const struct prof *p)
{
	return prof_create(p);
}

void
prof_free(struct prof *p)
{
	if (p == NULL)
		return;
	prof_context_free(p->blocks);
	prof_context_free(p->context);
	arena_free(&p->problem.arena);
	arena_free(&p->warning.arena);
	buf_free(&p->memory);
	free(p);
}

int
prof_set(struct prof *p, enum prof_option option, uint64_t value)
{
	problem_begin(p);
	switch (option) {
	case PROF_SALVAGE:
		p->salvage = value != 0;
		prof_context_salvage(p->context, value != 0);
		prof_context_salvage(p->blocks, value != 0);
		return 0;
	case PROF_THOROUGH:
		prof_context_thorough(p->context, value != 0);
		prof_context_thorough(p->blocks, value != 0);
		return 0;
	case PROF_MAX_BYTES:
		p->max_bytes = value;
		return 0;
	case PROF_MAP_FILES:
		p->map_files = value != 0;
		return 0;
	case PROF_MAX_COUNT:
		prof_context_limit_counts(p->context, value, value);
		prof_context_limit_counts(p->blocks, value, value);
		return 0;
	default:
		return problem_use(p, "there is no such option");
	}
}

void
prof_listen(struct prof *p, prof_listener *listener, void *arg)
{
	p->listener = listener;
	p->arg = arg;
}

const struct prof_problem *
prof_error(const struct prof *p)
{
	return p->problem.error.code == PROF_E_NONE ? NULL : &p->problem;
}

enum prof_code
prof_problem_code(const struct prof_problem *problem)
{
	return problem->error.code;
}

const char *
prof_problem_reason(const struct prof_problem *problem)
{
	return problem->error.reason;
}

const char *
prof_problem_file(const struct prof_problem *problem)
{
	return problem->file;
}

const char *
prof_problem_member(const struct prof_problem *problem)
{
	return problem->member;
}

enum prof_where
prof_problem_place(const struct prof_problem *problem, uint64_t *offset)
{
	if (offset != NULL)
		*offset = problem->error.offset;
	return problem->error.where;
}

const char *
prof_problem_text(const struct prof_problem *problem)
{
	return problem->text;
}

static const char *
problem_keep(struct prof_problem *problem, const char *text)
{
	return text == NULL ? NULL : (const char *)arena_text(&problem->arena,
	    span_of_text(text)).data;
}

/* The reason stands alone if there is no memory for more. */
static void
problem_compose(struct prof_problem *problem)
{
	static const char *const places[] = { [PROF_AT_BYTE] = "byte ",
	    [PROF_AT_LINE] = "line " };
	const struct prof_error *e = &problem->error;
	const char *file = problem->file, *member = problem->member;
	struct buf text = { 0 };

	if (file != NULL)
		buf_print(&text, "%s", file);
	if (file != NULL && member != NULL)
		buf_print(&text, "(%s)", member);
	if (file != NULL)
		buf_print(&text, ": ");
	if (e->where != PROF_NOWHERE)
		buf_print(&text, "%s%llu: ", places[e->where],
		    ull(e->offset));
	buf_print(&text, "%s", e->reason);
	problem->text = text.failed ? NULL : (const char *)arena_text(
	    &problem->arena, buf_span(&text)).data;
	if (problem->text == NULL)
		problem->text = e->reason;
	buf_free(&text);
}

static void
problem_complete(const struct prof *p, struct prof_problem *problem)
{
	arena_reset(&problem->arena);
	problem->file = problem_keep(problem, p->file);
	problem->member = problem_keep(problem, p->member);
	problem_compose(problem);
}

void
problem_begin(struct prof *p)
{
	p->problem.error = (struct prof_error){ 0 };
	p->file = p->member = NULL;
}

int
problem_fail(struct prof *p)
{
	/* A visitor or sink that failed has its own reasons. */
	if (p->problem.error.code == PROF_E_NONE)
		err_set(&p->problem.error, PROF_E_SYSTEM, "stopped");
	problem_complete(p, &p->problem);
	return -1;
}

int
problem_use(struct prof *p, const char *reason)
{
	err_set(&p->problem.error, PROF_E_USE, "%s", reason);
	return problem_fail(p);
}

int
problem_memory(struct prof *p)
{
	err_memory(&p->problem.error);
	return problem_fail(p);
}

int
problem_result(struct prof *p, enum prof_status status)
{
	return status == PROF_FAIL ? problem_fail(p) : 0;
}

void
problem_forget(struct prof *p, const char *name)
{
	if (p->file == name)
		p->file = NULL;
	if (p->member == name)
		p->member = NULL;
}

void
problem_warn(void *arg, const struct prof_error *warning)
{
	struct prof *p = arg;

	if (p->listener == NULL)
		return;
	p->warning.error = *warning;
	problem_complete(p, &p->warning);
	p->listener(p->arg, &p->warning);
}
