#include "config.h"

#include "cmd/common/cli.h"

#include <stddef.h>
#include <string.h>

#include "io/suffix.h"
#include "model/releases.h"

/* Of --keep-going=N or P%. */
static void
option_set_keep_going(const struct cli_given *g)
{
	struct cli_damage *d = &g->cli->report.damage;
	const char *end;

	d->keep_going = true;
	if (g->argument == NULL)
		return;
	end = cli_parse_number(g->argument, 0, UINT64_MAX, &d->max_bad);
	d->percent = end != NULL && *end == '%';
	if (end == NULL || end[d->percent] != '\0' ||
	    (d->percent && d->max_bad > 100))
		cli_usage_error(g->cli, "--keep-going needs a number of inputs "
		    "or a percentage, not '%s'", g->argument);
	d->limited = true;
}

static void
option_set_max_count(const struct cli_given *g)
{
	uint64_t n;

	if (!cli_is_number(g->argument, 1, UINT64_MAX, &n))
		cli_usage_error(g->cli, "--max-count needs a number above 0, "
		    "not '%s'", g->argument);
	prof_context_limit_counts(g->cli->context, n, n);
	g->cli->options.has_max_count = true;
}

void
cli_set_traces(const struct cli *c, const char *argument,
    struct merge_trace_limits *t)
{
	uint64_t traces = 0;
	const char *end = cli_parse_number(argument, 0, UINT32_MAX, &traces);

	if (end != NULL && *end == ',')
		end = cli_parse_number(end + 1, 1, UINT64_MAX, &t->length);
	if (end == NULL || *end != '\0')
		cli_usage_error(c, "--max-traces needs N or N,LENGTH, not '%s'",
		    argument);
	t->traces = (size_t)traces;
	t->sampled = true;
}

void
cli_set_list(const struct cli_given *g)
{
	cli_add_input(g->cli, &(struct cli_input){ .path = g->argument,
	    .weight = { 1, 1 }, .kind = g->cli->options.nul_separated ?
	    CLI_LIST_NUL : CLI_LIST });
}

/*
 * What may stand behind --to FORMAT:, beside a version and, for indexed, the
 * name of a compiler.
 */
static const struct format_word {
	const char *format, *word;
	size_t member;			/* of struct cli_output */
	unsigned char value, width;	/* bytes */
} format_words[] = {
#define WORD(format, word, path, value) \
	{ format, word, offsetof(struct cli_output, path), value, \
	    sizeof(((struct cli_output *)0)->path) }
	WORD("lprf", "plain", target.plain, true),
	WORD("indexed", "memprof-0", target.memprof_version, 1),
	WORD("indexed", "memprof-1", target.memprof_version, 2),
	WORD("indexed", "memprof-2", target.memprof_version, 3),
	WORD("indexed", "memprof-3", target.memprof_version, 4),
	WORD("indexed", "memprof-4", target.memprof_version, 5),
	WORD("indexed", "full", target.memprof_full_schema, true),
	WORD("indexed", "relabel", retarget.relabel, true),
	WORD("indexed", "no-vtables", target.no_vtable_names, true),
	WORD("text", "no-vtables", target.no_vtable_names, true),
#undef WORD
};

static void
option_set_format_word(const struct cli_given *g, const char *word)
{
	struct cli_output *o = &g->cli->output;
	const char *known[sizeof(format_words) / sizeof(*format_words) + 1];
	char list[CLI_WORDS_SIZE];
	uint64_t version;
	size_t n = 0;

	for (size_t i = 0; i < sizeof(format_words) / sizeof(*format_words);
	    i++) {
		const struct format_word *f = &format_words[i];

		if (strcmp(f->format, o->target.format) != 0)
			continue;
		known[n++] = f->word;
		if (strcmp(f->word, word) == 0) {
			cli_store((char *)o + f->member, f->width, f->value);
			return;
		}
	}
	known[n] = NULL;
	if (cli_is_number(word, 1, 9999, &version)) {
		o->target.version = (unsigned)version;
		return;
	}
	if (strcmp(o->target.format, "indexed") == 0 &&
	    compiler_named(word) != NULL) {
		o->compiler = word;
		return;
	}
	if (n == 0)
		cli_usage_error(g->cli, "%s accepts only a version, not '%s'",
		    o->target.format, word);
	cli_join_words(list, known, "or");
	cli_usage_error(g->cli, "'%s' is not a version of %s, nor %s", word,
	    o->target.format, list);
}

