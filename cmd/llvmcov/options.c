/* The options of llvm-cov: table, --help, messages. */
#include "config.h"

#include "cmd/llvmcov/llvmcov.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "Usage: llvm-cov {export|report|show} [OPTION]...\n\n"
    "Shows code coverage information.\n\nSubcommands:\n"
    "  export: Export instrprof file to structured format.\n"
    "  report: Summarize instrprof style coverage information.\n"
    "  show:   Annotate source files using instrprof style coverage.\n";

void
llvmcov_fail(const char *where, const char *format, ...)
{
	va_list ap;

	message_print("error: %s%s", where == NULL ? "" : where,
	    where == NULL ? "" : ": ");
	va_start(ap, format);
	message_vprint_lines(format, ap);
	va_end(ap);
	message_print("\n");
	exit(1);
}

static void
llvmcov_refuse(const struct cli_given *g, enum cli_refusal why)
{
	if (g->verb != NULL)
		llvm_refuse(g, why);
	if (g->word != NULL && (strcmp(g->word, "gcov") == 0 ||
	    strcmp(g->word, "convert-for-testing") == 0)) {
		message_print("error: %s: this program does not know it: use "
		    "LLVM's llvm-cov\n", g->word);
		exit(1);
	}
	if (g->word != NULL)
		message_print("Unrecognized command: %s.\n", g->word);
	message_repeat("\n", g->word != NULL);
	message_repeat(usage, strlen(usage));
	exit(1);
}

/* All operands behind it are sources. */
static void
option_set_sources(const struct cli_given *g)
{
	struct llvmcov *l = g->run;

	l->sources_word = g->word;
	if (g->argument != NULL && !ARRAY_ADD(l->sources.items,
	    l->sources.size, l->sources.room, g->argument))
		cli_out_of_memory(g->cli);
}

static const struct cli_verb verbs[] = {
	[LLVMCOV_EXPORT] = { "export", 0, INT_MAX, NULL, NULL },
	[LLVMCOV_REPORT] = { "report", 0, INT_MAX, NULL, NULL },
	[LLVMCOV_SHOW] = { "show", 0, INT_MAX, NULL, NULL },
	{ 0 }
};

static void
llvmcov_help(const struct cli_given *g)
{
	const struct cli_option *o = g->cli->program->tables[0];

	if (g->verb == NULL)
		printf("%s\nExamples:\n%s", usage,
		    g->cli->program->examples);
	else
		printf("OVERVIEW: LLVM code coverage tool\n\nUSAGE: %s %s "
		    "[options] Covered executable or object file. <Source "
		    "files>\n\nOPTIONS:\n\n", g->cli->name, g->verb->name);
	for (; g->verb != NULL && o->name != NULL; o++) {
		if (o->help != NULL && (o->verbs == 0 ||
		    (o->verbs & CLI_VERB(g->verb - verbs)) != 0))
			printf("  --%s%s%s%s\n", o->name, o->argument == NULL ?
			    "" : "=<", o->argument == NULL ? "" : o->argument,
			    o->argument == NULL ? "" : ">");
	}
	exit(stdio_close(stdout) != 0);
}

enum {
	EXPORT = CLI_VERB(LLVMCOV_EXPORT), SHOW = CLI_VERB(LLVMCOV_SHOW),
	REPORT = CLI_VERB(LLVMCOV_REPORT), ALL = EXPORT | SHOW | REPORT
};

#define AT(field) CLI_MEMBER(struct llvmcov, field)
#define TEXT(name, field) \
	{ 0, name, "string", "", CLI_SETS(struct llvmcov, field), .verbs = ALL }
#define FLAG(c, name, field) \
	{ 0, name, NULL, "", CLI_CALLS(llvm_set_flag), AT(field), .verbs = (c) }
