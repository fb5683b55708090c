#include "config.h"

#include "cmd/common/options.h"

#include <stdio.h>
#include <string.h>

#include "cmd/common/cli.h"
#include "cmd/common/suffix.h"
#include "model/compilers.h"

enum { JOBS_MAX = 256 };

void
cli_set_jobs(const struct cli_given *g)
{
	uint64_t n = 0;

	if (!cli_is_number(g->argument, 1, JOBS_MAX, &n))
		cli_usage_error(g->cli, "--%s needs a number from 1 to %d, not "
		    "'%s'", g->option->name, JOBS_MAX, g->argument);
	g->cli->options.jobs = (unsigned)n;
}

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

/* Adds the losses that the words name, which have commas between them. */
void
cli_set_fail_on(const struct cli_given *g)
{
	struct cli_damage *d = &g->cli->report.damage;
	char *words = g->argument;
	const char *word;

	while ((word = strsep(&words, ",")) != NULL) {
		if (strcmp(word, "overflow") == 0)
			d->fail_on |= CLI_OVERFLOW;
		else if (strcmp(word, "mismatch") == 0)
			d->fail_on |= CLI_MISMATCH;
		else
			cli_usage_error(g->cli, "--fail-on accepts overflow, "
			    "mismatch, or overflow,mismatch, not '%s'", word);
	}
}

static void
option_set_progress(const struct cli_given *g)
{
	static const char *const words[] = { "json", "none", NULL };

	g->cli->report.progress->form = cli_parse_word(g, words) == 0 ?
	    CLI_PROGRESS_JSON : CLI_PROGRESS_NONE;
}

void
cli_set_list(const struct cli_given *g)
{
	g->cli->options.listed = true;
	cli_add_list(g->cli, g->argument);
}

static unsigned
parse_format_version(const struct cli *c, const char *s)
{
	uint64_t n = 0;

	if (!cli_is_number(s, 1, 9999, &n))
		cli_usage_error(c, "'%s' is not a version of a format", s);
	return (unsigned)n;
}

static void
option_set_format_version(const struct cli_given *g)
{
	g->cli->output.target.version = parse_format_version(g->cli,
	    g->argument);
}

/* The member is one above it, as 0 is a version. */
static void
option_set_memprof_version(const struct cli_given *g)
{
	const char *s = g->argument;

	if (*s < '0' || *s > '4' || s[1] != '\0')
		cli_usage_error(g->cli, "'%s' is not a version of heap "
		    "profiles: use 0 to 4", s);
	g->cli->output.target.memprof_version = (unsigned)(*s - '0') + 1;
}

static void
option_set_sources(const struct cli_given *g)
{
	struct prof_target *t = &g->cli->output.target;

	t->with_sources = true;
	t->with_entries = g->argument != NULL;
	if (g->argument != NULL && strcmp(g->argument, "rfc") != 0)
		cli_usage_error(g->cli, "unknown form '%s' of --with-sources",
		    g->argument);
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
	cli_join_words(list, names);
	cli_usage_error(c, "format '%s' cannot be written: --to accepts %s",
	    name, list);
}

/* FORMAT, FORMAT:VERSION, or FORMAT:VERSION,WORD... */
static void
option_set_format(const struct cli_given *g)
{
	struct prof_target *t = &g->cli->output.target;
	char *options = g->argument, *word;

	t->format = option_parse_format(g->cli, strsep(&options, ":"));
	word = strsep(&options, ",");
	if (word != NULL)
		t->version = parse_format_version(g->cli, word);
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

/* The option's own name is that of the format: --text. */
static void
option_set_named_format(const struct cli_given *g)
{
	g->cli->output.target.format = g->option->name;
}

const struct cli_option cli_to_options[] = {
	{ 0, "to", "FORMAT[:N]",
	    "write stream, indexed, text, raw, memprof-raw,\n"
	    "yaml or lprf; raw:8,be,32 or memprof-raw:5,be for\n"
	    "another machine; lprf:2,plain is not compressed\n"
	    "(default: by the suffix of -o)",
	    CLI_CALLS(option_set_format) },
	/* As llvm-profdata has it. */
	{ 0, "text", NULL, NULL, CLI_CALLS(option_set_named_format) },
	{ 0 }
};

const struct cli_option cli_output_options[] = {
	CLI_OUTPUT_ROW,
	{ 0, "for", "LLVM", "indexed: for clang-N, rust-X.Y, swift-X.Y,\n"
	    "apple-clang-N, xcode-X.Y, or \"$($CC --version)\"",
	    CLI_CALLS(cli_set_release) },
	{ 0, "format-version", "N", "indexed: write version N",
	    CLI_CALLS(option_set_format_version) },
	{ 0, "relabel", NULL, "indexed: write front-end hashes as they are",
	    CLI_SETS(struct cli, output.retarget.relabel) },
	{ 0, "no-vtable-names", NULL,
	    "indexed, text: leave out the names of vtables",
	    CLI_SETS(struct cli, output.target.no_vtable_names) },
	{ 0, "memprof-version", "N",
	    "indexed: write heap profiles as version N",
	    CLI_CALLS(option_set_memprof_version) },
	{ 0, "memprof-full-schema", NULL,
	    "indexed: write all figures of heap profiles",
	    CLI_SETS(struct cli, output.target.memprof_full_schema) },
	{ 0, "with-sources", "[=rfc]", "indexed: add the source files of "
	    "stacks", CLI_CALLS(option_set_sources) },
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
	    CLI_CALLS(option_set_progress) },
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
