#include "config.h"

#include "cmd/bundle/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/input.h"

enum prof_status
bundle_err_no_bundle(struct prof_error *err)
{
	return err_set(err, PROF_E_FORMAT, "not a bundle: it does not begin "
	    "with a manifest");
}

static void
reader_set_member(struct bundle_reader *r, const char *name)
{
	struct cli *c = r->cli;

	free(r->name);
	r->name = name == NULL ? NULL : strdup(name);
	if (name != NULL && r->name == NULL)
		cli_out_of_memory(c);
	c->inputs.member = r->name;
}

enum prof_status
bundle_reader_open(struct bundle_reader *r, struct cli *c, struct buf *memory)
{
	struct input_member m;
	struct prof_span text;
	enum prof_status status;

	*r = (struct bundle_reader){ .cli = c };
	r->in = input_open(c->inputs.file, c->options.max_size, memory,
	    &c->err);
	if (r->in == NULL)
		return PROF_FAIL;
	cli_progress_input(c, r->in);
	status = input_next(r->in, &m, &c->err);
	reader_set_member(r, m.name);
	r->ordinal = 1;
	if (status == PROF_OK && bundle_is_manifest(m.name, m.start))
		return input_image(r->in, &text, &c->err) != PROF_OK ?
		    PROF_FAIL : bundle_lines_read(&r->lines, text, &c->err);
	r->pending = status;
	return PROF_OK;
}

enum prof_status
bundle_reader_require(struct bundle_reader *r)
{
	if (r->lines.is_bundle)
		return PROF_OK;
	/* The message is about the file, not its first member. */
	if (r->pending == PROF_OK)
		r->cli->inputs.member = NULL;
	return bundle_err_no_bundle(&r->cli->err);
}

static enum prof_status
reader_read_member(struct bundle_reader *r, struct bundle_member *m)
{
	if (input_image(r->in, &m->image, &r->cli->err) != PROF_OK)
		return PROF_FAIL;
	sha256_of(m->image, m->sha256);
	m->size = m->image.size;
	m->ordinal = r->ordinal;
	return bundle_lines_match(&r->lines, m, &r->cli->err);
}

enum prof_status
bundle_reader_next(struct bundle_reader *r, struct bundle_member *out)
{
	struct cli *c = r->cli;
	enum prof_status status;
	struct input_member m;

	while ((status = input_next(r->in, &m, &c->err)) == PROF_OK) {
		r->ordinal++;
		reader_set_member(r, m.name);
		out->name = r->name;
		/* Members that are not wanted must match their lines too. */
		status = reader_read_member(r, out);
		if (status != PROF_OK || cli_wants(c, &m))
			return status;
	}
	r->ordinal++;
	reader_set_member(r, m.name);
	return status;
}

void
bundle_reader_close(struct bundle_reader *r)
{
	struct cli *c = r->cli;

	c->inputs.member = cli_keep_name(&c->inputs.failed_member,
	    c->err.code == PROF_E_NONE ? NULL : c->inputs.member);
	if (r->in != NULL)
		cli_progress_done(c);
	input_close(r->in);
	bundle_lines_free(&r->lines);
	free(r->name);
}
