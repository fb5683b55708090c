#include "config.h"

#include <stddef.h>

#include "cmd/profdata/options.h"

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

const struct profdata_option profdata_option_table[] = {
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
