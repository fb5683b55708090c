/* prof-plan - inputs in shards, each merged exactly once */
#include "config.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/common/cli.h"
#include "cmd/plan/plan.h"

enum verb { CREATE, SHOW, PART, STATUS, MERGE, CLEAN };

/* A plan has each input as a whole, and bad ones are left out in parts. */
static const char *const whole[] = { "member", NULL };
static const char *const sums_nothing[] = {
	"member", "keep-going", "report", NULL
};
static const char *const writes_nothing[] = {
	"member", "keep-going", "report", "output", NULL
};
static const struct cli_verb verbs[] = {
	[CREATE] = { "create", 0, INT_MAX, NULL, sums_nothing },
	[SHOW] = { "show", 1, 1, "one plan", sums_nothing },
	[PART] = { "part", 1, 1, "--shard and one plan, which names the inputs",
	    whole },
	[STATUS] = { "status", 1, INT_MAX, "a plan", sums_nothing },
	[MERGE] = { "merge", 1, INT_MAX, "a plan", whole },
	[CLEAN] = { "clean", 2, 2, "a plan and a result", writes_nothing },
	{ .name = NULL }
};

/* N inputs, or with a suffix of bytes. */
static void
plan_set_per_shard(const struct cli_given *g)
{
	static const char suffixes[] = "KMGT";
	struct plan_options *o = g->run;
	uint64_t n = 0;
	const char *end = cli_parse_number(g->argument, 1, UINT64_MAX >> 40,
	    &n), *suffix;

	o->split.count = o->split.bytes = 0;
	if (end != NULL && *end == '\0') {
		o->split.count = n;
		return;
	}
	suffix = end == NULL ? NULL : strchr(suffixes, *end);
	if (suffix == NULL || end[1] != '\0')
		cli_usage_error(g->cli, "--per-shard needs a number of inputs, "
		    "or of bytes such as 500M");
	o->split.bytes = n << (10 * (suffix - suffixes + 1));
}

static void
plan_set_fetch(const struct cli_given *g)
{
	struct plan_options *o = g->run;

	fetch_set(g->cli, &o->fetch, g->argument);
}

static void
plan_set_traces(const struct cli_given *g)
{
	struct plan_terms *t = &((struct plan_options *)g->run)->terms;
	struct merge_trace_limits limits = { .sampled = false };

	cli_set_traces(g->cli, g->argument, &limits);
	t->sampled = limits.sampled;
	t->max_traces = limits.traces;
	t->max_trace_length = limits.length;
}

