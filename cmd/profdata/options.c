/* The options of llvm-profdata: table, --help, messages. */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cmd/common/messages.h"

static void
refuse_command(const struct cli_given *g)
{
	const struct profdata *p = g->run;
	const char *name = p->cli.name;

	if (!profdata_since(p, 17)) {
		message_print("%s: %s!\n", name, g->word == NULL ?
		    "No command specified" : "Unknown command");
		message_print("USAGE: %s <merge|show|overlap> [args...]\n",
		    name);
	} else if (g->word == NULL)
		message_print("%s: No subcommand specified! Run llvm-profdata "
		    "--help for usage.\n", name);
	else
		message_print("%s: Unknown subcommand '%s'.  Try: '%s "
		    "--help'\n", name, g->word, name);
	exit(1);
}

static void
options_refuse(const struct cli_given *g, enum cli_refusal why)
{
	if (g->verb == NULL)
		refuse_command(g);
	llvm_refuse(g, why);
}

static void
option_add_numbers(const struct cli_given *g)
{
	struct profdata_numbers *l = llvm_member(g);
	char *rest = g->argument, *word;

	while ((word = strsep(&rest, ",")) != NULL) {
		if (!ARRAY_ADD(l->items, l->size, l->room,
		    llvm_number(g, word)))
			profdata_out_of_memory();
	}
}

/* The help of the row is the reason. */
static void
option_fail(const struct cli_given *g)
{
	llvm_fail(NULL, "--%s: %s", g->option->name, g->option->help);
}

/* --help of llvm-profdata, with the sentences of LLVM 22. */

#define MANUAL "See detailed documentation in " \
    "https://llvm.org/docs/CommandGuide/llvm-profdata.html#profdata-"

/* In the order of the verbs. */
static const char *const command_sentences[] = {
	"Takes several profiles and merge them together. " MANUAL "merge",
	"Reads temporal profiling traces from a profile and outputs a function "
	    "order that reduces the number of page faults for those traces. "
	    MANUAL "order",
	"Computes and displays the overlap between two profiles. " MANUAL
	    "overlap",
	"Takes a profile data file and displays the profiles. " MANUAL "show",
};

static const struct cli_verb verbs[] = {
	[PROFDATA_MERGE] = { "merge", 0, INT_MAX, "<filename...>", NULL },
	[PROFDATA_ORDER] = { "order", 0, 1, "<profdata-file>", NULL },
	[PROFDATA_OVERLAP] = { "overlap", 2, 2,
	    "<base profile file> <test profile file>", NULL },
	[PROFDATA_SHOW] = { "show", 0, 1, "<profdata-file>", NULL },
	{ 0 }
};

static bool
is_option_printed(const struct cli_option *o, const struct cli_verb *verb)
{
	return o->help != NULL && o->set != option_fail &&
	    (o->verbs & CLI_VERB(verb - verbs)) != 0;
}

/* Words stand in lines behind the sentence, each with a tab and its own. */
static void
print_option_help(const struct cli_option *o)
{
	const char *argument = o->argument == NULL ? "" : o->argument;
	const char *line = strchr(o->help, '\n');
	bool takes = *argument != '\0';

	printf("  --%s%s%s%s - %.*s\n", o->name, takes ? "=<" : "", argument,
	    takes ? ">" : "", (int)strcspn(o->help, "\n"), o->help);
	for (; line != NULL; line = strchr(line + 1, '\n')) {
		int word = (int)strcspn(line + 1, "\t");
		const char *help = line + 1 + word + 1;

		printf("    =%.*s - %.*s\n", word, line + 1,
		    (int)strcspn(help, "\n"), help);
	}
	if (o->letter != 0)
		printf("  -%c=<%s> - Alias for --%s\n", o->letter, argument,
		    o->name);
}

static void
profdata_help(const struct cli_given *g)
{
	const struct profdata *p = g->run;
	const struct cli_option *o = g->cli->program->tables[0];
	const struct cli_verb *v = g->verb;

	printf("OVERVIEW: LLVM profile data\n\n");
	if (v == NULL)
		printf("USAGE: %s [subcommand] [options]\n\nSUBCOMMANDS:\n\n",
		    p->cli.name);
	else
		printf("SUBCOMMAND '%s': %s\n\nUSAGE: %s %s [options] %s\n\n"
		    "OPTIONS:\n\nGeneral options:\n\n", v->name,
		    command_sentences[v - verbs], p->cli.name, v->name,
		    v->needs);
	for (size_t i = 0; v == NULL && verbs[i].name != NULL; i++)
		printf("  %-7s - %s\n", verbs[i].name, command_sentences[i]);
	for (; v != NULL && o->name != NULL; o++) {
		if (is_option_printed(o, v))
			print_option_help(o);
	}
	printf("\nGeneric Options:\n\n  -h - Alias for --help\n"
	    "  --help - Display available options\n"
	    "  --version - Display the version of this program\n");
	if (v == NULL)
		printf("\nExamples:\n%s", g->cli->program->examples);
	exit(profdata_printed());
}

