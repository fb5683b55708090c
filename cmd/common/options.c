#include "config.h"

#include "cmd/common/options.h"

#include <stdio.h>
#include <string.h>

#include "cmd/common/cli.h"
#include "cmd/common/suffix.h"
#include "model/compilers.h"

/* N or P% of --max-bad. */
static void
option_set_max_bad(const struct cli_given *g)
{
	struct cli_damage *d = &g->cli->report.damage;
	const char *end = cli_parse_number(g->argument, 0, UINT64_MAX,
	    &d->max_bad);

	d->percent = end != NULL && *end == '%';
	if (end == NULL || end[d->percent] != '\0' ||
	    (d->percent && d->max_bad > 100))
		cli_usage_error(g->cli, "--max-bad needs a number of inputs or "
		    "a percentage, not '%s'", g->argument);
	d->keep_going = d->limited = true;
}

void
cli_set_list(const struct cli_given *g)
{
	g->cli->options.listed = true;
	cli_add_list(g->cli, g->argument);
}

static bool
option_set_byte_order(struct prof_target *t, const char *word)
{
	if (strcmp(word, "be") != 0 && strcmp(word, "le") != 0)
		return false;
	t->big_endian = word[0] == 'b';
	return true;
}

static bool
option_set_machine(struct prof_target *t, const char *word)
{
	if (strcmp(word, "32") != 0 && strcmp(word, "64") != 0)
		return option_set_byte_order(t, word);
	t->pointer_bits = word[0] == '3' ? 32 : 64;
	return true;
}

/* Programs with raw heap profiles have 64 bits. */
static bool
option_set_memprof_machine(struct prof_target *t, const char *word)
{
	return strcmp(word, "64") == 0 || option_set_byte_order(t, word);
}

static bool
option_set_plain(struct prof_target *t, const char *word)
{
	t->plain = strcmp(word, "plain") == 0;
	return t->plain;
}

/* What may stand behind FORMAT:VERSION, in any order. */
static const struct format_words {
	const char *format, *words;
	bool (*set)(struct prof_target *, const char *word);
} format_words[] = {
	{ "raw", "le, be, 32 or 64", option_set_machine },
	{ "memprof-raw", "le, be or 64", option_set_memprof_machine },
	{ "lprf", "plain", option_set_plain },
};

static void
option_set_format_words(struct cli *c, char *words)
{
	const size_t rows = sizeof(format_words) / sizeof(*format_words);
	struct prof_target *t = &c->output.target;
	const char *word;
	size_t i = 0;

	while (i < rows && strcmp(format_words[i].format, t->format) != 0)
		i++;
	while ((word = strsep(&words, ",")) != NULL) {
		if (i == rows)
			cli_usage_error(c, "%s accepts only a version, not "
			    "'%s'", t->format, word);
		if (!format_words[i].set(t, word))
			cli_usage_error(c, "'%s' is not %s", word,
			    format_words[i].words);
	}
	if (t->plain && t->version == 1)
		cli_usage_error(c, "only version 2 of lprf has a plain form");
}

/* NAME is that of a format or the suffix of its files. */
static const char *
option_parse_format(const struct cli *c, const char *name)
{
	const char *names[SUFFIX_FORMATS + 1];
	const char *format = suffix_format_named(name);
	char list[CLI_WORDS_SIZE];

	if (format != NULL)
		return format;
	suffix_formats(names);
	cli_join_words(list, names, "or");
	cli_usage_error(c, "format '%s' cannot be written: --to accepts %s",
	    name, list);
}

/* FORMAT, FORMAT:VERSION, or FORMAT:VERSION,WORD... */
static void
option_set_format(const struct cli_given *g)
{
	struct prof_target *t = &g->cli->output.target;
	char *options = g->argument, *word;
	uint64_t version = 0;

	t->format = option_parse_format(g->cli, strsep(&options, ":"));
	word = strsep(&options, ",");
	if (word != NULL && !cli_is_number(word, 1, 9999, &version))
		cli_usage_error(g->cli, "'%s' is not a version of a format",
		    word);
	if (word != NULL)
		t->version = (unsigned)version;
	option_set_format_words(g->cli, options);
}

/* Names the releases that are known, and first the nearest of them. */
static void
option_refuse_release(const struct cli_given *g)
{
	char known[COMPILER_NAMES_SIZE], name[COMPILER_NAME_SIZE];
	bool near = compiler_nearest(g->argument, name);

	compiler_names(known);
	cli_usage_error(g->cli, "unknown release '%s'%s%s; use %s, or "
	    "\"$($CC --version)\"", g->argument,
	    near ? ": the nearest is " : "", near ? name : "", known);
}

