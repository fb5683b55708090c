#include "config.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "cmd/common/cli.h"
#include "cmd/common/consume.h"
#include "cmd/common/read.h"
#include "bundle/manifest.h"
#include "io/input.h"

static struct prof_span
span_of(const char *s)
{
	return (struct prof_span){ (const uint8_t *)s, strlen(s) };
}

/* What the decoder of bytes cannot know: which file they came from. */
static void
set_source(const struct cli *c, struct prof_source *s)
{
	if (s->file.data != NULL)
		return;
	s->file = span_of(c->inputs.file);
	if (c->inputs.member != NULL)
		s->member = span_of(c->inputs.member);
}

static enum prof_status
take(struct cli *c, struct prof_record *r, cli_record *fn, void *arg)
{
	struct prof_record retargeted;

	if (r->kind == PROF_REC_PROFILE) {
		set_source(c, &r->u.profile.source);
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

/* Some changes are made function by function. */
static enum prof_status
take_apart(struct cli *c, const struct prof_block *b, cli_record *fn,
    void *arg)
{
	const struct prof_function *f = prof_block_functions(b, &c->err);
	enum prof_status status = f == NULL ? PROF_FAIL : PROF_OK;

	for (size_t i = 0; i < b->size && status == PROF_OK; i++)
		status = take(c, &(struct prof_record){
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
			status = take_apart(c, &r.u.block, fn, arg);
		else
			status = take(c, &r, fn, arg);
		if (status != PROF_OK)
			break;
	}
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

/* Other members of an archive are no concern of ours, unless they should be. */
bool
cli_is_foreign(const struct input_member *m)
{
	static const char *const suffixes[] = {
		"*.profraw", "*.profdata", "*.memprofraw"
	};

	if (m->name == NULL || m->start.size == 0 ||
	    prof_sniff(m->start) != NULL)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (fnmatch(suffixes[i], m->name, 0) == 0)
			return false;
	}
	return true;
}

/* A look-up touches few pages: it need not read the others. */
static enum prof_status
get_image(struct cli *c, struct input *in, struct prof_span *image)
{
	if (c->options.select != NULL && input_map(in, image) == PROF_OK)
		return PROF_OK;
	return input_image(in, image, &c->err);
}

/*
 * Whether the image can be used: what its decoder, the retargeter and the
 * program would say.
 */
static enum prof_status
check_records(struct cli *c, struct prof_reader *reader,
    struct retarget *retargeter, struct cli_tally *tally)
{
	struct prof_header header = { 0 };
	struct prof_record r, unused;
	enum prof_status status;
	bool functions = false;

	while ((status = prof_next(reader, &r, &c->err)) == PROF_OK) {
		cli_tally_add(tally, &r);
		functions = functions || r.kind == PROF_REC_FUNCTION ||
		    r.kind == PROF_REC_BLOCK;
		if (r.kind == PROF_REC_PROFILE) {
			functions = false;
			header = r.u.profile;
			header.extra = (struct prof_span){ NULL, 0 };
			header.source = (struct prof_source){ 0 };
			set_source(c, &header.source);
		}
		if (retargeter != NULL && retarget_record(retargeter, &r,
		    &unused, &c->err) != PROF_OK)
			return PROF_FAIL;
		if (r.kind == PROF_REC_END && c->check != NULL && c->check(
		    c->check_arg, &header, functions, &c->err) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

enum prof_status
cli_check_image(struct cli *c, struct prof_span image, struct cli_tally *tally)
{
	struct retarget *retargeter = NULL;
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;

	if (c->output.retargeter != NULL &&
	    (retargeter = retarget_new(&c->output.retarget)) == NULL)
		return err_memory(&c->err);
	c->report.muted = true;
	reader = prof_open(c->context, image, &c->err);
	if (reader != NULL)
		status = check_records(c, reader, retargeter, tally);
	prof_close(reader);
	c->report.muted = false;
	retarget_free(retargeter);
	return status;
}

/* A reader of the member, which was looked through if need be. */
static struct prof_reader *
open_member(struct cli *c, struct input *in, const struct input_member *m,
    struct cli_tally *tally)
{
	bool whole = c->report.damage.keep_going;
	struct prof_span image;

	if (prof_is_stream(m->start) && !whole && !c->options.salvage)
		return prof_open_stream(c->context, input_pull, in, &c->err);
	if (get_image(c, in, &image) != PROF_OK ||
	    (whole && cli_check_image(c, image, tally) != PROF_OK))
		return NULL;
	return prof_open(c->context, image, &c->err);
}

/* An archive may hold much that was not asked for. */
bool
cli_wants(const struct cli *c, const struct input_member *m)
{
	return c->options.member_glob == NULL || m->name == NULL ||
	    fnmatch(c->options.member_glob, m->name, 0) == 0;
}

/* To the program, which does what it likes with it. */
static enum prof_status
hand_over(struct cli *c, struct input *in, const struct input_member *m)
{
	static const struct cli_tally nothing;
	bool bad = false;
	enum prof_status status = c->take(c->take_arg, in, m, &bad);

	if (status == PROF_FAIL && bad && input_failure(in)->code !=
	    PROF_E_NONE)
		c->err = *input_failure(in);
	if (status == PROF_OK)
		c->report.damage.used++;
	else if (bad)
		return cli_damage_skip(c, &nothing);
	return status;
}

static enum prof_status
read_member(struct cli *c, struct input *in, const struct input_member *m,
    cli_record *fn, void *arg)
{
	enum prof_status status = PROF_FAIL;
	struct cli_tally tally = { 0 }, before = c->report.damage.kept;
	struct prof_reader *reader;

	if (!cli_wants(c, m))
		return PROF_OK;
	if (!c->takes_all && cli_is_foreign(m)) {
		/* That of a bundle belongs there. */
		if (!manifest_sniff(m->start))
			c->report.skipped++;
		return PROF_OK;
	}
	if (c->take != NULL)
		return hand_over(c, in, m);
	reader = open_member(c, in, m, &tally);
	if (reader != NULL && c->options.select != NULL)
		prof_select(reader, c->options.select, c->options.select_size);
	if (reader != NULL)
		status = cli_read_records(c, reader, fn, arg);
	/* The input knows better than the decoder why bytes are missing. */
	if (status == PROF_FAIL && input_failure(in)->code != PROF_E_NONE)
		c->err = *input_failure(in);
	prof_close(reader);
	if (status != PROF_OK)
		c->report.damage.kept = before;
	if (status == PROF_OK)
		c->report.damage.used++;
	else if (reader == NULL || !c->report.damage.keep_going)
		return cli_damage_skip(c, &tally);
	return status;
}

/* Messages name the member when its input is closed. */
static void
keep_member_name(struct cli *c, const char *name)
{
	free(c->inputs.failed_member);
	c->inputs.member = c->inputs.failed_member = name == NULL ? NULL :
	    strdup(name);
}

/* The member that input_next came to, or could not come to. */
static enum prof_status
take_member(struct cli *c, struct input *in, enum prof_status status,
    const struct input_member *m, cli_record *fn, void *arg)
{
	static const struct cli_tally nothing;

	c->inputs.member = m->name;
	if (status == PROF_OK)
		status = read_member(c, in, m, fn, arg);
	else
		status = cli_damage_skip(c, &nothing);
	if (status == PROF_FAIL)
		keep_member_name(c, m->name);
	else
		c->inputs.member = NULL;
	return status;
}

static enum prof_status
read_file(struct cli *c, struct buf *memory, cli_record *fn, void *arg)
{
	struct input *in = input_open(c->inputs.file, c->options.max_size,
	    memory, &c->err);
	uint64_t bad = c->report.damage.bad;
	enum prof_status status = PROF_OK;
	struct input_member m;

	if (in == NULL)
		return PROF_FAIL;
	/* What goes on after a failure must know of it before. */
	if (!c->report.damage.keep_going)
		input_in_place(in);
	cli_progress_input(c, in);
	while (status == PROF_OK) {
		enum prof_status next = input_next(in, &m, &c->err);

		if (next == PROF_END)
			break;
		status = take_member(c, in, next, &m, fn, arg);
	}
	if (status == PROF_OK && c->inputs.consume != NULL && bad ==
	    c->report.damage.bad)
		status = cli_consume_note(c, input_stat(in), &c->err);
	cli_progress_done(c);
	input_close(in);
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

enum prof_status
cli_read(struct cli *c, cli_record *fn, void *arg)
{
	enum prof_status status;
	struct buf memory = { 0 };

	cli_damage_begin(c);
	cli_progress_begin(c);
	while ((status = cli_next_input(c)) == PROF_OK) {
		status = read_file(c, &memory, fn, arg);
		if (status != PROF_OK)
			break;
	}
	if (status == PROF_END) {
		c->inputs.file = NULL;
		status = cli_damage_settle(c);
	}
	buf_free(&memory);
	return status;
}
