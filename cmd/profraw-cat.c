/* profraw-cat - profiles of any format as a stream, in the order given */
#include "config.h"

#include "cli.h"

static const char usage[] =
"usage: profraw-cat [options] [FILE...]\n"
"Decodes profiles of any kind to line-delimited JSON.\n"
"\n"
CLI_TO_USAGE
CLI_OUTPUT_USAGE
CLI_USAGE;

static const struct option options[] = {
	CLI_TO_LONG, CLI_OUTPUT_LONG, CLI_LONG, { 0 }
};

int
main(int argc, char **argv)
{
	struct cli c;
	enum prof_status status;
	int o;

	cli_start(&c, "profraw-cat", usage, "stream");
	while ((o = getopt_long(argc, argv, CLI_LETTERS CLI_OUTPUT_LETTERS,
	    options, NULL)) != -1)
		cli_option(&c, o);
	cli_operands(&c, argc - optind, argv + optind);

	status = cli_open_output(&c);
	if (status == PROF_OK)
		status = cli_read(&c, cli_put, &c);
	if (status == PROF_OK)
		status = cli_finish(&c);
	return cli_end(&c, status);
}