static const char sample[] =
    "this program does not know sample profiles: use LLVM's llvm-profdata";
static const char gcc[] =
    "unknown format is specified: this program does not know sample profiles";
static const char hotness[] =
    "invents lifetimes, for tests of compilers: use LLVM's llvm-profdata";

static const char probes[] = "functions are shown of a profile only: use "
    "prof-symbolize --binary FILE PROFILE";

enum {
	MERGE = CLI_VERB(PROFDATA_MERGE), SHOW = CLI_VERB(PROFDATA_SHOW),
	OVERLAP = CLI_VERB(PROFDATA_OVERLAP), ORDER = CLI_VERB(PROFDATA_ORDER),
	ALL = MERGE | SHOW | OVERLAP | ORDER
};

#define AT(field) CLI_MEMBER(struct profdata, options.field)
#define STRING(field) CLI_SETS(struct profdata, options.field)
#define UINT(field) CLI_CALLS(llvm_set_number), AT(field), .max = UINT32_MAX
#define ULONG(field) CLI_CALLS(llvm_set_number), AT(field), .max = UINT64_MAX
#define NUMBERS(field) \
	CLI_CALLS(option_add_numbers), AT(field), .max = UINT32_MAX
#define WITH(c, name, field, type, value, help) \
	{ 0, name, value, help, type(field), .verbs = (c) }
#define FLAG(c, name, field, help) \
	{ 0, name, NULL, help, CLI_CALLS(llvm_set_flag), AT(field), \
	    .verbs = (c) }
#define SET(c, name, field, n, help) \
	{ 0, name, NULL, help, \
	    CLI_SETS_VALUE(struct profdata, options.field, n), .verbs = (c) }
#define WORD(c, name, field, first, help, ...) \
	{ 0, name, "value", help, CLI_SETS_WORD(struct profdata, \
	    options.field, __VA_ARGS__), .value = (first), .verbs = (c) }
#define REFUSE(c, name, why) \
	{ 0, name, NULL, why, CLI_CALLS(option_fail), .verbs = (c) }
#define REFUSE_WITH(c, name, why) \
	{ 0, name, "string", why, CLI_CALLS(option_fail), .verbs = (c) }
#define IGNORE(c, name) \
	{ 0, name, NULL, NULL, CLI_CALLS(llvm_ignore), .verbs = (c) }

