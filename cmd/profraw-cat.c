/* profraw-cat - profiles of any format as a stream, in the order given */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "cmd/cat/workers.h"
#include "cmd/common/pipeline.h"
#include "cmd/common/restrict.h"

static const struct cli_option options[] = {
	CLI_SALVAGE_ROW,
	{ 0, "scan", NULL,
	    "find profiles inside dumps, core files and flash images",
	    CLI_SETS(struct cat, scan) },
	CLI_JOBS_ROW,
	{ 0 }
};

static const struct cli_program program = { "profraw-cat", "stream",
"usage: profraw-cat [options] [FILE...]\n"
"Decodes profiles of any kind to line-delimited JSON.\n",
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
	/* Other formats hold one profile only, made of all inputs. */
	if (c->options.jobs > 1 && !cat->scan && strcmp(c->output.target.format,
	    "stream") == 0)
		return cat_decode_parallel(cat);
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
	cli_parse(&c, &cat, argc, argv);
	cli_operands(&c, argc - optind, argv + optind);
	cli_restrict(&c, NULL);
	status = cat_run(&cat);
	return cli_end(&c, status);
}
