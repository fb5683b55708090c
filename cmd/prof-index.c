/* prof-index - the indexed profile that compilers and llvm-cov read */
#include "config.h"

#include "cli_merge.h"

static const char usage[] =
"usage: prof-index [options] [FILE...]\n"
"Writes one indexed profile of all that the inputs hold.\n"
"\n"
CLI_OUTPUT_USAGE
CLI_USAGE;

static const struct option options[] = {
	CLI_OUTPUT_LONG, CLI_LONG, { 0 }
};

int
main(int argc, char **argv)
{
	struct cli_merge_options merge = { .scale = { 1, 1 } };
	struct cli c;
	int o;

	cli_start(&c, "prof-index", usage, "indexed");
	while ((o = getopt_long(argc, argv, CLI_LETTERS CLI_OUTPUT_LETTERS,
	    options, NULL)) != -1)
		cli_option(&c, o);
	cli_operands(&c, argc - optind, argv + optind);
	return cli_merge(&c, &merge);
}