/* NAME is that of a format or the suffix of its files. */
static const char *
option_parse_format(const struct cli *c, const char *name)
{
	const char *names[SUFFIX_FORMATS + 1];
	const char *format = suffix_format_named(name);
	struct prof_versions versions;
	char list[CLI_WORDS_SIZE];

	if (format != NULL && prof_writable(format, &versions))
		return format;
	suffix_formats(names);
	cli_join_words(list, names, "or");
	cli_usage_error(c, "format '%s' cannot be written: --to accepts %s",
	    name, list);
}

/*
 * FORMAT, or FORMAT:WORD,WORD..., of which one may be a version; or --text.
 * What an earlier one said does not count.
 */
static void
option_set_format(const struct cli_given *g)
{
	struct cli_output *o = &g->cli->output;
	char *words = g->argument;
	const char *word;

	o->target = (struct prof_target){ .format = option_parse_format(g->cli,
	    words == NULL ? g->option->name : strsep(&words, ":")) };
	o->retarget.relabel = false;
	o->compiler = NULL;
	while ((word = strsep(&words, ",")) != NULL)
		option_set_format_word(g, word);
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
		cli_usage_error(g->cli, "unknown release '%s'; use clang-3.5 "
		    "to clang-%s, or \"$($CC --version)\"", g->argument,
		    llvm_release_newest()->name);
	g->cli->output.release = g->argument;
	retarget_release(r, &g->cli->output.retarget);
}

const struct cli_option cli_to_options[] = {
	{ 0, "to", "FORMAT[:WORDS]",
	    "write stream, indexed, text, yaml or lprf\n"
	    "(default: by the suffix of -o), as indexed:12 or\n"
	    "indexed:clang-16",
	    CLI_CALLS(option_set_format) },
	/* As llvm-profdata has it. */
	{ 0, "text", NULL, NULL, CLI_CALLS(option_set_format) },
	{ 0 }
};

const struct cli_option cli_output_options[] = {
	CLI_OUTPUT_ROW,
	CLI_ALLOW_EMPTY_ROW,
	{ 0 }
};

const struct cli_option cli_indexed_options[] = {
	{ 0, "to", "indexed:WORDS",
	    "write version N; memprof-N, full: of heap profiles;\n"
	    "relabel: front-end hashes as they are;\n"
	    "no-vtables: without the names of vtables",
	    CLI_CALLS(option_set_format) },
	{ 0, "for", "LLVM", "write for clang-N, or \"$($CC --version)\"",
	    CLI_CALLS(cli_set_release) },
	{ 0 }
};

const struct cli_option cli_options[] = {
	/* CLI_LIST_ROWS. */
	{ 0, "files-from", "LIST", "read the names of inputs from LIST",
	    CLI_CALLS(cli_set_list) },
	{ '0', "null", NULL, "names in LIST end with NUL, not newline",
	    CLI_SETS(struct cli, options.nul_separated) },
	{ 0, "member", "GLOB", "read only archive members whose path matches",
	    CLI_SETS(struct cli, options.member_glob) },
	{ 0, "max-size", "SIZE", "refuse inputs larger than SIZE (16G)",
	    CLI_SETS(struct cli, options.max_size) },
	{ 0, "max-count", "N", "refuse inputs with counters above N",
	    CLI_CALLS(option_set_max_count) },
	{ 0, "keep-going", "[=N]",
	    "leave out bad inputs, and exit with 1; there may be N,\n"
	    "or N%, which is no failure", CLI_CALLS(option_set_keep_going) },
	{ 0, "report", "FILE", "write a line of JSON about each bad input",
	    CLI_SETS(struct cli, report.damage.report) },
	{ 'q', "quiet", NULL, "no warnings, no progress",
	    CLI_SETS(struct cli, options.quiet) },
	{ 'v', "verbose", NULL, "print the name and format of each input",
	    CLI_SETS(struct cli, options.verbose) },
	{ 'h', "help", NULL, "print this help", CLI_CALLS(cli_print_help) },
	{ 'V', "version", NULL, "print the version",
	    CLI_CALLS(cli_print_version) },
	{ 0 }
};
