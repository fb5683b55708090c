/* The options of llvm-profdata: table, --help, @FILE, parser. */
#include "config.h"

#include "cmd/profdata/profdata.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "cmd/common/messages.h"
#include "model/releases.h"

enum profdata_option_type {
	OPTION_FLAG,
	OPTION_SET,		/* to value */
	OPTION_IGNORED,		/* has no meaning for these profiles */
	OPTION_REFUSED,
	OPTION_FIRST_WITH_VALUE,
	OPTION_REFUSED_VALUE = OPTION_FIRST_WITH_VALUE,
	OPTION_IGNORED_VALUE,
	OPTION_STRING,
	OPTION_LIST,
	OPTION_UINT,
	OPTION_ULONG,
	OPTION_NUMBERS,
	OPTION_CHOICE		/* one of words: its index plus value */
};

struct profdata_word {
	const char *word, *help;	/* NULL behind the last one */
};

struct profdata_option {
	const char *name;
	const char *help;	/* or why it is refused; NULL: an alias */
	size_t at;		/* offset of the value in profdata_options */
	const char *value_name;	/* for --help; NULL: takes no value */
	const struct profdata_word *words;
	enum profdata_option_type type;
	unsigned commands;
	unsigned value;
};

enum {
	MERGE = PROFDATA_MERGE, SHOW = PROFDATA_SHOW,
	OVERLAP = PROFDATA_OVERLAP, ORDER = PROFDATA_ORDER,
	ALL = MERGE | SHOW | OVERLAP | ORDER
};

static const struct profdata_word failure_modes[] = {
	{ "any", "Fail if any profile is invalid." },
	{ "all", "Fail only if all profiles are invalid." },
	{ "warn", "Do not fail and just print warnings." },
	{ NULL, NULL }
};
static const struct profdata_word formats[] = {
	{ "text", "emit normal text output (default)" },
	{ "json", "emit JSON" },
	{ "yaml", "emit YAML" },
	{ NULL, NULL }
};
static const struct profdata_word correlations[] = {
	{ "", "No profile correlation" },
	{ "debug-info", "Use debug info to correlate" },
	{ "binary", "Use binary to correlate" },
	{ NULL, NULL }
};
static const struct profdata_word memprof_versions[] = {
	{ "0", "version 0" }, { "1", "version 1" }, { "2", "version 2" },
	{ "3", "version 3" }, { "4", "version 4" }, { NULL, NULL }
};

static const char sample[] =
    "this program does not know sample profiles: use LLVM's llvm-profdata";
static const char hotness[] =
    "invents lifetimes, for tests of compilers: use LLVM's llvm-profdata";

/* Sentences of several commands, as all of the table those of LLVM 22. */
static const char debug_info_help[] =
    "For show, read and extract profile metadata from debug info and show the "
    "functions it found. For merge, use the provided debug info to correlate "
    "the raw profile.";
static const char profiled_binary_help[] =
    "Path to binary from which the profile was collected.";

#define AT(field) offsetof(struct profdata_options, field)
#define FLAG(c, name, field, help) \
	{ name, help, AT(field), NULL, NULL, OPTION_FLAG, c, 0 }
