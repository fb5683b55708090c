/* prof-check - are profiles whole, consistent, and worth using? */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sha256.h"
#include "check_bundle.h"
#include "check_outputs.h"
#include "check_seen.h"
#include "cli.h"
#include "io/input.h"

static const char usage[] =
"usage: prof-check [options] [FILE...]\n"
"Says of each file, and of each member of an archive, whether it is a sound\n"
"profile.\n"
"\n"
"      --strict          what is suspect is not sound either\n"
CLI_USAGE;

enum { STRICT = CLI_OWN };

static const struct option options[] = {
	{ "strict", no_argument, NULL, STRICT },
	CLI_LONG, { 0 }
};

struct run {
	struct cli cli;
	bool strict;
	struct check_outputs outputs;
	struct check_seen seen;
	struct check_bundle bundle;
	struct buf memory;
	uint64_t states[3];		/* inputs, by enum check_state */

	/* Of the input at hand. */
	struct check found;
	struct check_result result;
	struct sha256 *digest;
	struct input *in;
};

/* A prof_warn: reasons to doubt an input. */
static void
doubt(void *arg, const struct prof_error *e)
{
	struct run *r = arg;

	if (r->result.oddities < CHECK_ODDITIES)
		r->result.odd[r->result.oddities] = *e;
	r->result.oddities++;
}

/* Says what was found out. */
static enum prof_status
settle(struct run *r)
{
	enum check_state state = check_state(&r->result);
	enum prof_status status = check_outputs_put(&r->outputs, &r->result);

	r->states[state]++;
	if (state == CHECK_BAD)
		r->cli.damage.bad++;
	else
		r->cli.damage.used++;
	check_reset(&r->found);
	return status;
}

/* Begins with what is true of each input. */
static void
begin(struct run *r, const char *member)
{
	r->result = (struct check_result){ .file = r->cli.file,
	    .member = member, .found = &r->found };
	r->cli.err = (struct prof_error){ 0 };
}

static enum prof_status
settle_bad(struct run *r, const char *member)
{
	struct prof_error e = r->cli.err;

	if (e.code == PROF_E_MEMORY)
		return PROF_FAIL;
	begin(r, member);
	r->result.error = e;
	return settle(r);
}

/* A prof_pull that knows afterwards what went by. */
static ssize_t
pull(void *arg, void *data, size_t size)
{
	struct run *r = arg;
	ssize_t n = input_pull(r->in, data, size);

	if (n > 0)
		sha256_add(r->digest, data, (size_t)n);
	return n;
}

static struct prof_reader *
open_reader(struct run *r, const struct input_member *m)
{
	struct cli *c = &r->cli;
	struct prof_span image;

	if (prof_is_stream(m->start))
		return prof_open_stream(c->context, pull, r, &c->err);
	if (input_image(r->in, &image, &c->err) != PROF_OK)
		return NULL;
	sha256_add(r->digest, image.data, image.size);
	return prof_open(c->context, image, &c->err);
}

/* The records, and then what they come to. */
static void
read_records(struct run *r, const struct input_member *m)
{
	struct cli *c = &r->cli;
	struct prof_reader *reader = open_reader(r, m);
	enum prof_status status = reader == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	while (status == PROF_OK) {
		status = prof_next(reader, &record, &c->err);
		if (status != PROF_OK)
			break;
		cli_progress_record(c, &record);
		status = check_add(&r->found, &record, &c->err);
	}
	prof_close(reader);
	/* The input knows better than the decoder why bytes are missing. */
	if (status == PROF_FAIL && input_failure(r->in)->code != PROF_E_NONE)
		c->err = *input_failure(r->in);
	if (status == PROF_END)
		check_end(&r->found, doubt, r);
}

/* Equal bytes under two names are counted twice by who adds them up. */
static enum prof_status
look_for_twin(struct run *r, const char *member)
{
	uint8_t digest[SHA256_SIZE];
	static char text[SHA256_TEXT + 1];
	struct prof_error e = { 0 };
	const char *first;

	sha256_end(r->digest, digest);
	if (r->cli.err.code != PROF_E_NONE)
		return PROF_OK;
	sha256_text(digest, text);
	r->result.sha256 = text;
	check_bundle_member(&r->bundle, member, digest, &r->cli.err);
	if (!check_seen_bytes(&r->seen, digest, sizeof(digest), r->cli.file,
	    member, &first))
		return err_memory(&r->cli.err);
	if (first == NULL)
		return PROF_OK;
	err_set(&e, PROF_E_MISMATCH, "the same bytes as %s", first);
	doubt(r, &e);
	return PROF_OK;
}

static enum prof_status
check_member(struct run *r, const struct input_member *m)
{
	struct cli *c = &r->cli;

	begin(r, m->name);
	r->result.format = prof_sniff(m->start);
	read_records(r, m);
	if (look_for_twin(r, m->name) != PROF_OK ||
	    c->err.code == PROF_E_MEMORY)
		return PROF_FAIL;
	r->result.error = c->err;
	c->err = (struct prof_error){ 0 };
	return settle(r);
}

