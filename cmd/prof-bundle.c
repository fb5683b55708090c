/* prof-bundle - profiles in one tar archive, with a manifest */
#include "config.h"

#include <limits.h>

#include "base/json_text.h"
#include "cmd/bundle/bundle.h"
#include "cmd/common/cli.h"

enum verb { CREATE, ADD, LIST, EXTRACT };

enum { NEW = CLI_VERB(CREATE) | CLI_VERB(ADD) };

static const struct cli_verb verbs[] = {
	[CREATE] = { "create", 0, INT_MAX, NULL, NULL },
	[ADD] = { "add", 1, INT_MAX, "a bundle",
	    (const char *const[]){ "output", NULL } },
	[LIST] = { "list", 0, INT_MAX, NULL,
	    (const char *const[]){ "output", "member", NULL } },
	[EXTRACT] = { "extract", 1, INT_MAX, "a bundle",
	    (const char *const[]){ "output", NULL } },
	{ .name = NULL }
};

static void
bundle_set_run(const struct cli_given *g)
{
	struct bundle_options *o = g->run;

	o->run = span_of_text(g->argument);
	if (o->run.size == 0 || !json_text_fits(o->run))
		cli_usage_error(g->cli, "--run needs text in UTF-8");
}

static const struct cli_option options[] = {
	{ 0, "dedup", "WHAT", "which new profiles are the same: of equal bytes "
	    "and run\n(run, the default), or of equal bytes (content)",
	    CLI_SETS_WORD(struct bundle_options, dedup,
	    [BUNDLE_BY_RUN] = "run", [BUNDLE_BY_CONTENT] = "content"),
	    .verbs = NEW },
	{ 0, "run", "ID",
	    "identify the run of new profiles by ID, not by times",
	    CLI_CALLS(bundle_set_run), .verbs = NEW },
	{ 0, "pack", "WHAT",
	    "create, add: compress with gzip, xz, zstd or none\n"
	    "(default: as the suffix says, or the bundle is)",
	    CLI_SETS_WORD(struct bundle_options, packing,
	    [PACKING_NONE] = "none", [PACKING_GZIP] = "gzip",
	    [PACKING_XZ] = "xz", [PACKING_ZSTD] = "zstd"),
	    CLI_MARKS(struct bundle_options, packs), .verbs = NEW },
	{ 0, "json", NULL, "list: print lines of JSON",
	    CLI_SETS(struct bundle_options, json), .verbs = CLI_VERB(LIST) },
	{ 'C', "directory", "DIR", "extract: write below DIR",
	    CLI_SETS(struct bundle_options, folder),
	    .verbs = CLI_VERB(EXTRACT) },
	{ 0, "force", NULL, "extract: replace existing files",
	    CLI_SETS(struct bundle_options, force),
	    .verbs = CLI_VERB(EXTRACT) },
	CLI_OUTPUT_ROW,
	CLI_JOBS_ROW,
	{ 0 }
};

static const struct cli_program program = { "prof-bundle", NULL,
"usage: prof-bundle create [options] [FILE...]\n"
"       prof-bundle add [options] BUNDLE [FILE...]\n"
"       prof-bundle list [--json] [BUNDLE...]\n"
"       prof-bundle extract [-C DIR] [--force] BUNDLE [GLOB...]\n"
"Keeps profiles in one tar archive with a manifest.\n",
	.examples =
"  prof-bundle create --pack zstd -o all.bundle runs\n"
"  prof-bundle list all.bundle\n",
	.tables = { options, cli_options }, .verbs = verbs
};

/* argv[0] is the bundle of add and extract. */
static void
bundle_restrict(const struct cli *c, const struct bundle_options *o,
    enum verb verb, char **argv)
{
	struct cli_writes w = { .file = NULL };

	if (verb == ADD)
		w.file = argv[0];
	if (verb == EXTRACT)
		w.folder = o->folder == NULL ? "." : o->folder;
	cli_restrict(c, &w);
}

static int
bundle_run_verb(struct cli *c, struct bundle_options *o, enum verb verb,
    int argc, char **argv)
{
	bundle_restrict(c, o, verb, argv);
	switch (verb) {
	case ADD:
		cli_operands(c, argc - 1, argv + 1);
		return bundle_add(c, o, argv[0]);
	case EXTRACT:
		cli_operands(c, 1, argv);
		return bundle_extract(c, o, argv + 1);
	default:
		break;
	}
	cli_operands(c, argc, argv);
	return verb == CREATE ? bundle_create(c, o) : bundle_list(c, o);
}

int
main(int argc, char **argv)
{
	struct bundle_options o = { .packing = PACKING_NONE };
	enum verb verb;
	struct cli c;

	cli_start(&c, &program);
	verb = (enum verb)cli_parse(&c, &o, &argc, &argv);
	if (o.run.size != 0 && o.dedup == BUNDLE_BY_CONTENT)
		cli_usage_error(&c, "--run cannot be used with "
		    "--dedup=content");
	if (!o.packs)
		o.packing = c.output.packing;
	return bundle_run_verb(&c, &o, verb, argc, argv);
}