#define WITH(c, name, field, type, value, help) \
	{ name, help, AT(field), value, NULL, OPTION_##type, c, 0 }
#define SET(c, name, field, n, help) \
	{ name, help, AT(field), NULL, NULL, OPTION_SET, c, n }
#define WORD(c, name, field, words, first, help) \
	{ name, help, AT(field), "value", words, OPTION_CHOICE, c, first }
#define REFUSE(c, name, why) \
	{ name, why, 0, NULL, NULL, OPTION_REFUSED, c, 0 }
#define REFUSE_WITH(c, name, why) \
	{ name, why, 0, NULL, NULL, OPTION_REFUSED_VALUE, c, 0 }
#define IGNORE(c, name) { name, NULL, 0, NULL, NULL, OPTION_IGNORED, c, 0 }

static const struct profdata_option profdata_option_table[] = {
	WITH(ALL, "compat", compat, STRING, "release",
	    "Be as the program of LLVM <release>, 13 to 22 (default: 22)"),
	WITH(ALL, "output", output, STRING, "output", "Output file"),
	WITH(ALL, "o", output, STRING, "output", NULL),
	SET(MERGE | SHOW | OVERLAP, "instr", kind, PROFDATA_INSTR,
	    "Instrumentation profile (default)"),
	SET(SHOW, "memory", kind, PROFDATA_MEMORY,
	    "MemProf memory access profile"),
	WITH(MERGE | SHOW | OVERLAP, "function", function, STRING, "string",
	    "Only functions matching the filter are shown in the output. For "
	    "overlapping CSSPGO, this takes a function name with calling "
	    "context."),

	WITH(MERGE, "weighted-input", weighted, LIST, "string",
	    "<weight>,<filename>"),
	WITH(MERGE, "input-files", input_files, STRING, "string",
	    "Path to file containing newline-separated [<weight>,]<filename> "
	    "entries"),
	WITH(MERGE, "f", input_files, STRING, "string", NULL),
	WITH(MERGE, "remapping-file", remapping_file, STRING, "file",
	    "Symbol remapping file"),
	WITH(MERGE, "r", remapping_file, STRING, "file", NULL),
	FLAG(MERGE, "dump-input-file-list", dump_inputs,
	    "Dump the list of input files and their weights, then exit"),
	WORD(MERGE, "failure-mode", failure_mode, failure_modes, 0,
	    "Failure mode:"),
	FLAG(MERGE, "sparse", sparse,
	    "Generate a sparse profile (only meaningful for -instr)"),
	SET(MERGE, "binary", format, 0, "Binary encoding"),
	SET(MERGE, "extbinary", format, 0,
	    "Extensible binary encoding (default)"),
	SET(MERGE, "text", format, 1, "Text encoding"),
	WITH(MERGE, "num-threads", threads, UINT, "uint",
	    "Number of merge threads to use (default: autodetect)"),
	WITH(MERGE, "j", threads, UINT, "uint", NULL),
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
	WITH(MERGE | SHOW, "debug-info", debug_info, STRING, "string",
	    debug_info_help),
	WITH(MERGE, "binary-file", binary_file, STRING, "string",
	    "For merge, use the provided unstripped binary to correlate the "
	    "raw profile."),
	WORD(MERGE, "correlate", correlate, correlations, 0,
	    "Use debug-info or binary correlation to correlate profiles with "
	    "build id fetcher"),
	WITH(MERGE, "debug-file-directory", debug_dirs, LIST, "string",
	    "Directories to search for object files by build ID"),
	FLAG(MERGE, "debuginfod", debuginfod, "Enable debuginfod"),
	WITH(MERGE | SHOW, "max-debug-info-correlation-warnings",
	    correlation_warnings, UINT, "uint",
	    "The maximum number of warnings to emit when correlating profile "
	    "from debug info (0 = no limit)"),
	WITH(MERGE | SHOW, "profiled-binary", profiled_binary, STRING, "string",
	    profiled_binary_help),
	WORD(MERGE, "memprof-version", memprof_version, memprof_versions, 1,
	    "Specify the version of the memprof format to use"),
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
	WORD(SHOW, "show-format", show_format, formats, 0,
	    "Emit output in the selected format if supported"),
	SET(SHOW, "json", show_format, PROFDATA_JSON,
	    "Show sample profile data in the JSON format (deprecated, please "
	    "use --show-format=json)"),
	FLAG(SHOW, "show-prof-sym-list", prof_sym_list,
	    "Show profile symbol list if it exists in the profile. "),
	FLAG(SHOW, "show-sec-info-only", sections,
	    "Show the information of each section in the sample profile. The "
	    "flag is only usable when the sample profile is in extbinary "
	    "format"),

	FLAG(OVERLAP, "cs", context_sensitive,
	    "For context sensitive PGO counts. Does not work with CSSPGO."),
	WITH(OVERLAP, "value-cutoff", value_cutoff, ULONG, "ulong",
	    "Function level overlap information for every function (with "
	    "calling context for csspgo) in test profile with max count value "
	    "greater than the parameter value"),

	WITH(ORDER, "num-test-traces", test_traces, UINT, "uint",
	    "Keep aside the last <num-test-traces> traces in the profile when "
	    "computing the function order and instead use them to evaluate "
	    "that order"),

	REFUSE(MERGE | SHOW | OVERLAP, "sample", sample),
	REFUSE(MERGE, "gcc", "unknown format is specified: this program does "
	    "not know sample profiles"),
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
	IGNORE(ALL, "print-options"),
	IGNORE(ALL, "print-all-options"),
	IGNORE(ALL, "color"),
	{ 0 }
};

/* --help of llvm-profdata, in the layout and with the sentences of LLVM 22. */

#define MANUAL "See detailed documentation in " \
    "https://llvm.org/docs/CommandGuide/llvm-profdata.html#profdata-"

static const struct {
	enum profdata_command command;
	const char *name, *what, *operands;
} commands[] = {
	{ PROFDATA_MERGE, "merge", "Takes several profiles and merge them "
	    "together. " MANUAL "merge", "<filename...>" },
	{ PROFDATA_ORDER, "order", "Reads temporal profiling traces from a "
	    "profile and outputs a function order that reduces the number of "
	    "page faults for those traces. " MANUAL "order",
	    "<profdata-file>" },
	{ PROFDATA_OVERLAP, "overlap", "Computes and displays the overlap "
	    "between two profiles. " MANUAL "overlap",
	    "<base profile file> <test profile file>" },
	{ PROFDATA_SHOW, "show", "Takes a profile data file and displays the "
	    "profiles. " MANUAL "show", "<profdata-file>" },
};

enum { COMMANDS = sizeof(commands) / sizeof(commands[0]) };

static bool
is_option_printed(const struct profdata_option *o)
{
	return o->type != OPTION_REFUSED && o->type != OPTION_REFUSED_VALUE &&
	    o->type != OPTION_IGNORED;
}

/* The option that a row without help is another name for. */
static const struct profdata_option *
option_of_alias(const struct profdata_option *alias)
{
	const struct profdata_option *o = profdata_option_table;

	while (o->at != alias->at || o->type != alias->type)
		o++;
	return o;
}

/* "--name=<value>"; returns its length. */
static int
option_label(const struct profdata_option *o, char *label, size_t size)
{
	const char *dash = o->name[1] == '\0' ? "-" : "--";

	if (o->value_name == NULL)
		return snprintf(label, size, "%s%s", dash, o->name);
	return snprintf(label, size, "%s%s=<%s>", dash, o->name,
	    o->value_name);
}

static void
print_option_help(const struct profdata_option *o, int width)
{
	char label[80];

	option_label(o, label, sizeof(label));
	if (o->help == NULL)
		printf("  %-*s - Alias for --%s\n", width, label,
		    option_of_alias(o)->name);
	else
		printf("  %-*s - %s\n", width, label, o->help);
	for (const struct profdata_word *w = o->words;
	    w != NULL && w->word != NULL; w++)
		printf("    =%-*s -   %s\n", width - 3, *w->word == '\0' ?
		    "<empty>" : w->word, w->help);
}

static void
profdata_help(const struct profdata *p)
{
	char label[80];
	int width = 0;
	size_t i = 0;

	while (commands[i].command != p->command)
		i++;
	for (const struct profdata_option *o = profdata_option_table;
	    o->name != NULL; o++) {
		int n = option_label(o, label, sizeof(label));

		if ((o->commands & p->command) && is_option_printed(o) &&
		    n > width)
			width = n;
	}
	printf("OVERVIEW: LLVM profile data\n\nSUBCOMMAND '%s': %s\n\n"
	    "USAGE: %s %s [options] %s\n\nOPTIONS:\n\nGeneral options:\n\n",
	    commands[i].name, commands[i].what, p->name, commands[i].name,
	    commands[i].operands);
	for (const struct profdata_option *o = profdata_option_table;
	    o->name != NULL; o++) {
		if ((o->commands & p->command) && is_option_printed(o))
			print_option_help(o, width);
	}
	printf("\nGeneric Options:\n\n  %-*s - Alias for --help\n"
	    "  %-*s - Display available options\n"
	    "  %-*s - Display the version of this program\n", width, "-h",
	    width, "--help", width, "--version");
	exit(profdata_printed());
}

void
profdata_help_all(const struct profdata *p)
{
	printf("OVERVIEW: LLVM profile data\n\n"
	    "USAGE: %s [subcommand] [options]\n\nSUBCOMMANDS:\n\n", p->name);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-7s - %s\n", commands[i].name, commands[i].what);
	printf("\n  Type \"%s <subcommand> --help\" to get more help on a "
	    "specific subcommand\n\nOPTIONS:\n\nGeneric Options:\n\n"
	    "  --compat=<release> - Be as the program of LLVM <release>, 13 to "
	    "22 (default: 22)\n"
	    "  --help             - Display available options\n"
	    "  --version          - Display the version of this program\n",
	    p->name);
	exit(profdata_printed());
}

/*
 * Arguments that stand in a file: @FILE, as a shell would split it
 * (llvm/lib/Support/CommandLine.cpp, TokenizeGNUCommandLine).
 */

/* Depth of nested files; LLVM refuses only files that include themselves. */
enum { MOST_FILES = 64 };

struct arguments {
	char **items;
	size_t size, room;
};

static void
arguments_add(struct arguments *all, char *argument)
{
	if (argument == NULL ||
	    !ARRAY_ADD(all->items, all->size, all->room, argument))
		profdata_out_of_memory();
}

static bool
is_blank_byte(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Splits in place: a word without its quotes is never longer. */
static void
arguments_split(struct arguments *words, char *s, char *end)
{
	while (s < end) {
		char *word = s, *to = s;
		char quote = '\0';

		if (is_blank_byte(*s)) {
			s++;
			continue;
		}
		for (; s < end && (quote != '\0' || !is_blank_byte(*s)); s++) {
			if (*s == '\\' && s + 1 < end)
				*to++ = *++s;
			else if (quote == '\0' && (*s == '"' || *s == '\''))
				quote = *s;
			else if (quote != '\0' && *s == quote)
				quote = '\0';
			else
				*to++ = *s;
		}
		if (to != word)
			arguments_add(words, strndup(word, (size_t)(to -
			    word)));
		s++;
	}
}

static void expand_argument(struct arguments *, char *argument, unsigned depth);

static void
expand_response_file(struct arguments *all, const char *path, unsigned depth)
{
	struct arguments words = { 0 };
	char *text = NULL;
	size_t room = 0;
	ssize_t size;
	FILE *f;

	if (depth == MOST_FILES)
		profdata_fail(path, "recursive expansion of arguments");
	f = fopen(path, "r");
	if (f == NULL)
		profdata_fail(path, "%s", strerror(errno));
	/* No argument has a zero byte in it. */
	size = getdelim(&text, &room, '\0', f);
	if (size < 0 && !feof(f))
		profdata_fail(path, "%s", strerror(errno));
	fclose(f);
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		arguments_split(&words, text + 3, text + size);
	else if (size > 0)
		arguments_split(&words, text, text + size);
	for (size_t i = 0; i < words.size; i++) {
		size_t before = all->size;

		expand_argument(all, words.items[i], depth + 1);
		if (all->size == before || all->items[before] !=
		    words.items[i])
			free(words.items[i]);
	}
	free(words.items);
	free(text);
}

static void
expand_argument(struct arguments *all, char *argument, unsigned depth)
{
	struct stat st;

	/* If there is no such file, the argument stays as it is. */
	if (argument[0] != '@' || stat(argument + 1, &st) == -1 ||
	    S_ISDIR(st.st_mode))
		arguments_add(all, argument);
	else
		expand_response_file(all, argument + 1, depth);
}

void
profdata_expand_response_files(int *argc, char ***argv)
{
	static struct arguments all;	/* used until the program ends */
	bool any = false;

	all = (struct arguments){ 0 };
	for (int i = 1; i < *argc; i++)
		any = any || (*argv)[i][0] == '@';
	if (!any)
		return;
	arguments_add(&all, (*argv)[0]);
	for (int i = 1; i < *argc; i++)
		expand_argument(&all, (*argv)[i], 0);
	*argc = (int)all.size;
	*argv = all.items;
}

/*
 * LLVM's syntax of options (llvm/lib/Support/CommandLine.cpp): one dash or two,
 * values behind '=' or in the next argument, in any order with the operands.
 */

/* The message begins with the program and, up to LLVM 16, the command. */
static void __attribute__((format(printf, 2, 3), noreturn))
refuse_option(const struct profdata *p, const char *format, ...)
{
	va_list ap;

	message_print("%s", p->name);
	if (!profdata_since(p, 17) && p->command_name != NULL)
		message_print(" %s", p->command_name);
	message_print(": ");
	va_start(ap, format);
	message_vprint_lines(format, ap);
	va_end(ap);
	message_print("\n");
	exit(1);
}

static const char *
option_dashes(const char *name)
{
	return name[1] == '\0' ? "-" : "--";
}

static void
list_add_item(struct profdata_list *l, const char *item)
{
	if (!ARRAY_ADD(l->items, l->size, l->room, item))
		profdata_out_of_memory();
}

/* StringRef::getAsInteger(0): C's prefixes, 0b and 0o. */
static bool
parse_llvm_integer(const char *s, uint64_t max, uint64_t *out)
{
	int base = 10;
	char *end;

	if (s[0] == '0' && s[1] != '\0') {
		static const char letters[] = "xXbBoO";
		static const int bases[] = { 16, 16, 2, 2, 8, 8 };
		const char *at = strchr(letters, s[1]);

		base = at == NULL ? 8 : bases[at - letters];
		s += at == NULL ? 1 : 2;
	}
	errno = 0;
	*out = strtoull(s, &end, base);
	/* strtoull would accept signs and leading blanks. */
	return end != s && *end == '\0' && errno == 0 && *out <= max &&
	    *s != '-' && *s != '+' && *s > ' ' &&
	    !(base == 16 && (s[1] == 'x' || s[1] == 'X'));
}

static uint64_t
option_number(const struct profdata *p, const char *name, const char *value,
    const char *type)
{
	uint64_t n;

	if (!parse_llvm_integer(value, strcmp(type, "uint") == 0 ? UINT32_MAX :
	    UINT64_MAX, &n))
		refuse_option(p,
		    "for the %s%s option: '%s' value invalid for %s "
		    "argument!", option_dashes(name), name, value, type);
	return n;
}

static void
option_add_numbers(const struct profdata *p, struct profdata_numbers *l,
    const char *name, const char *value)
{
	char *copy = strdup(value), *rest = copy, *word;

	if (copy == NULL)
		profdata_out_of_memory();
	while ((word = strsep(&rest, ",")) != NULL) {
		if (!ARRAY_ADD(l->items, l->size, l->room,
		    option_number(p, name, word, "uint")))
			profdata_out_of_memory();
	}
	free(copy);
}

static bool
option_boolean(const struct profdata *p, const char *name, const char *value)
{
	static const char *const words[] = {
		"", "true", "TRUE", "True", "1",
		"false", "FALSE", "False", "0"
	};

	if (value == NULL)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i]) == 0)
			return i < 5;
	}
	refuse_option(p,
	    "for the %s%s option: '%s' is invalid value for boolean "
	    "argument! Try 0 or 1", option_dashes(name), name, value);
}

