/* prof-merge - many profiles to one */
#include "config.h"

#include "cmd/common/restrict.h"
#include "cmd/merge/run.h"

struct merge_program {
	struct cli_merge_options merge;
	bool absurd;			/* --on-absurd was given */
};

static void
merge_set_weighted(const struct cli_given *g)
{
	cli_weighted(g->cli, g->argument);
}

static void
merge_set_scale(const struct cli_given *g)
{
	struct merge_program *p = g->run;
	const char *end = cli_parse_weight(g->argument, &p->merge.scale);

	if (end == NULL || *end != '\0')
		cli_usage_error(g->cli, "'%s' is not a scale N or N/M above 0",
		    g->argument);
}

static void
merge_add_subtracted(const struct cli_given *g)
{
	const struct cli_input less = { .path = g->argument,
	    .weight = { 1, 1 }, .subtracted = true };

	cli_add_input(g->cli, &less);
}

#define MAX_TRACES \
	CLI_SETS_NUMBER(struct merge_program, merge.terms.traces.traces, 0, \
	    UINT32_MAX), \
	CLI_MARKS(struct merge_program, merge.terms.traces.sampled)
#define TRACE_LENGTH \
	CLI_SETS_NUMBER(struct merge_program, merge.terms.traces.length, 1, \
	    UINT64_MAX)

static const struct cli_option options[] = {
	{ 'w', "weight", "W,FILE",
	    "multiply the counts of FILE by W: N or N/M",
	    CLI_CALLS(merge_set_weighted) },
	{ 0, "scale", "W", "multiply the counts of all inputs by W",
	    CLI_CALLS(merge_set_scale) },
	{ 0, "subtract", "FILE", "subtract the counts of FILE, down to 0",
	    CLI_CALLS(merge_add_subtracted) },
	{ 0, "intersect", NULL, "keep only functions that all inputs have",
	    CLI_SETS(struct merge_program, merge.output.intersect) },
	{ 0, "sparse", NULL, "leave out functions with only zero counts",
	    CLI_SETS(struct merge_program, merge.output.sparse) },
	{ 0, "max-count", "N",
	    "treat functions with counters above N as damaged",
	    CLI_SETS_NUMBER(struct merge_program, merge.limit.max_count, 1,
	    UINT64_MAX) },
	{ 0, "on-absurd", "WHAT", "with these: drop (default), clamp or fail",
	    CLI_SETS_WORD(struct merge_program, merge.limit.action, "drop",
	    "clamp", "fail"), CLI_MARKS(struct merge_program, absurd) },
	{ 0, "max-traces", "N", "keep N temporal traces, chosen by content",
	    MAX_TRACES },
	{ 0, "max-trace-length", "N",
	    "keep the first N functions of each trace", TRACE_LENGTH },
	{ 'S', "buffer-size", "SIZE",
	    "sum in SIZE of memory, as 64M, and files in $TMPDIR",
	    CLI_SETS(struct merge_program, merge.buffer) },
	{ 0, "group-by", "binary-id",
	    "write a sum for each set of binaries to folder -o",
	    CLI_SETS_WORD(struct merge_program, merge.group, "binary-id"),
	    .value = 1 },
	MERGE_LEVEL_ROW(struct merge_program),
	CLI_SALVAGE_ROW,
	CLI_FAIL_ON_ROW,
	CLI_JOBS_ROW,
	/* The same under the names that llvm-profdata merge has for them. */
	{ 0, "weighted-input", "W,FILE", NULL, CLI_CALLS(merge_set_weighted) },
	{ 'f', "input-files", "LIST", NULL, CLI_CALLS(cli_set_list) },
	{ 0, "num-threads", "N", NULL,
	    CLI_SETS_NUMBER(struct cli, options.jobs, 1, CLI_JOBS_MAX) },
	{ 0, "temporal-profile-trace-reservoir-size", "N", NULL, MAX_TRACES },
	{ 0, "temporal-profile-max-trace-length", "N", NULL, TRACE_LENGTH },
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
	struct merge_program p = { .merge.scale = { 1, 1 } };
	struct cli c;

	cli_start(&c, &program);
	cli_parse(&c, &p, argc, argv);
	if (p.absurd && p.merge.limit.max_count == 0)
		cli_usage_error(&c, "--on-absurd needs --max-count");
	cli_operands(&c, argc - optind, argv + optind);
	cli_restrict(&c, &(struct cli_writes){
	    .folder = p.merge.group ? c.output.path : NULL,
	    .temporaries = true });
	return cli_merge(&c, &p.merge);
}
