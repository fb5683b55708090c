/* prof-plan show */
#include "config.h"

#include "base/error.h"
#include "cmd/plan/plan.h"
#include "io/output.h"
#include "model/words.h"

static enum prof_status
show_put_path(void *text, const struct plan_input *in, struct prof_error *err)
{
	(void)err;
	buf_put(text, in->path.data, in->path.size);
	if (in->content->number != 0) {
		buf_put(text, "\t", 1);
		buf_put(text, in->content->member.data,
		    in->content->member.size);
	}
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
		    "%llu: it has %zu shards", ull(o->shard), p->size);
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