static unsigned
option_choice(const struct profdata *p, const struct profdata_option *o,
    const char *name, const char *value)
{
	for (unsigned i = 0; o->words[i].word != NULL; i++) {
		if (strcmp(value, o->words[i].word) == 0)
			return i + o->value;
	}
	refuse_option(p, "for the %s%s option: Cannot find option named '%s'!",
	    option_dashes(name), name, value);
}

static void
option_set_value(struct profdata *p, const struct profdata_option *o,
    const char *name, const char *value)
{
	char *at = (char *)&p->options + o->at;

	switch (o->type) {
	case OPTION_FLAG:
		*(bool *)(void *)at = option_boolean(p, name, value);
		break;
	case OPTION_SET:
		*(unsigned *)(void *)at = o->value;
		break;
	case OPTION_STRING:
		*(const char **)(void *)at = value;
		break;
	case OPTION_LIST:
		list_add_item((struct profdata_list *)(void *)at, value);
		break;
	case OPTION_UINT:
		*(uint64_t *)(void *)at = option_number(p, name, value,
		    "uint");
		break;
	case OPTION_ULONG:
		*(uint64_t *)(void *)at = option_number(p, name, value,
		    "ulong");
		break;
	case OPTION_NUMBERS:
		option_add_numbers(p, (struct profdata_numbers *)(void *)at,
		    name, value);
		break;
	case OPTION_CHOICE:
		*(unsigned *)(void *)at = option_choice(p, o, name, value);
		break;
	case OPTION_IGNORED:
	case OPTION_IGNORED_VALUE:
		break;
	case OPTION_REFUSED:
	case OPTION_REFUSED_VALUE:
		profdata_fail(NULL, "%s%s: %s", option_dashes(name), name,
		    o->help);
	}
	if (o->at == offsetof(struct profdata_options, value_cutoff))
		p->options.has_value_cutoff = true;
}