static const struct cli_option options[] = {
	{ 0, "shards", "N", "create: make N shards of similar size",
	    CLI_SETS_NUMBER(struct plan_options, split.shards, 1, UINT64_MAX),
	    .verbs = CLI_VERB(CREATE) },
	{ 0, "per-shard", "N",
	    "create: make shards of N inputs, or of 500M bytes",
	    CLI_CALLS(plan_set_per_shard), .verbs = CLI_VERB(CREATE) },
	{ 0, "fetch", "COMMAND", "create, part: inputs are names; COMMAND "
	    "prints\nthe input \"$1\"", CLI_CALLS(plan_set_fetch),
	    .verbs = CLI_VERB(CREATE) | CLI_VERB(PART) },
	{ 0, "max-traces", "N[,LENGTH]",
	    "create: keep N temporal traces, and of\n"
	    "each the first LENGTH functions", CLI_CALLS(plan_set_traces),
	    .verbs = CLI_VERB(CREATE) },
	{ 0, "level", "LEVEL",
	    "create: inputs of another level are bad: ir or frontend",
	    CLI_SETS_WORD(struct plan_options, terms.level, "ir", "frontend"),
	    .value = PROF_LEVEL_IR, .verbs = CLI_VERB(CREATE) },
	{ 0, "shard", "K", "show, part: print, or merge, the inputs of shard K",
	    CLI_SETS_NUMBER(struct plan_options, shard, 1, UINT64_MAX),
	    .verbs = CLI_VERB(SHOW) | CLI_VERB(PART) },
	{ 0, "partial", NULL,
	    "merge: accept missing shards; the sum is a part",
	    CLI_SETS(struct plan_options, partial), .verbs = CLI_VERB(MERGE) },
	{ 'S', "buffer-size", "SIZE",
	    "part, merge: sum in SIZE of memory, as 64M, and files",
	    CLI_SETS(struct plan_options, merge.buffer),
	    .verbs = CLI_VERB(PART) | CLI_VERB(MERGE) },
	{ 0, "json", NULL, "show, status: print lines of JSON",
	    CLI_SETS(struct plan_options, json),
	    .verbs = CLI_VERB(SHOW) | CLI_VERB(STATUS) },
	{ 0, "missing", NULL,
	    "status: print only the numbers of missing shards",
	    CLI_SETS(struct plan_options, missing), .verbs = CLI_VERB(STATUS) },
	CLI_OUTPUT_ROW,
	CLI_JOBS_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-plan", NULL,
"usage: prof-plan create --shards N|--per-shard N [options] [FILE...]\n"
"       prof-plan show [--shard K] [--json] PLAN\n"
"       prof-plan part --shard K [options] PLAN\n"
"       prof-plan status [--json|--missing] PLAN [PART...]\n"
"       prof-plan merge [--partial] [options] PLAN PART...\n"
"       prof-plan clean PLAN RESULT\n"
"Merges many profiles in shards, each of them once.\n",
	.limits_counts = true,
	.examples =
"  prof-plan create --shards 2 -o run.plan runs\n"
"  prof-plan part --shard 1 -o 1.part run.plan\n",
	.tables = { options, cli_options }, .verbs = verbs
};

/* Refuses options that do not go together, and plans without a split. */
static void
plan_check_options(const struct cli *c, const struct plan_options *o,
    enum verb verb)
{
	const struct plan_split *s = &o->split;

	if (verb == CREATE && (s->shards != 0) == ((s->count | s->bytes) != 0))
		cli_usage_error(c, "create needs either --shards or "
		    "--per-shard");
	if (s->bytes != 0 && o->fetch.command != NULL)
		cli_usage_error(c, "--per-shard needs a number of inputs: "
		    "--fetch knows no sizes");
	if (o->json && o->missing)
		cli_usage_error(c, "--json cannot be used with --missing");
	if (verb == PART && (o->shard == 0 || c->inputs.size != 0))
		cli_usage_error(c, "part needs %s", verbs[PART].needs);
}

/* Without a part, nothing is done; standard input is none. */
static int
plan_run_verb(struct cli *c, struct plan_options *o, enum verb verb,
    int argc, char **argv)
{
	if (verb == CREATE)
		cli_operands(c, argc, argv);
	else if (verb == MERGE || (verb == STATUS && argc > 1))
		cli_operands(c, argc - 1, argv + 1);
	/* The command reads one input at a time. */
	if (o->fetch.command != NULL)
		c->options.jobs = 1;
	cli_restrict(c, &(struct cli_writes){ .removes = verb == CLEAN,
	    .temporaries = verb == PART || verb == MERGE });
	switch (verb) {
	case CREATE:
		return plan_create(c, o);
	case SHOW:
		return plan_show(c, o, argv[0]);
	case PART:
		return plan_part(c, o, argv[0]);
	case STATUS:
		return plan_status(c, o, argv[0]);
	case MERGE:
		return plan_merge(c, o, argv[0]);
	default:
		return plan_clean(c, argv[0], argv[1]);
	}
}

int
main(int argc, char **argv)
{
	struct plan_options o = { .shard = 0 };
	struct cli c;
	enum verb verb;
	int code;

	cli_start(&c, &program);
	verb = (enum verb)cli_parse(&c, &o, &argc, &argv);
	plan_check_options(&c, &o, verb);
	code = plan_run_verb(&c, &o, verb, argc, argv);
	fetch_free(&o.fetch);
	return code;
}
