#include "config.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/profdata/options.h"

enum {
	MERGE = PROFDATA_MERGE, SHOW = PROFDATA_SHOW,
	OVERLAP = PROFDATA_OVERLAP, ORDER = PROFDATA_ORDER,
	ALL = MERGE | SHOW | OVERLAP | ORDER
};

static const char *const failure_modes[] = { "any", "all", "warn", NULL };
static const char *const formats[] = { "text", "json", "yaml", NULL };
static const char *const correlations[] = { "", "debug-info", "binary", NULL };
static const char *const memprof_versions[] = { "0", "1", "2", "3", "4", NULL };

static const char sample[] =
    "this program does not know sample profiles: use LLVM's llvm-profdata";
static const char hotness[] =
    "invents lifetimes, for tests of compilers: use LLVM's llvm-profdata";

#define AT(field) offsetof(struct profdata_options, field)
#define FLAG(c, name, field, help) \
	{ name, help, AT(field), NULL, OPTION_FLAG, c, 0 }
#define WITH(c, name, field, type, help) \
	{ name, help, AT(field), NULL, OPTION_##type, c, 0 }
#define SET(c, name, field, n, help) \
	{ name, help, AT(field), NULL, OPTION_SET, c, n }
#define WORD(c, name, field, words, first, help) \
	{ name, help, AT(field), words, OPTION_CHOICE, c, first }
#define REFUSE(c, name, why) { name, why, 0, NULL, OPTION_REFUSED, c, 0 }
#define REFUSE_WITH(c, name, why) \
	{ name, why, 0, NULL, OPTION_REFUSED_VALUE, c, 0 }

const struct profdata_option profdata_option_table[] = {
	WITH(ALL, "compat", compat, STRING, "be as LLVM 13 to 22 (22)"),
	WITH(ALL, "output", output, STRING, "write this file"),
	WITH(ALL, "o", output, STRING, NULL),
	SET(MERGE | SHOW | OVERLAP, "instr", kind, PROFDATA_INSTR,
	    "profiles of instrumentation (default)"),
	SET(SHOW, "memory", kind, PROFDATA_MEMORY, "heap profiles"),
	WITH(MERGE | SHOW | OVERLAP, "function", function, STRING,
	    "only functions of such names: a regular expression for merge"),

	WITH(MERGE, "weighted-input", weighted, LIST,
	    "WEIGHT,FILE: its counts are multiplied"),
	WITH(MERGE, "input-files", input_files, STRING,
	    "a file with lines of [WEIGHT,]FILE"),
	WITH(MERGE, "f", input_files, STRING, NULL),
	WITH(MERGE, "remapping-file", remapping_file, STRING,
	    "a file with lines of OLD NEW: other names for functions"),
	WITH(MERGE, "r", remapping_file, STRING, NULL),
	FLAG(MERGE, "dump-input-file-list", dump_inputs,
	    "print weights and names of inputs, and stop"),
	WORD(MERGE, "failure-mode", failure_mode, failure_modes, 0,
	    "fail if any input is bad (default), if all are, or only warn"),
	FLAG(MERGE, "sparse", sparse, "leave out names that never ran"),
	SET(MERGE, "binary", format, 0, "write an indexed profile (default)"),
	SET(MERGE, "extbinary", format, 0, "the same"),
	SET(MERGE, "text", format, 1, "write text"),
	WITH(MERGE, "num-threads", threads, UINT, "is ignored"),
	WITH(MERGE, "j", threads, UINT, NULL),
	WITH(MERGE, "no-function", no_function, STRING,
	    "leave out functions whose names match a regular expression"),
	FLAG(MERGE, "keep-vtable-symbols", keep_vtables,
	    "keep the names of vtables"),
	FLAG(MERGE, "write-prev-version", previous_version,
	    "write version 11 of indexed profiles"),
	WITH(MERGE, "temporal-profile-trace-reservoir-size", reservoir, ULONG,
	    "keep that many traces (100)"),
	WITH(MERGE, "temporal-profile-max-trace-length", trace_length, ULONG,
	    "cut traces to that many functions (10000)"),
	WITH(MERGE, "debug-info", debug_info, STRING,
	    "functions of correlated profiles are in this debug file"),
	WITH(MERGE, "binary-file", binary_file, STRING,
	    "functions of correlated profiles are in this binary"),
	WORD(MERGE, "correlate", correlate, correlations, 0,
	    "debug-info or binary: look for them by build id"),
	WITH(MERGE, "debug-file-directory", debug_dirs, LIST,
	    "in this folder"),
	FLAG(MERGE, "debuginfod", debuginfod,
	    "at the servers of DEBUGINFOD_URLS"),
	WITH(MERGE | SHOW, "max-debug-info-correlation-warnings",
	    correlation_warnings, UINT,
	    "tell of that many functions whose debug info is not whole (5)"),
	WITH(MERGE, "profiled-binary", profiled_binary, STRING,
	    "the program of raw heap profiles"),
	WORD(MERGE, "memprof-version", memprof_version, memprof_versions, 1,
	    "version of the heap profile"),
	FLAG(MERGE, "memprof-full-schema", memprof_full,
	    "all figures of heap profiles"),

	FLAG(SHOW, "all-functions", all_functions, "show each function"),
	FLAG(SHOW, "counts", counts, "and its counters"),
	FLAG(SHOW, "ic-targets", ic_targets, "and targets of indirect calls"),
	FLAG(SHOW, "memop-sizes", memop_sizes, "and sizes of memory copies"),
	FLAG(SHOW, "show-vtables", vtables, "and vtables"),
	WITH(SHOW, "topn", topn, UINT, "the functions with largest counters"),
	WITH(SHOW, "value-cutoff", value_cutoff, UINT,
	    "leave out functions with smaller counters"),
	FLAG(SHOW, "list-below-cutoff", list_below, "only name those"),
	FLAG(SHOW, "detailed-summary", detailed, "what makes up the counts"),
	WITH(SHOW, "detailed-summary-cutoffs", cutoffs, NUMBERS,
	    "for these millionths of the total"),
	FLAG(SHOW, "covered", covered, "only names of functions that ran"),
	FLAG(SHOW, "text", text, "functions as text profiles have them"),
	FLAG(SHOW, "binary-ids", binary_ids, "build ids"),
	FLAG(SHOW, "temporal-profile-traces", traces, "temporal traces"),
	FLAG(SHOW, "hot-func-list", hot_functions, "names of hot functions"),
	FLAG(SHOW, "profile-version", version, "version of the file"),
	FLAG(SHOW, "showcs", context_sensitive,
	    "context-sensitive functions, not the others"),
	WORD(SHOW, "show-format", show_format, formats, 0,
	    "text (default); others are for sample profiles"),
	SET(SHOW, "json", show_format, PROFDATA_JSON,
	    "the same as --show-format=json"),
	FLAG(SHOW, "show-prof-sym-list", prof_sym_list, "is ignored"),
	FLAG(SHOW, "show-sec-info-only", sections, "is ignored"),
	WITH(SHOW, "debug-info", debug_info, STRING,
	    "the functions that this debug file tells the counters of"),
	WITH(SHOW, "profiled-binary", profiled_binary, STRING,
	    "the program of a raw heap profile"),

	FLAG(OVERLAP, "cs", context_sensitive,
	    "sums of context-sensitive functions, not of the others"),
	WITH(OVERLAP, "value-cutoff", value_cutoff, ULONG,
	    "each function whose largest counter is as large"),

	WITH(ORDER, "num-test-traces", test_traces, UINT,
	    "keep the last traces for a test"),

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
	{ "print-options", NULL, 0, NULL, OPTION_IGNORED, ALL, 0 },
	{ "print-all-options", NULL, 0, NULL, OPTION_IGNORED, ALL, 0 },
	{ "color", NULL, 0, NULL, OPTION_IGNORED, ALL, 0 },
	{ 0 }
};

static const char *
operands_help(enum profdata_command command)
{
	switch (command) {
	case PROFDATA_MERGE:
		return "FILE...";
	case PROFDATA_OVERLAP:
		return "BASE TEST";
	default:
		return "FILE";
	}
}

/* The one-letter alias of an option, or NULL. */
static const char *
option_letter(const struct profdata_option *o)
{
	for (const struct profdata_option *a = profdata_option_table;
	    a->name != NULL; a++) {
		if (a->help == NULL && a->at == o->at && a->type == o->type)
			return a->name;
	}
	return NULL;
}

static void
print_option_help(const struct profdata_option *o)
{
	const char *letter = o->at == 0 ? NULL : option_letter(o);

	if (o->help == NULL || o->type == OPTION_REFUSED ||
	    o->type == OPTION_REFUSED_VALUE)
		return;
	if (letter != NULL)
		printf("  -%s, ", letter);
	printf("%s--%s%s\n        %s\n", letter == NULL ? "      " : "",
	    o->name, o->type >= OPTION_FIRST_WITH_VALUE ? "=<value>" : "",
	    o->help);
}

static void
print_command_help(const struct profdata *p, enum profdata_command command,
    const char *name)
{
	printf("USAGE: %s %s [options] %s\n\nOPTIONS:\n\n", p->name, name,
	    operands_help(command));
	for (const struct profdata_option *o = profdata_option_table;
	    o->name != NULL; o++) {
		if (o->commands & command)
			print_option_help(o);
	}
}

static void __attribute__((noreturn))
finish_help(void)
{
	exit(fclose(stdout) == EOF);
}

void
profdata_help(const struct profdata *p)
{
	printf("OVERVIEW: LLVM profile data\n\n");
	print_command_help(p, p->command, p->command_name);
	printf("\nGeneric options:\n\n  -h, --help\n      --version\n");
	finish_help();
}

void
profdata_help_all(const struct profdata *p)
{
	static const struct {
		enum profdata_command command;
		const char *name, *what;
	} all[] = {
		{ PROFDATA_MERGE, "merge", "many profiles to one" },
		{ PROFDATA_SHOW, "show", "what is in a profile" },
		{ PROFDATA_OVERLAP, "overlap", "two profiles side by side" },
		{ PROFDATA_ORDER, "order",
		    "an order of functions, from temporal traces" },
	};
	enum { COMMANDS = sizeof(all) / sizeof(all[0]) };

	printf("OVERVIEW: LLVM profile data\n\n"
	    "USAGE: %s [subcommand] [options]\n\nSUBCOMMANDS:\n\n",
	    p->name);
	for (size_t i = 0; i < COMMANDS; i++)
		printf("  %-8s - %s\n", all[i].name, all[i].what);
	for (size_t i = 0; i < COMMANDS; i++) {
		printf("\n");
		print_command_help(p, all[i].command, all[i].name);
	}
	printf("\nGeneric options:\n\n  -h, --help\n      --version\n");
	finish_help();
}