#define FLAG_GIVEN(c, name, field) \
	{ 0, name, NULL, "", CLI_CALLS(llvm_set_flag), AT(field), \
	    CLI_MARKS(struct llvmcov, field##_given), .verbs = (c) }
#define NUMBER(c, letter, name) \
	{ letter, name, "uint", "", CLI_CALLS(llvm_set_number), AT(unused), \
	    .max = UINT32_MAX, .verbs = (c) }
#define IGNORE(c, name, value) \
	{ 0, name, value, "", CLI_CALLS(llvm_ignore), .verbs = (c) }

static const struct cli_option options[] = {
	{ 0, "compat", "release", "", CLI_CALLS(llvm_set_compat) },
	TEXT("instr-profile", profile),
	FLAG(ALL, "empty-profile", empty_profile),
	TEXT("object", objects),
	{ 0, "sources", NULL, "", CLI_CALLS(option_set_sources) },
	TEXT("arch", arches),
	TEXT("ignore-filename-regex", ignored),
	TEXT("path-equivalence", equivalences),
	TEXT("compilation-dir", folder),
	TEXT("Xdemangler", demangler),
	TEXT("name", names),
	TEXT("name-regex", name_regexes),
	{ 0, "format", "text|html|lcov", "", CLI_SETS_WORD(struct llvmcov,
	    format, "text", "html", "lcov"), .verbs = ALL },
	FLAG_GIVEN(ALL, "use-color", color),
	NUMBER(ALL, 'j', "num-threads"),
	IGNORE(ALL, "dump", NULL),
	IGNORE(ALL, "debug-file-directory", "string"),
	IGNORE(ALL, "debuginfod", NULL),
	IGNORE(ALL, "check-binary-ids", NULL),
	IGNORE(ALL, "color", NULL),

	FLAG(EXPORT, "summary-only", json.summary_only),
	FLAG(EXPORT, "skip-expansions", json.skip_expansions),
	FLAG(EXPORT, "skip-functions", json.skip_functions),
	FLAG(EXPORT, "skip-branches", lcov.skip_branches),
	FLAG(EXPORT, "unify-instantiations", lcov.join),

	FLAG(ALL, "show-region-summary", report.regions),
	FLAG(ALL, "show-branch-summary", report.branches),
	FLAG(ALL, "show-mcdc-summary", report.conditions),
	FLAG(ALL, "show-instantiation-summary", report.instances),
	FLAG(REPORT, "show-functions", show_functions),

	FLAG_GIVEN(SHOW, "show-line-counts", counts),
	FLAG(SHOW, "show-regions", regions),
	FLAG(SHOW, "show-line-counts-or-regions", counts_or_regions),
	{ 0, "show-branches", "count|percent", "", CLI_SETS_WORD(struct
	    llvmcov, branches, "count", "percent"), .value =
	    LLVMCOV_BRANCH_COUNTS, .verbs = SHOW },
	FLAG(SHOW, "show-mcdc", show.decisions),
	FLAG(SHOW, "show-expansions", show.expansions),
	FLAG(SHOW, "show-instantiations", show.instances),
	{ 'o', "output-dir", "string", "", CLI_SETS(struct llvmcov,
	    output_dir), .verbs = SHOW },
	NUMBER(SHOW, 0, "tab-size"),
	{ 0, "project-title", "string", "", CLI_SETS(struct llvmcov, title),
	    .verbs = SHOW },
	IGNORE(SHOW, "coverage-watermark", "high,low"),
	IGNORE(SHOW, "show-directory-coverage", NULL),
	IGNORE(SHOW, "show-created-time", NULL),

	{ 'h', "help", NULL, NULL, CLI_CALLS(llvmcov_help) },
	{ 0, "help-hidden", NULL, NULL, CLI_CALLS(llvmcov_help) },
	{ 0, "version", NULL, NULL, CLI_CALLS(llvm_print_version) },
	{ 0 }
};

const struct cli_program llvmcov_program = {
	.examples =
"  llvm-cov report -instr-profile words.profdata words.o\n"
"  llvm-cov export -format=lcov -instr-profile words.profdata words.o\n",
	.tables = { options }, .verbs = verbs, .refuse = llvmcov_refuse
};
