/* prof-bundle - profiles in one tar archive, with a manifest */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_text.h"
#include "cmd/bundle/bundle.h"
#include "cmd/bundle/set.h"

static const char usage[] =
"usage: prof-bundle create [options] [FILE...]\n"
"       prof-bundle add [options] BUNDLE [FILE...]\n"
"       prof-bundle list [--json] [BUNDLE...]\n"
"       prof-bundle verify [BUNDLE...]\n"
"       prof-bundle extract [-C DIR] [--force] BUNDLE [GLOB...]\n"
"       prof-bundle merge [options] [BUNDLE...]\n"
"Keeps profiles in one tar archive, with a manifest of what they are.\n"
"\n"
"      --label KEY=VALUE a label of each new profile\n"
"      --zstd            create, add, merge: pack the bundle with zstd\n"
"      --xz              ... with xz\n"
"      --gzip            ... with gzip\n"
"      --no-pack         ... not at all\n"
"      --consume         remove the inputs once the bundle is in place\n"
"      --json            list: as lines of JSON\n"
"  -C, --directory DIR   extract: below DIR\n"
"      --force           extract: replace files that are there\n"
CLI_FAIL_ON_USAGE
CLI_TO_USAGE
CLI_OUTPUT_USAGE
CLI_USAGE;

enum { LABEL = CLI_OWN, ZSTD, XZ, GZIP, NO_PACK, CONSUME, JSON, FORCE };

static const struct option options[] = {
	{ "label", required_argument, NULL, LABEL },
	{ "zstd", no_argument, NULL, ZSTD },
	{ "xz", no_argument, NULL, XZ },
	{ "gzip", no_argument, NULL, GZIP },
	{ "no-pack", no_argument, NULL, NO_PACK },
	{ "consume", no_argument, NULL, CONSUME },
	{ "json", no_argument, NULL, JSON },
	{ "directory", required_argument, NULL, 'C' },
	{ "force", no_argument, NULL, FORCE },
	CLI_FAIL_ON_LONG, CLI_TO_LONG, CLI_OUTPUT_LONG, CLI_LONG, { 0 }
};

static const char *const verbs[] = {
	"create", "add", "list", "verify", "extract", "merge"
};
enum verb { CREATE, ADD, LIST, VERIFY, EXTRACT, MERGE, VERBS };

/* Inserts a label, sorted by key; it replaces an earlier one of its key. */
static void
bundle_add_label(const struct cli *c, struct bundle_options *o,
    const char *text)
{
	const char *equals = strchr(text, '=');
	struct manifest_label *l, new;
	size_t i = 0;

	if (equals == NULL || equals == text ||
	    !json_text_fits(span_of_text(text)))
		cli_usage_error(c, "'%s' is not KEY=VALUE in UTF-8", text);
	new.key = span_of_text(text);
	new.key.size = (size_t)(equals - text);
	new.value = span_of_text(equals + 1);
	if (!ARRAY_ROOM(o->labels, o->labels_size, o->labels_room))
		cli_out_of_memory(c);
	l = o->labels;
	while (i < o->labels_size && prof_span_compare(l[i].key, new.key) < 0)
		i++;
	if (i == o->labels_size || prof_span_compare(l[i].key, new.key) != 0)
		memmove(l + i + 1, l + i, (o->labels_size++ - i) * sizeof(*l));
	l[i] = new;
}

static void
bundle_set_packing(struct bundle_options *o, enum packing packing)
{
	o->packs = true;
	o->packing = packing;
}

static void
bundle_option(struct cli *c, struct bundle_options *o, int option)
{
	switch (option) {
	case LABEL:
		bundle_add_label(c, o, optarg);
		break;
	case ZSTD:
		bundle_set_packing(o, PACKING_ZSTD);
		break;
	case XZ:
		bundle_set_packing(o, PACKING_XZ);
		break;
	case GZIP:
		bundle_set_packing(o, PACKING_GZIP);
		break;
	case NO_PACK:
		bundle_set_packing(o, PACKING_NONE);
		break;
	case CONSUME:
		o->consume = true;
		break;
	case JSON:
		o->json = true;
		break;
	case 'C':
		o->folder = optarg;
		break;
	case FORCE:
		o->force = true;
		break;
	default:
		cli_option(c, option);
	}
}

/* Refuses options that have no meaning for the verb. */
static void
bundle_check_options(const struct cli *c, const struct bundle_options *o,
    enum verb verb)
{
	bool writes = verb == CREATE || verb == ADD || verb == MERGE;
	bool target = c->output.target.format != NULL || c->output.release !=
	    NULL || c->output.target.version != 0 ||
	    c->output.retarget.relabel || c->output.target.no_vtable_names ||
	    c->output.target.memprof_version != 0 ||
	    c->output.target.memprof_full_schema ||
	    c->output.target.with_sources;

	if (!writes && (o->packs || o->consume || o->labels_size != 0))
		cli_usage_error(c, "%s takes no --label, --consume or packing",
		    verbs[verb]);
	if (c->output.path != NULL && verb != CREATE && verb != MERGE)
		cli_usage_error(c, "%s takes no -o", verbs[verb]);
	if (target && verb != MERGE)
		cli_usage_error(c, "--to and what goes with it is for merge");
	if (c->report.damage.fail_on != 0 && verb != MERGE)
		cli_usage_error(c, "--fail-on is for merge");
	if (o->json && verb != LIST)
		cli_usage_error(c, "--json is for list");
	if ((o->folder != NULL || o->force) && verb != EXTRACT)
		cli_usage_error(c, "-C and --force are for extract");
	if (o->consume && c->options.member_glob != NULL)
		cli_usage_error(c, "--consume does not go with --member: what "
		    "is left out would be lost");
}

static enum verb
bundle_find_verb(const struct cli *c, const char *word)
{
	for (enum verb v = 0; v < VERBS; v++) {
		if (strcmp(word, verbs[v]) == 0)
			return v;
	}
	cli_usage_error(c, "'%s' is not create, add, list, verify, extract or "
	    "merge", word);
}

static int
bundle_run_verb(struct cli *c, struct bundle_options *o, enum verb verb,
    int argc, char **argv)
{
	if ((verb == ADD || verb == EXTRACT) && argc == 0)
		cli_usage_error(c, "%s needs a bundle", verbs[verb]);
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
	switch (verb) {
	case CREATE:
		return bundle_create(c, o);
	case LIST:
		return bundle_list(c, o);
	case VERIFY:
		return bundle_verify(c, o);
	default:
		return bundle_merge(c, o);
	}
}

int
main(int argc, char **argv)
{
	struct bundle_options o = { .packing = PACKING_NONE };
	enum verb verb = VERBS;
	struct cli c;
	int option, status;

	cli_start(&c, "prof-bundle", usage, NULL);
	if (argc > 1 && argv[1][0] != '-') {
		verb = bundle_find_verb(&c, argv[1]);
		argv[1] = argv[0];
		argc--;
		argv++;
	}
	while ((option = getopt_long(argc, argv, CLI_LETTERS
	    CLI_OUTPUT_LETTERS "C:", options, NULL)) != -1)
		bundle_option(&c, &o, option);
	if (verb == VERBS)
		cli_usage_error(&c, "a verb comes first");
	bundle_check_options(&c, &o, verb);
	status = bundle_run_verb(&c, &o, verb, argc - optind, argv + optind);
	free(o.labels);
	return status;
}
