#include "config.h"

#include "cmd/common/read.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

/* The decoder of an image does not know which file it came from. */
static void
read_set_source(const struct cli *c, struct prof_source *s)
{
	if (s->file.data != NULL)
		return;
	s->file = span_of_text(c->inputs.file);
	if (c->inputs.member != NULL)
		s->member = span_of_text(c->inputs.member);
}

static enum prof_status
read_put_record(struct cli *c, struct prof_record *r, cli_record *fn,
    void *arg)
{
	struct prof_record retargeted;

	if (r->kind == PROF_REC_PROFILE) {
		read_set_source(c, &r->u.profile.source);
		cli_print_source(c, &r->u.profile.source);
	}
	cli_progress_record(c, r);
	if (c->report.damage.stream != NULL)
		cli_tally_add(&c->report.damage.kept, r);
	if (c->output.retargeter != NULL) {
		if (retarget_record(c->output.retargeter, r, &retargeted,
		    &c->err) != PROF_OK)
			return PROF_FAIL;
		r = &retargeted;
	}
	return fn(arg, r, &c->err);
}

/* Retargeting that depends on the function needs them one by one. */
static enum prof_status
read_put_block(struct cli *c, const struct prof_block *b, cli_record *fn,
    void *arg)
{
	const struct prof_function *f = prof_block_functions(b, &c->err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; i < b->size && status == PROF_OK; i++)
		status = read_put_record(c, &(struct prof_record){
		    .kind = PROF_REC_FUNCTION, .u.function = f[i] }, fn, arg);
	return status;
}

enum prof_status
cli_read_records(struct cli *c, struct prof_reader *reader, cli_record *fn,
    void *arg)
{
	enum prof_status status;
	struct prof_record r;

	while ((status = prof_next(reader, &r, &c->err)) == PROF_OK) {
		if (r.kind == PROF_REC_BLOCK && c->output.retargeter != NULL &&
		    retarget_by_function(c->output.retargeter))
			status = read_put_block(c, &r.u.block, fn, arg);
		else
			status = read_put_record(c, &r, fn, arg);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_END) {
		c->report.progress->functions += prof_passed(reader);
		c->report.passed += prof_passed(reader);
	}
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

/* A check of an image that is under way. */
struct image_check {
	cli_check *check;		/* of the program, or NULL */
	void *arg;
	struct retarget *retargeter;	/* or NULL */
	struct cli_tally *tally;
	struct prof_header header;	/* of the profile being read */
	bool functions;			/* it has some */
};

static enum prof_status
read_check_record(struct cli *c, struct image_check *k, struct prof_record *r)
{
	struct prof_record unused;

	cli_tally_add(k->tally, r);
	k->functions = k->functions || r->kind == PROF_REC_FUNCTION ||
	    r->kind == PROF_REC_BLOCK;
	if (r->kind == PROF_REC_PROFILE) {
		k->functions = false;
		k->header = r->u.profile;
		k->header.extra = (struct prof_span){ NULL, 0 };
		k->header.source = (struct prof_source){ 0 };
		read_set_source(c, &k->header.source);
	}
	if (k->retargeter != NULL && retarget_record(k->retargeter, r, &unused,
	    &c->err) != PROF_OK)
		return PROF_FAIL;
	return r->kind != PROF_REC_END || k->check == NULL ? PROF_OK :
	    k->check(k->arg, &k->header, k->functions, &c->err);
}

enum prof_status
cli_check_image(struct cli *c, struct prof_span image, cli_check *check,
    void *check_arg, struct cli_tally *tally)
{
	struct image_check k = { .check = check, .arg = check_arg,
	    .tally = tally };
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;
	struct prof_record r;

	if (c->output.retargeter != NULL &&
	    (k.retargeter = retarget_new(&c->output.retarget)) == NULL)
		return err_memory(&c->err);
	c->report.muted = true;
	reader = prof_open(c->context, image, &c->err);
	while (reader != NULL &&
	    (status = prof_next(reader, &r, &c->err)) == PROF_OK) {
		status = read_check_record(c, &k, &r);
		if (status != PROF_OK) {
			status = PROF_FAIL;
			break;
		}
	}
	prof_close(reader);
	c->report.muted = false;
	retarget_free(k.retargeter);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}
