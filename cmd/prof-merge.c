/* prof-merge - many profiles to one */
#include "config.h"

#include "cmd/common/cli.h"
#include "cmd/merge/run.h"

static void
merge_set_weighted(const struct cli_given *g)
{
	cli_weighted(g->cli, g->argument);
}

static void
merge_add_subtracted(const struct cli_given *g)
{
	const struct cli_input less = { .path = g->argument,
	    .weight = { 1, 1 }, .subtracted = true };

	cli_add_input(g->cli, &less);
}

static void
merge_set_traces(const struct cli_given *g)
{
	struct cli_merge_options *o = g->run;

	cli_set_traces(g->cli, g->argument, &o->terms.traces);
}

static const struct cli_option options[] = {
	{ 'w', "weight", "W,FILE",
	    "multiply the counts of FILE by W: N or N/M",
	    CLI_CALLS(merge_set_weighted) },
	{ 0, "subtract", "FILE", "subtract the counts of FILE, down to 0",
	    CLI_CALLS(merge_add_subtracted) },
	{ 0, "sparse", NULL, "leave out functions with only zero counts",
	    CLI_SETS(struct cli_merge_options, output.sparse) },
	{ 0, "max-count", "N",
	    "leave out functions with counters above N",
	    CLI_SETS_NUMBER(struct cli_merge_options, limit.max_count, 1,
	    UINT64_MAX) },
	{ 0, "max-traces", "N[,LENGTH]",
	    "keep N temporal traces, and of each\n"
	    "the first LENGTH functions", CLI_CALLS(merge_set_traces) },
	{ 'S', "buffer-size", "SIZE",
	    "sum in SIZE of memory, as 64M, and files in $TMPDIR",
	    CLI_SETS(struct cli_merge_options, buffer) },
	{ 0, "group-by", "binary-id",
	    "write a sum for each set of binaries to folder -o",
	    CLI_SETS_WORD(struct cli_merge_options, group, "binary-id"),
	    .value = 1 },
	MERGE_LEVEL_ROW(struct cli_merge_options, terms.level),
	CLI_SALVAGE_ROW,
	CLI_FAIL_ON_ROW,
	CLI_JOBS_ROW,
	/* The same under the names that llvm-profdata merge has for them. */
	{ 0, "weighted-input", "W,FILE", NULL, CLI_CALLS(merge_set_weighted) },
	{ 'f', "input-files", "LIST", NULL, CLI_CALLS(cli_set_list) },
	{ 0, "num-threads", "N", NULL,
	    CLI_SETS_NUMBER(struct cli, options.jobs, 1, CLI_JOBS_MAX) },
	{ 0, "temporal-profile-trace-reservoir-size", "N", NULL,
	    CLI_CALLS(merge_set_traces) },
	{ 0, "temporal-profile-max-trace-length", "N", NULL,
	    CLI_SETS_NUMBER(struct cli_merge_options, terms.traces.length, 1,
	    UINT64_MAX) },
	{ 0 }
};

static const struct cli_program program = { "prof-merge", "stream",
"usage: prof-merge [options] [FILE...]\n"
"Merges profiles of any kind into one; their order does not matter.\n",
	.tables = { options, cli_to_options, cli_output_options, cli_options }
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
