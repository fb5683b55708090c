/* prof-merge - many profiles to one */
#include "config.h"

#include "cmd/common/merge.h"
#include "cmd/common/restrict.h"
#include "cmd/common/watch.h"

static void
merge_set_weighted(const struct cli_given *g)
{
	cli_weighted(g->cli, g->argument);
}

static void
merge_set_scale(const struct cli_given *g)
{
	struct cli_merge_options *m = g->run;
	const char *end = cli_parse_weight(g->argument, &m->scale);

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

static void
merge_set_max_count(const struct cli_given *g)
{
	struct cli_merge_options *m = g->run;
	struct merge_factor n;
	const char *end = cli_parse_weight(g->argument, &n);

	if (end == NULL || *end != '\0' || n.parts != 1)
		cli_usage_error(g->cli, "--max-count takes a number above 0");
	m->limit.max_count = n.times;
}

static void
merge_set_absurd_action(const struct cli_given *g)
{
	static const char *const words[] = {
		[LIMIT_DROP] = "drop", [LIMIT_CLAMP] = "clamp",
		[LIMIT_FAIL] = "fail", NULL
	};
	struct cli_merge_options *m = g->run;

	m->limit.action = (enum limit_action)cli_parse_word(g, words);
}

static void
merge_set_group(const struct cli_given *g)
{
	static const char *const words[] = { "binary-id", NULL };
	struct cli_merge_options *m = g->run;

	m->group = cli_parse_word(g, words) == 0;
}

static void
merge_set_until(const struct cli_given *g)
{
	cli_watch_until(g->cli, g->argument);
}

static const struct cli_option options[] = {
	{ 'w', "weight", "W,FILE",
	    "multiply the counts of FILE with W: N or N/M",
	    CLI_CALLS(merge_set_weighted) },
	{ 0, "scale", "W", "multiply the counts of all inputs with W",
	    CLI_CALLS(merge_set_scale) },
	{ 0, "subtract", "FILE", "take the counts of FILE away, down to 0",
	    CLI_CALLS(merge_add_subtracted) },
	{ 0, "intersect", NULL, "only functions that all inputs have",
	    CLI_SETS(struct cli_merge_options, output.intersect) },
	{ 0, "sparse", NULL, "leave out functions that were never entered",
	    CLI_SETS(struct cli_merge_options, output.sparse) },
	{ 0, "max-count", "N", "functions with counters above N are absurd",
	    CLI_CALLS(merge_set_max_count) },
	{ 0, "on-absurd", "WHAT", "drop (default) or clamp them, or fail",
	    CLI_CALLS(merge_set_absurd_action) },
	{ 'S', "buffer-size", "SIZE",
	    "sum in memory of SIZE, as 64M, and files in $TMPDIR",
	    CLI_SETS(struct cli_merge_options, buffer) },
	{ 0, "group-by", "binary-id",
	    "a sum for each set of binaries, in folder -o",
	    CLI_CALLS(merge_set_group) },
	{ 0, "consume", NULL, "remove the inputs once the output is in place",
	    CLI_SETS(struct cli_merge_options, consume) },
	{ 0, "watch", "DIR",
	    "merge files of DIR as they appear, until a signal",
	    CLI_SETS(struct cli, options.watched) },
	{ 0, "until", "WHAT", "watch: until N files came, or for 90s, 10m, 2h",
	    CLI_CALLS(merge_set_until) },
	CLI_SALVAGE_ROW,
	CLI_FAIL_ON_ROW,
	/* The same under the names that llvm-profdata merge has for them. */
	{ 0, "weighted-input", "W,FILE", NULL, CLI_CALLS(merge_set_weighted) },
	{ 'f', "input-files", "LIST", NULL, CLI_CALLS(cli_set_list) },
	{ 0, "num-threads", "N", NULL, CLI_CALLS(cli_set_jobs) },
	{ 0 }
};

static const struct cli_program program = { "prof-merge", "stream",
"usage: prof-merge [options] [FILE...]\n"
"Sums profiles of any kind into one, the same for any order of them.\n",
	{ options, cli_to_options, cli_output_options, cli_options }
};

int
main(int argc, char **argv)
{
	struct cli_merge_options merge = { .scale = { 1, 1 } };
	struct cli c;

	cli_start(&c, &program);
	cli_parse(&c, &merge, argc, argv);
	if (c.options.watched == NULL &&
	    (c.options.until_files | c.options.until_seconds) != 0)
		cli_usage_error(&c, "--until goes with --watch");
	cli_operands(&c, argc - optind, argv + optind);
	cli_restrict(&c, &(struct cli_writes){
	    .folder = merge.group ? c.output.path : NULL,
	    .temporaries = true, .removes = merge.consume });
	return cli_merge(&c, &merge);
}
