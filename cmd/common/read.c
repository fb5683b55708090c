#include "config.h"

#include "cmd/common/pipeline.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "merge/check.h"
#include "model/record.h"

static enum prof_status
read_put_record(struct cli *c, struct prof_record *r, cli_record *fn,
    void *arg)
{
	struct prof_record retargeted;

	if (r->kind == PROF_REC_PROFILE) {
		struct prof_source *s = &r->u.profile.source;

		/* The decoder of an image does not know its file. */
		if (s->file.data == NULL) {
			s->file = span_of_text(c->inputs.file);
			if (c->inputs.member != NULL)
				s->member = span_of_text(c->inputs.member);
		}
		cli_print_source(c, s);
	}
	cli_progress_record(c, r);
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
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cli_check_level(enum prof_level wanted, enum prof_level level,
    struct prof_error *err)
{
	return wanted == PROF_LEVEL_UNKNOWN || level == PROF_LEVEL_UNKNOWN ||
	    level == wanted ? PROF_OK : err_set(err, PROF_E_MISMATCH,
	    "%s cannot be merged with %s (--level)",
	    words_level_profile[level], words_level_profile[wanted]);
}

/* A check of an image that is under way. */
struct image_check {
	const struct cli_pipeline *by;
	struct retarget *retargeter;	/* or NULL */
	struct merge_check *merge;	/* or NULL */
	enum prof_level level;		/* of the profile being read */
	bool functions;			/* it has some */
};

static enum prof_status
read_check_record(struct cli *c, struct image_check *k, struct prof_record *r)
{
	struct prof_record unused;

	k->functions = k->functions || r->kind == PROF_REC_FUNCTION ||
	    r->kind == PROF_REC_BLOCK;
	if (r->kind == PROF_REC_PROFILE) {
		k->functions = false;
		k->level = r->u.profile.level;
	}
	if (k->retargeter != NULL && retarget_record(k->retargeter, r, &unused,
	    &c->err) != PROF_OK)
		return PROF_FAIL;
	if (k->merge != NULL &&
	    merge_check_add(k->merge, r, &c->err) != PROF_OK)
		return PROF_FAIL;
	return r->kind != PROF_REC_END || !k->functions ? PROF_OK :
	    cli_check_level(k->by->level, k->level, &c->err);
}

enum prof_status
cli_check_image(struct cli *c, struct prof_span image,
    const struct cli_pipeline *by)
{
	struct image_check k = { .by = by,
	    .retargeter = c->output.retargeter == NULL ? NULL :
		retarget_new(&c->output.retarget),
	    .merge = by->merges ? merge_check_new(by->merge_ids_first) : NULL };
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;
	struct prof_record r;

	c->report.muted = true;
	if ((k.retargeter == NULL) != (c->output.retargeter == NULL) ||
	    (k.merge == NULL) == by->merges)
		err_memory(&c->err);
	else if ((reader = prof_open(c->context, image, &c->err)) != NULL) {
		while ((status = prof_next(reader, &r, &c->err)) == PROF_OK &&
		    read_check_record(c, &k, &r) == PROF_OK)
			continue;
		prof_close(reader);
	}
	c->report.muted = false;
	merge_check_free(k.merge);
	retarget_free(k.retargeter);
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}