static bool
option_wants_value(const struct profdata_option *o)
{
	return o->type >= OPTION_FIRST_WITH_VALUE;
}

static const struct profdata_option *
option_find(const struct profdata *p, const char *name, size_t size)
{
	for (const struct profdata_option *o = profdata_option_table;
	    o->name != NULL; o++) {
		if (o->commands & p->command && strlen(o->name) == size &&
		    memcmp(o->name, name, size) == 0)
			return o;
	}
	return NULL;
}

bool
profdata_selects(const struct profdata_options *o, struct prof_span name)
{
	size_t size = o->function == NULL ? 0 : strlen(o->function);

	for (size_t i = 0; size != 0 && i + size <= name.size; i++) {
		if (memcmp(name.data + i, o->function, size) == 0)
			return true;
	}
	return false;
}

static void __attribute__((noreturn))
refuse_argument(const struct profdata *p, const char *argument)
{
	bool command = !profdata_since(p, 17);

	refuse_option(p,
	    "Unknown command line argument '%s'.  Try: '%s%s%s --help'",
	    argument, p->name, command ? " " : "", command ? p->command_name :
	    "");
}

/* Scripts look for "LLVM version N". */
void
profdata_print_version(const struct profdata *p)
{
	printf("LLVM version %u\n  as far as " PACKAGE_STRING " has it\n",
	    p->release);
	exit(profdata_printed());
}

