/* profraw-cat - profiles of any format as a stream, in the order given */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "cmd/common/pipeline.h"
#include "io/input.h"
#include "ops/scan.h"

struct cat {
	struct cli *cli;
	bool scan;			/* --scan */
	uint64_t found;			/* profiles, by scanning */
	bool output_failed;		/* err of the cli is about the output */
};

/* A profile found by scanning, being copied to the output. */
struct cat_found {
	struct cat *cat;
	const struct scan_hit *hit;
};

static enum prof_status
cat_put_found_record(void *arg, const struct prof_record *r,
    struct prof_error *err)
{
	const struct cat_found *f = arg;
	struct prof_record moved;

	if (r->kind != PROF_REC_PROFILE)
		return cli_put(f->cat->cli, r, err);
	moved = *r;
	moved.u.profile.source.offset += f->hit->offset;
	return cli_put(f->cat->cli, &moved, err);
}

static enum prof_status
cat_process_hit(struct cat *cat, const struct scan_hit *hit)
{
	struct cli *c = cat->cli;
	struct cat_found found = { cat, hit };
	enum prof_status status = PROF_FAIL;
	struct prof_reader *reader;

	cat->found++;
	c->inputs.base = hit->offset;
	reader = prof_open(c->context, hit->image, &c->err);
	if (reader != NULL)
		status = cli_read_records(c, reader, cat_put_found_record,
		    &found);
	prof_close(reader);
	if (status == PROF_OK)
		c->inputs.base = 0;
	return status;
}

static enum cli_action
cat_classify_for_scan(void *arg, struct cli *c, struct cli_item *item,
    const struct input_member *m, uint64_t ordinal)
{
	(void)arg;
	(void)ordinal;
	return item->status != PROF_OK || cli_wants(c, m) ? CLI_READ_MEMBER :
	    CLI_SKIP_MEMBER;
}

/* Failures of the scan are about the input, all others about the output. */
static void *
cat_scan_image(void *arg, struct cli_item *item,
    struct prof_error *unused)
{
	struct cat *cat = arg;
	struct prof_error *err = &cat->cli->err;
	struct scan *scan = scan_new(item->image, cat->found, err);
	enum prof_status status = PROF_FAIL;
	struct scan_hit hit;

	(void)unused;
	cat->output_failed = true;
	if (scan == NULL)
		return NULL;
	while ((status = scan_next(scan, &hit, err)) == PROF_OK) {
		if (cat_process_hit(cat, &hit) != PROF_OK)
			break;
	}
	cat->output_failed = status == PROF_OK;
	scan_free(scan);
	return NULL;
}

static enum prof_status
cat_commit_image(void *arg, struct cli *c, struct cli_item *e)
{
	const struct cat *cat = arg;

	if (e->err.code != PROF_E_NONE)
		return cat->output_failed ? PROF_FAIL :
		    cli_damage_skip(c);
	c->report.damage.used += !e->end_only;
	return PROF_OK;
}

/* Scans all inputs; the output is open. */
static enum prof_status
cat_scan_inputs(struct cat *cat)
{
	/* A file may be larger than memory, as a core file is: it is mapped. */
	const struct cli_pipeline p = { .arg = cat, .serial = true,
	    .maps = true, .classify = cat_classify_for_scan,
	    .process = cat_scan_image, .commit = cat_commit_image };

	return cli_pipeline_run(cat->cli, &p) != PROF_OK ? PROF_FAIL :
	    cli_damage_settle(cat->cli);
}

/*
 * Whether a bad input is followed by the next: in a stream to standard output,
 * which then has an abort record.  Programs that read the stream fail there;
 * people see the other inputs too.  A file would not be put in place.  The
 * first argument is not used.
 */
static bool
cat_pass(void *arg, struct cli *c)
{
	struct prof_error err = c->err;
	bool stream = strcmp(c->output.target.format, "stream") == 0;

	(void)arg;
	if (!stream || (c->output.path != NULL &&
	    strcmp(c->output.path, "-") != 0) || !cli_damage_pass(c))
		return false;
	prof_abort(c->output.writer, err.reason);
	return true;
}

static const struct cli_option options[] = {
	CLI_SALVAGE_ROW,
	{ 0, "scan", NULL,
	    "find profiles inside dumps, core files and flash images",
	    CLI_SETS(struct cat, scan) },
	{ 0 }
};

static const struct cli_program program = { "profraw-cat", "stream",
"usage: profraw-cat [options] [FILE...]\n"
"Decodes profiles of any kind to line-delimited JSON.\n",
	.examples =
"  profraw-cat -o a.ndjson a.profraw\n"
"  profraw-cat a.profraw | jq -r 'select(.hash).name'\n",
	.tables = { options, cli_to_options, cli_output_options, cli_options }
};

static void
cat_check_options(struct cat *cat)
{
	struct cli *c = cat->cli;

	if (cat->scan && c->options.salvage)
		cli_usage_error(c, "--scan cannot be used with --salvage: it "
		    "finds only intact profiles");
	prof_context_salvage(c->context, c->options.salvage);
	if (!cat->scan)
		prof_context_blocks(c->context);
}

static enum prof_status
cat_run(struct cat *cat)
{
	struct cli *c = cat->cli;
	enum prof_status status;

	cat_check_options(cat);
	if (cli_open_output(c) != PROF_OK)
		return PROF_FAIL;
	status = cat->scan ? cat_scan_inputs(cat) :
	    cli_read_passing(c, cli_put, cat_pass, c);
	return status == PROF_OK ? cli_finish(c) : PROF_FAIL;
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct cat cat = { .cli = &c };
	enum prof_status status;

	cli_start(&c, &program);
	cli_parse(&c, &cat, &argc, &argv);
	cli_operands(&c, argc, argv);
	cli_restrict(&c, NULL);
	status = cat_run(&cat);
	return cli_end(&c, status);
}
