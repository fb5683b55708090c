/* prof-plan - inputs in shards, each merged exactly once */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/common/restrict.h"
#include "cmd/plan/plan.h"

static const char *const verbs[] = {
	"create", "show", "part", "status", "merge", "clean", NULL
};
enum verb { CREATE, SHOW, PART, STATUS, MERGE, CLEAN };

static void
plan_set_shards(const struct cli_given *g)
{
	struct plan_options *o = g->run;

	if (!cli_is_number(g->argument, 1, UINT64_MAX, &o->split.shards))
		cli_usage_error(g->cli, "--shards needs a number above 0");
}

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
plan_set_max_traces(const struct cli_given *g)
{
	struct plan_terms *t = &((struct plan_options *)g->run)->terms;

	if (!cli_is_number(g->argument, 0, UINT32_MAX, &t->max_traces))
		cli_usage_error(g->cli, "--max-traces needs a number");
	t->sampled = true;
}

static void
plan_set_trace_length(const struct cli_given *g)
{
	struct plan_terms *t = &((struct plan_options *)g->run)->terms;

	if (!cli_is_number(g->argument, 1, UINT64_MAX, &t->max_trace_length))
		cli_usage_error(g->cli, "--max-trace-length needs a number "
		    "above 0");
}

static void
plan_set_level(const struct cli_given *g)
{
	((struct plan_options *)g->run)->terms.level = merge_parse_level(g);
}

static void
plan_set_shard(const struct cli_given *g)
{
	struct plan_options *o = g->run;

	if (!cli_is_number(g->argument, 1, UINT64_MAX, &o->shard))
		cli_usage_error(g->cli, "--shard needs a number above 0");
}

static void
plan_set_fetch(const struct cli_given *g)
{
	struct plan_options *o = g->run;

	fetch_set(g->cli, &o->fetch, g->argument);
	g->cli->inputs.fetch = &o->fetch;
}

static const struct cli_option options[] = {
	{ 0, "shards", "N", "create: make N shards of similar size",
	    CLI_CALLS(plan_set_shards) },
	{ 0, "per-shard", "N",
	    "create: make shards of N inputs, or of 500M bytes",
	    CLI_CALLS(plan_set_per_shard) },
	{ 0, "members", NULL, "create: members of archives are inputs",
	    CLI_SETS(struct plan_options, members) },
	{ 0, "digest", NULL, "create: write the digest of each input's content",
	    CLI_SETS(struct plan_options, digests) },
	{ 0, "fetch", "COMMAND", "create, part: inputs are names; COMMAND "
	    "prints\nthe input %s", CLI_CALLS(plan_set_fetch) },
	{ 0, "max-traces", "N",
	    "create: keep N temporal traces of all inputs",
	    CLI_CALLS(plan_set_max_traces) },
	{ 0, "max-trace-length", "N",
	    "create: keep the first N functions of each trace",
	    CLI_CALLS(plan_set_trace_length) },
	{ 0, "level", "LEVEL",
	    "create: inputs of another level are bad: ir or frontend",
	    CLI_CALLS(plan_set_level) },
	{ 0, "shard", "K", "show, part: print, or merge, the inputs of shard K",
	    CLI_CALLS(plan_set_shard) },
	{ 0, "partial", NULL,
	    "merge: accept missing shards; the sum is a part",
	    CLI_SETS(struct plan_options, partial) },
	{ 'S', "buffer-size", "SIZE",
	    "part, merge: sum in SIZE of memory, as 64M, and files",
	    CLI_SETS(struct plan_options, merge.buffer) },
	{ 0, "json", NULL, "show, status: print lines of JSON",
	    CLI_SETS(struct plan_options, json) },
	{ 0, "missing", NULL,
	    "status: print only the numbers of missing shards",
	    CLI_SETS(struct plan_options, missing) },
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
	{ options, cli_options }
};

/* Refuses options and operands that have no meaning for the verb. */
static void
plan_check_options(const struct cli *c, const struct plan_options *o,
    enum verb verb, int operands)
{
	const struct plan_split *s = &o->split;
	bool split = (s->shards | s->count | s->bytes) != 0;
	bool sums = verb == PART || verb == MERGE;

	if (c->options.member_glob != NULL)
		cli_usage_error(c, "--member is for prof-merge: a plan has "
		    "each input as a whole");
	if (!sums && (c->report.damage.keep_going || o->merge.buffer != 0 ||
	    c->report.damage.report != NULL))
		cli_usage_error(c, "--buffer-size, --keep-going, --max-bad and "
		    "--report are for part and merge");
	if (verb == CREATE && (s->shards != 0) == ((s->count | s->bytes) != 0))
		cli_usage_error(c, "create needs either --shards or "
		    "--per-shard");
	if (verb != CREATE && split)
		cli_usage_error(c, "--shards and --per-shard are for create");
	if (verb != CREATE && (o->members || o->digests))
		cli_usage_error(c, "--members and --digest are for create");
	if (verb != CREATE && verb != PART && o->fetch.command != NULL)
		cli_usage_error(c, "--fetch is for create and part");
	if (verb != CREATE && (o->terms.sampled ||
	    o->terms.max_trace_length != 0 ||
	    o->terms.level != PROF_LEVEL_UNKNOWN))
		cli_usage_error(c, "--level, --max-traces and "
		    "--max-trace-length are for create");
	if (verb != SHOW && verb != PART && o->shard != 0)
		cli_usage_error(c, "--shard is for show and part");
	if (verb != MERGE && o->partial)
		cli_usage_error(c, "--partial is for merge");
	if (verb != STATUS && o->missing)
		cli_usage_error(c, "--missing is for status");
	if (verb != STATUS && verb != SHOW && o->json)
		cli_usage_error(c, "--json is for show and status");
	if (o->json && o->missing)
		cli_usage_error(c, "--json cannot be used with --missing");
	if (verb == CLEAN && c->output.path != NULL)
		cli_usage_error(c, "clean does not accept -o");
	if (verb == SHOW && operands != 1)
		cli_usage_error(c, "show needs one plan");
	if (verb == PART && (o->shard == 0 || operands != 1 ||
	    c->options.listed))
		cli_usage_error(c, "part needs --shard and one plan, which "
		    "names the inputs");
	if (verb == MERGE && operands == 0)
		cli_usage_error(c, "merge needs a plan");
	if (verb == STATUS && operands == 0)
		cli_usage_error(c, "status needs a plan");
	if (verb == CLEAN && operands != 2)
		cli_usage_error(c, "clean needs a plan and a result");
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
	struct plan_options o = { .merge.scale = { 1, 1 } };
	struct cli c;
	enum verb verb;
	int code;

	cli_start(&c, &program);
	verb = cli_parse_verb(&c, &o, verbs, &argc, &argv);
	plan_check_options(&c, &o, verb, argc);
	code = plan_run_verb(&c, &o, verb, argc, argv);
	fetch_free(&o.fetch);
	return code;
}
