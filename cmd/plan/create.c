/* prof-plan create */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "cmd/plan/plan.h"
#include "io/output.h"

struct plan_draft {
	struct arena arena;		/* of paths */
	struct plan_input *inputs;
	size_t size, room;
	size_t *ends, shards;
};

/* Only asks the size: a plan of a million inputs opens none of them. */
static enum prof_status
create_add(struct plan_draft *d, struct cli *c)
{
	const struct cli_input *in = c->inputs.current;
	struct plan_input new = { .path = arena_text(&d->arena,
	    (struct prof_span){ (const uint8_t *)in->path,
	    strlen(in->path) }) };
	struct stat st;

	if (in->weight.times != 1 || in->weight.parts != 1)
		return err_set(&c->err, PROF_E_LIMIT, "a plan has no weights");
	if (stat(in->path, &st) != 0)
		return err_system(&c->err, errno, "cannot open");
	if (!S_ISREG(st.st_mode))
		return err_set(&c->err, PROF_E_LIMIT, "is no regular file, "
		    "which a shard can read again");
	new.size = (uint64_t)st.st_size;
	return new.path.data != NULL && ARRAY_ADD(d->inputs, d->size, d->room,
	    new) ? PROF_OK : err_memory(&c->err);
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
create_write(const struct plan_draft *d, struct cli *c)
{
	if (cli_open_bytes(c, false) != PROF_OK)
		return PROF_FAIL;
	if (plan_write(d->inputs, d->ends, d->shards, output_write,
	    c->output.file, &c->err) == PROF_OK)
		return cli_commit_output(c, NULL);
	c->output.failed = true;
	return PROF_FAIL;
}

int
plan_create(struct cli *c, const struct plan_options *o)
{
	struct plan_draft d = { .size = 0 };
	enum prof_status status = create_read_inputs(&d, c);
	int code;

	if (status == PROF_OK)
		status = plan_split(d.inputs, d.size, &o->split, &d.ends,
		    &d.shards, &c->err);
	if (status == PROF_OK)
		status = create_write(&d, c);
	code = cli_end(c, status);
	free(d.inputs);
	free(d.ends);
	arena_free(&d.arena);
	return code;
}