static const struct cli_option profdata_options[] = {
	{ 0, "compat", "release", "Be as the program of LLVM <release>, 13 to "
	    "22 (default: 22)", CLI_CALLS(llvm_set_compat), .verbs = ALL },
	{ 'o', "output", "output", "Output file",
	    CLI_SETS(struct cli, output.path), .verbs = ALL },
	SET(MERGE | SHOW | OVERLAP, "instr", kind, PROFDATA_INSTR,
	    "Instrumentation profile (default)"),
	SET(SHOW, "memory", kind, PROFDATA_MEMORY,
	    "MemProf memory access profile"),
	WITH(MERGE | SHOW | OVERLAP, "function", function, STRING, "string",
	    "Only functions matching the filter are shown in the output. For "
	    "overlapping CSSPGO, this takes a function name with calling "
	    "context."),

	WITH(MERGE, "weighted-input", weighted, STRING, "string",
	    "<weight>,<filename>"),
	{ 'f', "input-files", "string", "Path to file containing "
	    "newline-separated [<weight>,]<filename> entries",
	    STRING(input_files), .verbs = MERGE },
	{ 'r', "remapping-file", "file", "Symbol remapping file",
	    STRING(remapping_file), .verbs = MERGE },
	FLAG(MERGE, "dump-input-file-list", dump_inputs,
	    "Dump the list of input files and their weights, then exit"),
	WORD(MERGE, "failure-mode", failure_mode, 0, "Failure mode:\n"
	    "any\tFail if any profile is invalid.\n"
	    "all\tFail only if all profiles are invalid.\n"
	    "warn\tDo not fail and just print warnings.",
	    "any", "all", "warn"),
	FLAG(MERGE, "sparse", sparse,
	    "Generate a sparse profile (only meaningful for -instr)"),
	SET(MERGE, "binary", format, 0, "Binary encoding"),
	SET(MERGE, "extbinary", format, 0,
	    "Extensible binary encoding (default)"),
	SET(MERGE, "text", format, 1, "Text encoding"),
	{ 'j', "num-threads", "uint", "Number of merge threads to use "
	    "(default: autodetect)", UINT(threads), .verbs = MERGE },
	WITH(MERGE, "no-function", no_function, STRING, "string",
	    "Exclude functions matching the filter from the output."),
	FLAG(MERGE, "keep-vtable-symbols", keep_vtables,
	    "If true, keep the vtable symbols in indexed profiles"),
	FLAG(MERGE, "write-prev-version", previous_version,
	    "Write the previous version of indexed format, to enable some "
	    "forward compatibility."),
	WITH(MERGE, "temporal-profile-trace-reservoir-size", reservoir, ULONG,
	    "ulong", "The maximum number of stored temporal profile traces "
	    "(default: 100)"),
	WITH(MERGE, "temporal-profile-max-trace-length", trace_length, ULONG,
	    "ulong", "The maximum length of a single temporal profile trace "
	    "(default: 10000)"),
	WITH(MERGE, "debug-info", debug_info, STRING, "string",
	    "For merge, use the provided debug info to correlate the raw "
	    "profile."),
	WITH(MERGE, "binary-file", binary_file, STRING, "string",
	    "For merge, use the provided unstripped binary to correlate the "
	    "raw profile."),
	WORD(MERGE, "correlate", correlate, 0,
	    "Use debug-info or binary correlation to correlate profiles with "
	    "build id fetcher\n<empty>\tNo profile correlation\n"
	    "debug-info\tUse debug info to correlate\n"
	    "binary\tUse binary to correlate", "", "debug-info", "binary"),
	WITH(MERGE, "debug-file-directory", debug_dirs, STRING, "string",
	    "Directories to search for object files by build ID"),
	FLAG(MERGE, "debuginfod", debuginfod, "Enable debuginfod"),
	WITH(MERGE | SHOW, "profiled-binary", profiled_binary, STRING, "string",
	    "Path to binary from which the profile was collected."),
	WORD(MERGE, "memprof-version", memprof_version, 1,
	    "Specify the version of the memprof format to use\n"
	    "0\tversion 0\n1\tversion 1\n2\tversion 2\n3\tversion 3\n"
	    "4\tversion 4", "0", "1", "2", "3", "4"),
	FLAG(MERGE, "memprof-full-schema", memprof_full,
	    "Use the full schema for serialization"),

	FLAG(SHOW, "all-functions", all_functions,
	    "Details for each and every function"),
	FLAG(SHOW, "counts", counts,
	    "Show counter values for shown functions"),
	FLAG(SHOW, "ic-targets", ic_targets,
	    "Show indirect call site target values for shown functions"),
	FLAG(SHOW, "memop-sizes", memop_sizes,
	    "Show the profiled sizes of the memory intrinsic calls for shown "
	    "functions"),
	FLAG(SHOW, "show-vtables", vtables,
	    "Show vtable names for shown functions"),
	WITH(SHOW, "topn", topn, UINT, "uint",
	    "Show the list of functions with the largest internal counts"),
	WITH(SHOW, "value-cutoff", value_cutoff, UINT, "uint",
	    "Set the count value cutoff. Functions with the maximum count less "
	    "than this value will not be printed out. (Default is 0)"),
	FLAG(SHOW, "list-below-cutoff", list_below,
	    "Only output names of functions whose max count values are below "
	    "the cutoff value"),
	FLAG(SHOW, "detailed-summary", detailed,
	    "Show detailed profile summary"),
	WITH(SHOW, "detailed-summary-cutoffs", cutoffs, NUMBERS,
	    "800000,901000,999999",
	    "Cutoff percentages (times 10000) for generating detailed summary"),
	FLAG(SHOW, "covered", covered,
	    "Show only the functions that have been executed."),
	FLAG(SHOW, "text", text,
	    "Show instr profile data in text dump format"),
	FLAG(SHOW, "binary-ids", binary_ids,
	    "Show binary ids in the profile. "),
	FLAG(SHOW, "temporal-profile-traces", traces,
	    "Show temporal profile traces in the profile."),
	FLAG(SHOW, "hot-func-list", hot_functions,
	    "Show profile summary of a list of hot functions"),
	FLAG(SHOW, "profile-version", version, "Show profile version. "),
	FLAG(SHOW, "showcs", context_sensitive,
	    "Show context sensitive counts"),
	WORD(SHOW, "show-format", show_format, 0,
	    "Emit output in the selected format if supported\n"
	    "text\temit normal text output (default)\njson\temit JSON\n"
	    "yaml\temit YAML", "text", "json", "yaml"),
	SET(SHOW, "json", show_format, PROFDATA_JSON,
	    "Show sample profile data in the JSON format (deprecated, please "
	    "use --show-format=json)"),

	FLAG(OVERLAP, "cs", context_sensitive,
	    "For context sensitive PGO counts. Does not work with CSSPGO."),
	WITH(OVERLAP, "value-cutoff", overlap_cutoff, ULONG, "ulong",
	    "Function level overlap information for every function (with "
	    "calling context for csspgo) in test profile with max count value "
	    "greater than the parameter value"),

	WITH(ORDER, "num-test-traces", test_traces, UINT, "uint",
	    "Keep aside the last <num-test-traces> traces in the profile when "
	    "computing the function order and instead use them to evaluate "
	    "that order"),

	REFUSE(MERGE | SHOW | OVERLAP, "sample", sample),
	REFUSE(MERGE, "gcc", gcc),
	REFUSE(MERGE, "compbinary", sample),
	REFUSE(MERGE, "use-md5", sample),
	REFUSE(MERGE, "compress-all-sections", sample),
	REFUSE(MERGE, "gen-partial-profile", sample),
	REFUSE(MERGE, "gen-cs-nested-profile", sample),
	REFUSE(MERGE, "sample-merge-cold-context", sample),
	REFUSE(MERGE, "sample-trim-cold-context", sample),
	REFUSE(MERGE, "drop-profile-symbol-list", sample),
	REFUSE_WITH(MERGE, "prof-sym-list", sample),
	REFUSE_WITH(MERGE, "convert-sample-profile-layout", sample),
	REFUSE_WITH(MERGE, "sample-frame-depth-for-cold-context", sample),
	REFUSE_WITH(MERGE, "output-size-limit", sample),
	REFUSE_WITH(MERGE, "supplement-instr-with-sample", sample),
	REFUSE_WITH(MERGE, "supplement-instr-with-sample-zero-counter-"
	    "threshold", sample),
	REFUSE_WITH(MERGE, "supplement-min-size-threshold", sample),
	REFUSE_WITH(MERGE, "zero-counter-threshold", sample),
	REFUSE_WITH(MERGE, "suppl-min-size-threshold", sample),
	REFUSE_WITH(MERGE, "instr-prof-cold-threshold", sample),
	REFUSE_WITH(OVERLAP, "similarity-cutoff", sample),
	REFUSE(MERGE, "split-layout", sample),
	REFUSE(MERGE, "memprof-random-hotness", hotness),
	REFUSE_WITH(MERGE, "memprof-random-hotness-seed", hotness),
	REFUSE_WITH(SHOW, "debug-info", probes),
	IGNORE(SHOW, "show-prof-sym-list"),
	IGNORE(SHOW, "show-sec-info-only"),
	{ 0, "max-debug-info-correlation-warnings", "uint", NULL,
	    CLI_CALLS(llvm_ignore), .verbs = MERGE | SHOW },
	IGNORE(ALL, "print-options"),
	IGNORE(ALL, "print-all-options"),
	IGNORE(ALL, "color"),
	{ 'h', "help", NULL, NULL, CLI_CALLS(profdata_help) },
	{ 0, "help-hidden", NULL, NULL, CLI_CALLS(profdata_help) },
	{ 0, "help-list", NULL, NULL, CLI_CALLS(profdata_help) },
	{ 0, "help-list-hidden", NULL, NULL, CLI_CALLS(profdata_help) },
	{ 0, "version", NULL, NULL, CLI_CALLS(llvm_print_version) },
	{ 0 }
};

const struct cli_program profdata_program = {
	.examples =
"  llvm-profdata merge -sparse -o app.profdata a.profraw b.profraw\n"
"  llvm-profdata show -topn=10 app.profdata\n",
	.tables = { profdata_options }, .verbs = verbs,
	.refuse = options_refuse
};
