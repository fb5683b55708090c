/* prof-merge - many profiles to one */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/merge.h"
#include "cmd/common/watch.h"

static const char usage[] =
"usage: prof-merge [options] [FILE...]\n"
"Sums profiles of any kind into one, the same for any order of them.\n"
"\n"
"  -w, --weight W,FILE   multiply the counts of FILE with W: N or N/M\n"
"      --scale W         multiply the counts of all inputs with W\n"
"      --subtract FILE   take the counts of FILE away, down to 0\n"
"      --intersect       only functions that all inputs have\n"
"      --sparse          leave out functions that were never entered\n"
"      --max-count N     functions with counters above N are absurd\n"
"      --on-absurd WHAT  drop (default) or clamp them, or fail\n"
"  -S, --buffer-size SIZE  sum in memory of SIZE, as 64M, and files in "
"$TMPDIR\n"
"      --group-by binary-id  a sum for each set of binaries, in folder -o\n"
"      --consume         remove the inputs once the output is in place\n"
"      --watch DIR       merge files of DIR as they appear, until a signal\n"
"      --until WHAT      watch: until N files came, or for 90s, 10m, 2h\n"
CLI_FAIL_ON_USAGE
CLI_TO_USAGE
CLI_OUTPUT_USAGE
CLI_USAGE;

enum { SPARSE = CLI_OWN, SCALE, SUBTRACT, INTERSECT, MAX_COUNT, ON_ABSURD,
	CONSUME, WATCH, UNTIL, GROUP_BY };

static const struct option options[] = {
	{ "weight", required_argument, NULL, 'w' },
	{ "scale", required_argument, NULL, SCALE },
	{ "buffer-size", required_argument, NULL, 'S' },
	{ "subtract", required_argument, NULL, SUBTRACT },
	{ "intersect", no_argument, NULL, INTERSECT },
	{ "sparse", no_argument, NULL, SPARSE },
	{ "max-count", required_argument, NULL, MAX_COUNT },
	{ "on-absurd", required_argument, NULL, ON_ABSURD },
	{ "consume", no_argument, NULL, CONSUME },
	{ "group-by", required_argument, NULL, GROUP_BY },
	{ "watch", required_argument, NULL, WATCH },
	{ "until", required_argument, NULL, UNTIL },
	CLI_FAIL_ON_LONG, CLI_TO_LONG, CLI_OUTPUT_LONG, CLI_LONG, { 0 }
};

static void
merge_set_scale(const struct cli *c, struct cli_merge_options *m)
{
	const char *end = cli_parse_weight(optarg, &m->scale);

	if (end == NULL || *end != '\0')
		cli_usage_error(c, "'%s' is not a scale N or N/M above 0",
		    optarg);
}

static void
merge_set_max_count(const struct cli *c, struct limit *l)
{
	struct merge_factor n;
	const char *end = cli_parse_weight(optarg, &n);

	if (end == NULL || *end != '\0' || n.parts != 1)
		cli_usage_error(c, "--max-count takes a number above 0");
	l->max_count = n.times;
}

static void
merge_set_absurd_action(const struct cli *c, struct limit *l)
{
	static const char *const words[] = {
		[LIMIT_DROP] = "drop", [LIMIT_CLAMP] = "clamp",
		[LIMIT_FAIL] = "fail",
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(optarg, words[i]) == 0) {
			l->action = (enum limit_action)i;
			return;
		}
	}
	cli_usage_error(c, "--on-absurd takes drop, clamp or fail");
}

static void
merge_option(struct cli *c, struct cli_merge_options *m, int o)
{
	struct cli_input less = { .weight = { 1, 1 }, .subtracted = true };

	switch (o) {
	case 'w':
		cli_weighted(c, optarg);
		break;
	case SCALE:
		merge_set_scale(c, m);
		break;
	case 'S':
		m->buffer = cli_parse_size(c, optarg);
		break;
	case SUBTRACT:
		less.path = optarg;
		cli_add_input(c, &less);
		break;
	case INTERSECT:
		m->output.intersect = true;
		break;
	case SPARSE:
		m->output.sparse = true;
		break;
	case MAX_COUNT:
		merge_set_max_count(c, &m->limit);
		break;
	case GROUP_BY:
		if (strcmp(optarg, "binary-id") != 0)
			cli_usage_error(c, "--group-by takes binary-id");
		m->group = true;
		break;
	case WATCH:
		c->options.watched = optarg;
		break;
	case UNTIL:
		cli_watch_until(c, optarg);
		break;
	case CONSUME:
		m->consume = true;
		break;
	case ON_ABSURD:
		merge_set_absurd_action(c, &m->limit);
		break;
	default:
		cli_option(c, o);
		break;
	}
}

int
main(int argc, char **argv)
{
	struct cli_merge_options merge = { .scale = { 1, 1 } };
	struct cli c;
	int o;

	cli_start(&c, "prof-merge", usage, "stream");
	while ((o = getopt_long(argc, argv, CLI_LETTERS CLI_OUTPUT_LETTERS
	    "S:w:", options, NULL)) != -1)
		merge_option(&c, &merge, o);
	if (c.options.watched == NULL &&
	    (c.options.until_files | c.options.until_seconds) != 0)
		cli_usage_error(&c, "--until goes with --watch");
	cli_operands(&c, argc - optind, argv + optind);
	return cli_merge(&c, &merge);
}
