/* cmd/plan/create.c - prof-plan create, and show */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/error.h"
#include "cmd/plan/plan.h"
#include "io/input.h"
#include "io/output.h"
#include "io/same_file.h"
#include "model/record.h"

struct plan_draft {
	struct arena arena;		/* of paths */
	struct plan_input *inputs;
	size_t size, room;
	size_t *ends, shards;
	bool replaces;			/* -o names a file that exists */
	struct stat replaced;
};

static enum prof_status
create_put(struct plan_draft *d, const struct plan_input *in,
    struct prof_error *err)
{
	return in->path.data != NULL && ARRAY_ADD(d->inputs, d->size, d->room,
	    *in) ? PROF_OK : err_memory(err);
}

/*
 * A plan of a million inputs opens none of them.  A name says nothing of its
 * size before the command has read it.
 */
static enum prof_status
create_add(struct plan_draft *d, struct cli *c)
{
	const struct cli_input *in = c->inputs.current;
	struct plan_input new = { .path = arena_text(&d->arena,
	    span_of_text(in->path)), .fetched = c->inputs.open != NULL };
	struct stat st;

	if (in->weight.times != 1 || in->weight.parts != 1)
		return err_set(&c->err, PROF_E_LIMIT, "a plan has no weights");
	if (new.fetched)
		return create_put(d, &new, &c->err);
	if (stat(in->path, &st) != 0)
		return err_system(&c->err, errno, "cannot open");
	if (d->replaces && same_file(&st, &d->replaced))
		return err_set(&c->err, PROF_E_LIMIT, "would be replaced by "
		    "the plan");
	if (!S_ISREG(st.st_mode))
		return err_set(&c->err, PROF_E_LIMIT, "is not a regular file: "
		    "a shard cannot read it again");
	new.size = (uint64_t)st.st_size;
	return create_put(d, &new, &c->err);
}

static enum prof_status
create_read_inputs(struct plan_draft *d, struct cli *c)
{
	enum prof_status status;
	size_t twice;

	while ((status = cli_next_input(c)) == PROF_OK) {
		if (create_add(d, c) != PROF_OK)
			return PROF_FAIL;
	}
	if (status != PROF_END)
		return status;
	c->inputs.file = c->inputs.member = NULL;
	twice = plan_sort(d->inputs, d->size);
	if (twice == d->size)
		return PROF_OK;
	c->inputs.file = (const char *)d->inputs[twice].path.data;
	return err_set(&c->err, PROF_E_MISMATCH, "is named twice");
}

static enum prof_status
create_write(const struct plan_draft *d, const struct plan_terms *terms,
    struct cli *c)
{
	if (cli_open_bytes(c, false) != PROF_OK)
		return PROF_FAIL;
	if (plan_write(d->inputs, d->ends, d->shards, terms, output_write,
	    c->output.file, &c->err) == PROF_OK)
		return cli_commit_output(c, NULL);
	c->output.failed = true;
	return PROF_FAIL;
}

int
plan_create(struct cli *c, const struct plan_options *o)
{
	struct plan_draft d = { .size = 0 };
	enum prof_status status;
	int code;

	d.replaces = c->output.path != NULL &&
	    stat(c->output.path, &d.replaced) == 0;
	status = create_read_inputs(&d, c);
	if (status == PROF_OK)
		status = plan_split(d.inputs, d.size, &o->split, &d.ends,
		    &d.shards, &c->err);
	if (status == PROF_OK)
		status = create_write(&d, &o->terms, c);
	code = cli_end(c, status);
	free(d.inputs);
	free(d.ends);
	arena_free(&d.arena);
	return code;
}

/* prof-plan show */

static enum prof_status
show_put_path(void *text, const struct plan_input *in, struct prof_error *err)
{
	(void)err;
	buf_put(text, in->path.data, in->path.size);
	buf_put(text, "\n", 1);
	return PROF_OK;
}

static void
show_put_terms(struct buf *text, const struct plan_terms *t)
{
	if (t->sampled)
		buf_print(text, "at most %llu traces\n", ull(t->max_traces));
	if (t->max_trace_length != 0)
		buf_print(text, "traces of at most %llu functions\n",
		    ull(t->max_trace_length));
	if (t->level != PROF_LEVEL_UNKNOWN)
		buf_print(text, "functions of level %s\n",
		    words_level[t->level]);
}

static void
show_put_shards(struct buf *text, const struct plan *p)
{
	char digest[SHA256_TEXT + 1];

	sha256_text(p->digest, digest);
	buf_print(text, "plan %s\n", digest);
	show_put_terms(text, &p->terms);
	buf_print(text, "%10s %10s %15s\n", "shard", "inputs", "bytes");
	for (size_t i = 0; i < p->size; i++) {
		buf_print(text, "%10zu %10llu %15llu\n", i + 1,
		    ull(p->shards[i].inputs), ull(p->shards[i].bytes));
	}
	buf_print(text, "%10s %10llu %15llu\n", "all", ull(p->inputs),
	    ull(p->bytes));
}

static enum prof_status
show_skip_input(void *arg, const struct plan_input *in,
    struct prof_error *err)
{
	(void)arg;
	(void)in;
	(void)err;
	return PROF_OK;
}

static enum prof_status
show_put(struct buf *text, struct cli *c, const struct plan *p,
    const struct plan_options *o)
{
	const struct plan_shard *s = p->shards;

	if (o->shard > p->size)
		return err_set(&c->err, PROF_E_LIMIT, "the plan has no shard "
		    "%llu: its last is %zu", ull(o->shard), p->size);
	s += o->shard == 0 ? 0 : o->shard - 1;
	/* A plan is JSON: these are its own lines. */
	if (o->json && o->shard != 0)
		buf_put(text, p->text.data + s->offset, s->length);
	else if (o->json)
		buf_put(text, p->text.data, s->offset);
	else if (o->shard == 0)
		show_put_shards(text, p);
	if (o->shard == 0)
		return plan_verify(p, &c->err);
	return plan_each(p, (size_t)o->shard - 1, o->json ? show_skip_input :
	    show_put_path, text, &c->err);
}

int
plan_show(struct cli *c, const struct plan_options *o, const char *path)
{
	struct buf text = { 0 };
	struct part_plan p = { .in = NULL };
	enum prof_status status = part_open_plan(c, path, &p);
	int code;

	c->inputs.file = path;
	if (status == PROF_OK)
		status = show_put(&text, c, &p.plan, o);
	if (status == PROF_OK && text.failed)
		status = err_memory(&c->err);
	if (status == PROF_OK)
		c->inputs.file = NULL;
	if (status == PROF_OK)
		status = cli_open_bytes(c, false);
	if (status == PROF_OK)
		status = cli_write_text(c, &text);
	code = cli_end(c, status);
	part_close_plan(&p);
	buf_free(&text);
	return code;
}