void
cli_set_release(const struct cli_given *g)
{
	const struct llvm_release *r = compiler_of_banner(g->argument);
	const char *slash = strrchr(g->argument, '/');

	if (r == NULL)
		r = compiler_named(slash == NULL ? g->argument : slash + 1);
	/* Messages quote the first line of a banner. */
	g->argument[strcspn(g->argument, "\n")] = '\0';
	if (r == NULL)
		option_refuse_release(g);
	g->cli->output.release = g->argument;
	retarget_release(r, &g->cli->output.retarget);
}

const struct cli_option cli_to_options[] = {
	{ 0, "to", "FORMAT[:N]",
	    "write stream, indexed, text, raw, memprof-raw,\n"
	    "yaml or lprf; raw:8,be,32 or memprof-raw:5,be for\n"
	    "another machine; lprf:2,plain is not compressed\n"
	    "(default: by the suffix of -o)",
	    CLI_CALLS(option_set_format) },
	/* As llvm-profdata has it. */
	{ 0, "text", NULL, NULL,
	    CLI_SETS(struct cli, output.target.format) },
	{ 0 }
};

const struct cli_option cli_output_options[] = {
	CLI_OUTPUT_ROW,
	{ 0, "for", "LLVM", "indexed: for clang-N, rust-X.Y, swift-X.Y,\n"
	    "apple-clang-N, xcode-X.Y, or \"$($CC --version)\"",
	    CLI_CALLS(cli_set_release) },
	{ 0, "format-version", "N", "indexed: write version N",
	    CLI_SETS_NUMBER(struct cli, output.target.version, 1, 9999) },
	{ 0, "relabel", NULL, "indexed: write front-end hashes as they are",
	    CLI_SETS(struct cli, output.retarget.relabel) },
	{ 0, "no-vtable-names", NULL,
	    "indexed, text: leave out the names of vtables",
	    CLI_SETS(struct cli, output.target.no_vtable_names) },
	{ 0, "memprof-version", "N",
	    "indexed: write heap profiles as version N",
	    CLI_SETS_WORD(struct cli, output.target.memprof_version, "0", "1",
	    "2", "3", "4"), .value = 1 },
	{ 0, "memprof-full-schema", NULL,
	    "indexed: write all figures of heap profiles",
	    CLI_SETS(struct cli, output.target.memprof_full_schema) },
	{ 0, "with-sources", "[=rfc]", "indexed: add the source files of "
	    "stacks", CLI_SETS_WORD(struct cli, output.target.with_entries,
	    "rfc"), .value = 1,
	    CLI_MARKS(struct cli, output.target.with_sources) },
	CLI_ALLOW_EMPTY_ROW,
	{ 0 }
};

const struct cli_option cli_options[] = {
	{ 0, "files-from", "LIST", "read the names of inputs from LIST",
	    CLI_CALLS(cli_set_list) },
	{ '0', "null", NULL, "names in LIST end with NUL, not newline",
	    CLI_SETS(struct cli, options.nul_separated) },
	{ 0, "member", "GLOB", "read only archive members whose path matches",
	    CLI_SETS(struct cli, options.member_glob) },
	{ 0, "max-size", "SIZE", "refuse inputs larger than SIZE (16G)",
	    CLI_SETS(struct cli, options.max_size) },
	{ 0, "keep-going", NULL, "leave out bad inputs, and exit with 1",
	    CLI_SETS(struct cli, report.damage.keep_going) },
	{ 0, "max-bad", "N", "keep going with at most N bad inputs, or N%",
	    CLI_CALLS(option_set_max_bad) },
	{ 0, "report", "FILE", "write a line of JSON about each bad input",
	    CLI_SETS(struct cli, report.damage.report) },
	{ 0, "progress", "WHAT", "report progress as json, or none",
	    CLI_SETS_WORD(struct cli, options.progress, "json", "none"),
	    .value = CLI_PROGRESS_JSON },
	{ 'q', "quiet", NULL, "no warnings, no progress",
	    CLI_SETS(struct cli, options.quiet) },
	{ 'v', "verbose", NULL, "print the name and format of each input",
	    CLI_SETS(struct cli, options.verbose) },
	{ 'h', "help", NULL, "print this help", CLI_CALLS(cli_print_help) },
	{ 'V', "version", NULL, "print the version",
	    CLI_CALLS(cli_print_version) },
	{ 0 }
};

void
cli_operands(struct cli *c, int argc, char **argv)
{
	struct cli_input in = { .weight = { 1, 1 } };
	bool any = c->options.listed;

	for (size_t i = 0; i < c->inputs.size; i++)
		any = any || !(c->inputs.items[i].subtracted ||
		    c->inputs.items[i].names);
	for (int i = 0; i < argc; i++) {
		in.path = argv[i];
		cli_add_input(c, &in);
	}
	in.path = "-";
	if (!any && argc == 0)
		cli_add_input(c, &in);
}
