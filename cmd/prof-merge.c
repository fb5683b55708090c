/* prof-merge - many profiles to one */
#include "config.h"

#include "cmd/common/cli.h"
#include "cmd/merge/run.h"

static const struct cli_program program = { "prof-merge", "stream",
"usage: prof-merge [options] [FILE...]\n"
"Merges profiles of any kind into one; their order does not matter.\n",
	.limits_counts = true,
	.examples =
"  prof-merge -o sum.ndjson runs\n"
"  prof-merge -o sum.ndjson -w 10,a.profraw b.profraw\n",
	.tables = { cli_merge_rows, cli_to_options, cli_output_options,
	    cli_options }
};

int
main(int argc, char **argv)
{
	struct cli_merge_options o = { .buffer = 0 };
	struct cli c;

	cli_start(&c, &program);
	/* The suffix of -o chooses the format, unless --to does. */
	cli_parse(&c, &o, &argc, &argv);
	cli_operands(&c, argc, argv);
	/* From here on, the program can write nothing but these. */
	cli_restrict(&c, &(struct cli_writes){
	    .folder = o.group ? c.output.path : NULL,
	    .temporaries = true });
	return cli_merge(&c, &o);
}
