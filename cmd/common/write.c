#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "io/output.h"

/* Formats that a terminal would suffer from. */
static bool
is_binary(const struct cli *c)
{
	return strcmp(c->target.format, "stream") != 0 &&
	    strcmp(c->target.format, "text") != 0;
}

static bool
is_indexed(const struct cli *c)
{
	return strcmp(c->target.format, "indexed") == 0;
}

/* --for asks for a version, --format-version may overrule it. */
void
cli_set_target(struct cli *c)
{
	unsigned oldest, newest;

	if (c->target.version == 0)
		c->target.version = c->retarget.version;
	prof_writable(c->target.format, &oldest, &newest);
	if (c->target.version == 0)
		c->target.version = newest;
	if (c->target.version < oldest || c->target.version > newest)
		cli_usage_error(c, "%s version %u cannot be written: %u to %u "
		    "can", c->target.format, c->target.version, oldest,
		    newest);
	c->retarget.version = c->target.version;
}

void
cli_prepare_output(struct cli *c)
{
	if (!is_indexed(c) && (c->release != NULL || c->retarget.relabel))
		cli_usage_error(c, "--for and --relabel go with --to indexed");
	if (!is_indexed(c) && (c->target.memprof_version != 0 ||
	    c->target.memprof_full_schema || c->target.with_sources))
		cli_usage_error(c, "--memprof-version, --memprof-full-schema "
		    "and --with-sources go with --to indexed");
	cli_set_target(c);
	if (is_indexed(c)) {
		c->retargeter = retarget_new(&c->retarget);
		if (c->retargeter == NULL)
			cli_out_of_memory(c);
	}
}

enum prof_status
cli_open_file(struct cli *c)
{
	c->out = output_open(c->output, is_binary(c), &c->err);
	if (c->out == NULL) {
		c->output_failed = true;
		return PROF_FAIL;
	}
	c->writer = prof_writer_new(c->context, &c->target, output_write,
	    c->out, &c->err);
	return c->writer == NULL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cli_open_output(struct cli *c)
{
	cli_prepare_output(c);
	return cli_open_file(c);
}

enum prof_status
cli_open_text(struct cli *c, bool binary)
{
	c->out = output_open(c->output, binary, &c->err);
	c->output_failed = c->out == NULL;
	return c->out == NULL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cli_write_text(struct cli *c, const struct buf *text)
{
	struct output *out = c->out;
	int e = output_write(out, text->data, text->size);

	c->output_failed = true;
	if (e != 0)
		return err_system(&c->err, e, "write");
	c->out = NULL;
	return output_commit(out, &c->err);
}

static enum prof_status
note_failure(struct cli *c, enum prof_status status,
    const struct prof_error *err)
{
	if (status == PROF_FAIL && err->code == PROF_E_SYSTEM)
		c->output_failed = true;
	return status;
}

enum prof_status
cli_put(void *arg, const struct prof_record *r, struct prof_error *err)
{
	struct cli *c = arg;

	return note_failure(c, prof_put(c->writer, r, err), err);
}

enum prof_status
cli_finish(struct cli *c)
{
	enum prof_status status;
	struct output *out = c->out;

	if (note_failure(c, prof_finish(c->writer, &c->err), &c->err)
	    != PROF_OK)
		return PROF_FAIL;
	c->out = NULL;
	status = output_commit(out, &c->err);
	/* There is nobody left to tell that the stream is cut. */
	prof_writer_free(c->writer);
	c->writer = NULL;
	return note_failure(c, status, &c->err);
}