static bool
is_manifest(const struct input_member *m, uint64_t number)
{
	return number == 1 && m->name != NULL &&
	    strcmp(m->name, manifest_name) == 0 && manifest_claims(m->start);
}

static enum prof_status
take_member(struct run *r, const struct input_member *m, uint64_t number)
{
	struct cli *c = &r->cli;
	struct prof_span text;

	if (is_manifest(m, number)) {
		if (input_image(r->in, &text, &c->err) == PROF_OK &&
		    check_bundle_begin(&r->bundle, text, &c->err) == PROF_OK)
			return PROF_OK;
		return settle_bad(r, m->name);
	}
	if (!cli_wants(c, m))
		return PROF_OK;
	if (cli_is_foreign(m)) {
		c->skipped++;
		return PROF_OK;
	}
	return check_member(r, m);
}

static enum prof_status
check_missing(struct run *r)
{
	const char *name;

	while (r->cli.member_glob == NULL &&
	    (name = check_bundle_missing(&r->bundle)) != NULL) {
		err_set(&r->cli.err, PROF_E_TRUNCATED, "the manifest names "
		    "it, but it is not there");
		if (settle_bad(r, name) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* PROF_END if the file was read before. */
static enum prof_status
check_file_twin(struct run *r)
{
	struct prof_error e = { 0 };
	const char *first;

	if (!check_seen_file(&r->seen, input_stat(r->in), r->cli.file,
	    &first))
		return err_memory(&r->cli.err);
	if (first == NULL)
		return PROF_OK;
	begin(r, NULL);
	err_set(&e, PROF_E_MISMATCH, "the same file as %s", first);
	doubt(r, &e);
	return settle(r) == PROF_OK ? PROF_END : PROF_FAIL;
}

static enum prof_status
check_members(struct run *r)
{
	struct cli *c = &r->cli;
	enum prof_status status = PROF_OK, next;
	struct input_member m;
	uint64_t number = 0;

	while (status == PROF_OK) {
		next = input_next(r->in, &m, &c->err);
		if (next == PROF_END)
			break;
		if (next == PROF_OK && ++number == 1)
			status = check_file_twin(r);
		if (status != PROF_OK)
			break;
		status = next == PROF_OK ? take_member(r, &m, number) :
		    settle_bad(r, m.name);
	}
	if (status == PROF_OK)
		status = check_missing(r);
	return status == PROF_FAIL ? PROF_FAIL : PROF_OK;
}

static enum prof_status
check_file(struct run *r)
{
	struct cli *c = &r->cli;
	enum prof_status status;

	r->in = input_open(c->file, c->max_size, &r->memory, &c->err);
	if (r->in == NULL)
		return PROF_FAIL;
	cli_progress_input(c, r->in);
	status = check_members(r);
	cli_progress_done(c);
	input_close(r->in);
	check_bundle_end(&r->bundle);
	return status;
}

static enum prof_status
run(struct run *r)
{
	struct cli *c = &r->cli;
	enum prof_status status = check_outputs_open(&r->outputs, c);

	cli_progress_begin(c);
	while (status == PROF_OK && (status = cli_next_input(c)) == PROF_OK)
		status = check_file(r);
	if (status == PROF_END) {
		c->file = c->member = NULL;
		status = check_outputs_close(&r->outputs, r->states);
	}
	if (status == PROF_OK)
		status = cli_damage_settle(c);
	c->unclean = r->states[CHECK_BAD] != 0 ||
	    (r->strict && r->states[CHECK_SUSPECT] != 0);
	/* Nothing is left out here: all was told. */
	c->damage.bad = 0;
	return status;
}

int
main(int argc, char **argv)
{
	struct run r = { .digest = sha256_new() };
	int o, status;

	cli_start(&r.cli, "prof-check", usage, NULL);
	prof_context_free(r.cli.context);
	r.cli.context = prof_context_new(doubt, &r);
	if (r.digest == NULL || r.cli.context == NULL)
		cli_out_of_memory(&r.cli);
	prof_context_thorough(r.cli.context);
	while ((o = getopt_long(argc, argv, CLI_LETTERS, options, NULL)) !=
	    -1) {
		if (o == STRICT)
			r.strict = true;
		else if (o == CLI_REPORT)
			r.outputs.report_name = optarg;
		else
			cli_option(&r.cli, o);
	}
	cli_operands(&r.cli, argc - optind, argv + optind);

	status = cli_end(&r.cli, run(&r));
	check_outputs_free(&r.outputs);
	check_reset(&r.found);
	check_seen_free(&r.seen);
	sha256_free(r.digest);
	buf_free(&r.memory);
	return status;
}