/* Parses argv[i] and its value; returns the index of the last one used. */
static int
option_parse(struct profdata *p, int argc, char **argv, int i)
{
	const char *name = argv[i] + 1 + (argv[i][1] == '-');
	const char *value = strchr(name, '=');
	size_t size = value == NULL ? strlen(name) : (size_t)(value - name);
	const struct profdata_option *o;
	char *copy;

	if (strcmp(name, "h") == 0 || (size >= 4 && strncmp(name, "help", 4)
	    == 0))
		profdata_help(p);
	if (strcmp(name, "version") == 0) {
		profdata_choose_release(p);
		profdata_print_version(p);
	}
	o = option_find(p, name, size);
	if (o == NULL)
		refuse_argument(p, argv[i]);
	copy = strndup(name, size);
	if (copy == NULL)
		profdata_out_of_memory();
	if (value != NULL)
		value++;
	else if (option_wants_value(o)) {
		if (++i >= argc)
			refuse_option(p,
			    "for the %s%s option: requires a value!",
			    option_dashes(copy), copy);
		value = argv[i];
	}
	option_set_value(p, o, copy, value);
	free(copy);
	return i;
}

static void
check_operand_count(const struct profdata *p)
{
	size_t most = p->command == PROFDATA_MERGE ? SIZE_MAX :
	    p->command == PROFDATA_OVERLAP ? 2 : 1;
	size_t size = p->options.operands.size;
	bool command = !profdata_since(p, 17);
	const char *problem = size > most ? "Too many" : "Not enough";

	if (size <= most && (p->command != PROFDATA_OVERLAP || size == 2))
		return;
	refuse_option(p,
	    "%s positional %sarguments specified!\n%s %zu positional "
	    "arguments: See: %s%s%s --help", problem, size > most ? "" :
	    "command line ", size > most ? "Can specify at most" :
	    "Must specify at least", most, p->name, command ? " " : "", command
	    ? p->command_name : "");
}

