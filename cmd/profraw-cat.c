/* profraw-cat - profiles of any format as a stream, in the order given */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cmd/cat/workers.h"
#include "cmd/common/pipeline.h"
#include "io/output.h"

static const char usage[] =
"usage: profraw-cat [options] [FILE...]\n"
"Decodes profiles of any kind to line-delimited JSON.\n"
"\n"
"      --salvage         of damaged profiles, what is whole\n"
"      --scan            profiles inside dumps, core files, flash images and\n"
"                        logs\n"
"      --list            what each input is, or each profile in it\n"
"      --json            the list as lines of JSON\n"
CLI_TO_USAGE
CLI_OUTPUT_USAGE
CLI_USAGE;

enum { SALVAGE = CLI_OWN, SCAN, LIST, JSON };

static const struct option options[] = {
	{ "salvage", no_argument, NULL, SALVAGE },
	{ "scan", no_argument, NULL, SCAN },
	{ "list", no_argument, NULL, LIST },
	{ "json", no_argument, NULL, JSON },
	CLI_TO_LONG, CLI_OUTPUT_LONG, CLI_LONG, { 0 }
};

static void
cat_option(struct cat *cat, int o)
{
	switch (o) {
	case SALVAGE:
		cat->cli->options.salvage = true;
		break;
	case SCAN:
		cat->scan = true;
		break;
	case LIST:
		cat->list = true;
		break;
	case JSON:
		cat->json = true;
		break;
	default:
		cli_option(cat->cli, o);
	}
}

static void
cat_check_options(struct cat *cat)
{
	struct cli *c = cat->cli;

	if (cat->json && !cat->list)
		cli_usage_error(c, "--json goes with --list");
	if (cat->scan && c->options.salvage)
		cli_usage_error(c, "--scan finds what is whole: it does not "
		    "go with --salvage");
	prof_context_salvage(c->context, c->options.salvage);
	if (!cat->scan && !cat->list)
		prof_context_blocks(c->context);
}

static enum prof_status
cat_list_inputs(struct cat *cat)
{
	struct cli *c = cat->cli;
	struct output *out;

	c->output.file = output_open(c->output.path, false, &c->err);
	c->output.failed = c->output.file == NULL;
	if (c->output.file == NULL || cat_read_members(cat) != PROF_OK)
		return PROF_FAIL;
	out = c->output.file;
	c->output.file = NULL;
	c->output.failed = output_commit(out, &c->err) != PROF_OK;
	if (!c->output.failed && cat->scan && cat->found == 0) {
		c->report.unclean = true;
		fprintf(stderr, "%s: no profile was found\n", c->name);
	}
	return c->output.failed ? PROF_FAIL : PROF_OK;
}

static enum prof_status
cat_run(struct cat *cat)
{
	struct cli *c = cat->cli;
	enum prof_status status;

	cat_check_options(cat);
	if (cat->list)
		return cat_list_inputs(cat);
	if (cli_open_output(c) != PROF_OK)
		return PROF_FAIL;
	/* Other formats hold one profile only, made of all inputs. */
	if (c->options.jobs > 1 && !cat->scan && strcmp(c->output.target.format,
	    "stream") == 0)
		return cat_decode_parallel(cat);
	status = cat->scan ? cat_read_members(cat) : cli_read(c, cli_put, c);
	return status == PROF_OK ? cli_finish(c) : PROF_FAIL;
}

int
main(int argc, char **argv)
{
	struct cli c;
	struct cat cat = { .cli = &c };
	enum prof_status status;
	int o;

	cli_start(&c, "profraw-cat", usage, "stream");
	while ((o = getopt_long(argc, argv, CLI_LETTERS CLI_OUTPUT_LETTERS,
	    options, NULL)) != -1)
		cat_option(&cat, o);
	cli_operands(&c, argc - optind, argv + optind);
	status = cat_run(&cat);
	c.report.unclean = c.report.unclean || cat.salvaged ||
	    prof_context_salvaged(c.context);
	return cli_end(&c, status);
}