void
profdata_parse(struct profdata *p, int argc, char **argv)
{
	bool only_operands = false;

	p->options.reservoir = 100;
	p->options.trace_length = 10000;
	p->options.correlation_warnings = 5;
	for (int i = 0; i < argc; i++) {
		if (only_operands || argv[i][0] != '-' || argv[i][1] == '\0')
			list_add_item(&p->options.operands, argv[i]);
		else if (strcmp(argv[i], "--") == 0)
			only_operands = true;
		else
			i = option_parse(p, argc, argv, i);
	}
	profdata_choose_release(p);
	check_operand_count(p);
}

/* The release in a name such as llvm-profdata-16; 0 if there is none. */
static unsigned
release_of_name(const char *name)
{
	static const char prefix[] = "llvm-profdata-";
	uint64_t n;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
	    !parse_llvm_integer(name + sizeof(prefix) - 1, UINT32_MAX, &n) ||
	    n < PROFDATA_OLDEST || n > llvm_release_newest()->major)
		return 0;
	return (unsigned)n;
}

void
profdata_choose_release(struct profdata *p)
{
	const unsigned newest = llvm_release_newest()->major;
	const unsigned named = release_of_name(p->name);
	const char *s = p->options.compat;
	uint64_t n;

	if (s == NULL && named == 0)
		s = getenv("PROFTOOLS_COMPAT");
	p->release = named != 0 ? named : newest;
	if (s == NULL || *s == '\0')
		return;
	if (!parse_llvm_integer(s, newest, &n) || n < PROFDATA_OLDEST)
		profdata_fail(NULL, "--compat and PROFTOOLS_COMPAT need a "
		    "release of LLVM, %d to %u, not '%s'", PROFDATA_OLDEST,
		    newest, s);
	p->release = (unsigned)n;
}

void
profdata_free(struct profdata *p)
{
	free(p->options.operands.items);
	free(p->options.weighted.items);
	free(p->options.cutoffs.items);
	free(p->options.debug_dirs.items);
	prof_context_free(p->context);
}
