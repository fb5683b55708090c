/*
 * cmd/profdata/profdata.h - llvm-profdata for instrumentation and heap profiles
 *
 * A front end for scripts that call llvm-profdata: LLVM's options, output and
 * exit statuses over the same library as our own programs.  Facts are those of
 * llvm/tools/llvm-profdata/llvm-profdata.cpp, LLVM 13 to 22.
 */
#ifndef CMD_PROFDATA_PROFDATA_H
#define CMD_PROFDATA_PROFDATA_H

#include <stdarg.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/numbers.h"
#include "cmd/common/llvm_options.h"
#include "cmd/common/pipeline.h"
#include "model/releases.h"
#include "prof.h"
#include "sym/binary.h"
#include "sym/work.h"

/* Verbs, as --help lists them. */
enum profdata_command {
	PROFDATA_MERGE, PROFDATA_ORDER, PROFDATA_OVERLAP, PROFDATA_SHOW
};

enum profdata_failure { PROFDATA_FAIL_ANY, PROFDATA_FAIL_ALL, PROFDATA_WARN };

/* --correlate: how the binaries of correlated profiles are found. */
enum profdata_correlate {
	PROFDATA_CORRELATE_NOT, PROFDATA_CORRELATE_DEBUG_INFO,
	PROFDATA_CORRELATE_BINARY
};

/* --instr or --memory: the part of the profile that is shown. */
enum profdata_kind { PROFDATA_INSTR, PROFDATA_MEMORY };

struct profdata_numbers {
	uint64_t *items;
	size_t size, room;
};

/* The values of the options, LLVM's defaults unless they were named. */
struct profdata_options {
	char *const *operands;
	size_t operand_count;
	const char *function, *no_function;
	const char *debug_info, *binary_file, *profiled_binary;
	unsigned kind, format;
	bool text;

	/* merge */
	struct cli_list weighted;
	const char *input_files, *remapping_file;
	unsigned failure_mode;
	bool sparse, dump_inputs, keep_vtables, previous_version;
	unsigned memprof_version;	/* version + 1; 0: the default */
	bool memprof_full;
	uint64_t reservoir, trace_length, threads;
	unsigned correlate;		/* enum profdata_correlate */
	bool debuginfod;
	struct cli_list debug_dirs;

	/* show */
	bool all_functions, counts, ic_targets, memop_sizes, vtables, covered;
	bool list_below, detailed, binary_ids, traces, hot_functions, version;
	bool context_sensitive;
	unsigned show_format;
	uint64_t topn, value_cutoff;
	struct profdata_numbers cutoffs;

	uint64_t overlap_cutoff;
	uint64_t test_traces;		/* order */
};

/* LLVM takes a raw profile with a larger counter for damaged. */
#define PROFDATA_COUNT_MAX ((uint64_t)1 << 56)

enum { PROFDATA_TEXT, PROFDATA_JSON, PROFDATA_YAML };

struct profdata {
	struct llvm_tool tool;
	struct cli cli;			/* its name is that without folders */
	enum profdata_command command;
	struct profdata_options options;
	struct profdata_out {
		struct cli *cli;	/* has the file */
		struct buf text;
		bool terminal;
	} out;
	char *last_file;		/* being read, or the one before */
	struct work work;		/* of all binaries */
	struct binary_search beside;	/* debug files next to binaries only */
};

/* cmd/profdata/options.c: their state is the struct profdata. */
extern const struct cli_program profdata_program;

/*
 * Copies a header without what belongs to its reader: names of files and
 * unknown keys.  The name of the format is the library's.
 */
void profdata_copy_header(struct prof_header *, const struct prof_header *from);

/* Whether the name contains the text of --function, which is not empty. */
bool profdata_selects(const struct profdata_options *, struct prof_span name);

/* Whether the value of an option is there, and not empty. */
static inline bool
profdata_is_given(const char *value)
{
	return value != NULL && *value != '\0';
}

/* Whether the profile is of a format, if its reader says of which. */
static inline bool
profdata_is_format(const struct prof_header *h, const char *format)
{
	return h->source.format != NULL &&
	    strcmp(h->source.format, format) == 0;
}

/* Its row in the table of releases. */
static inline const struct llvm_release *
profdata_release(const struct profdata *p)
{
	return llvm_release_numbered(p->tool.release, 0);
}

/* To releases that do not, pseudo counts are large numbers. */
static inline bool
profdata_knows_pseudo(const struct profdata *p)
{
	return profdata_release(p)->summary_rule == SUMMARY_SKIP_RECORD;
}

/* Whether the release to be compatible with is at least this one. */
static inline bool
profdata_since(const struct profdata *p, unsigned release)
{
	return p->tool.release >= release;
}

/* cmd/profdata/messages.c: llvm_fail for this reason. */
void profdata_out_of_memory(void) __attribute__((noreturn));
prof_warn profdata_warn;		/* its argument is the profdata */

/* LLVM's phrase for a failure, followed by our own reason. */
#define PROFDATA_MESSAGE_SIZE (PROF_REASON_SIZE + 200)
const char *profdata_message(char message[PROFDATA_MESSAGE_SIZE],
    const struct prof_error *);

/* Ends the program for an input that show or overlap cannot read. */
void profdata_fail_reading(const struct profdata *, const char *where,
    const struct prof_error *)
    __attribute__((noreturn));

/* cmd/profdata/inputs.c: operands, --weighted-input and --input-files. */
void profdata_inputs_find(struct profdata *);

/* merge --remapping-file: other names for functions. */
struct profdata_remap;

/* Reads a file of lines OLD NEW; ends the program at any other line. */
struct profdata_remap *profdata_remap_open(const char *path);

/* The function's new name, if it has one. */
void profdata_remap(const struct profdata_remap *, struct prof_symbol *);
void profdata_remap_free(struct profdata_remap *);	/* NULL is fine */

/* Reads the profiles of a file, or of the members of an archive. */
enum prof_status profdata_read(struct profdata *, const char *path,
    cli_record *fn, void *arg, struct prof_error *);

/*
 * Whether the release refuses to show counters whose functions only the binary
 * knows; then err says so.  Later releases show a profile without functions.
 */
bool profdata_refuses_correlated(const struct profdata *, struct prof_error *);

/*
 * Ends the program unless the path is "-" or a file that exists and is no
 * folder.  The error is about `where`; NULL: about the path.
 */
void profdata_require(const char *where, const char *path);

/*
 * cmd/profdata/traces.c: temporal traces, sampled as llvm-profdata does it
 *
 * InstrProfWriter.cpp, addTemporalProfileTraces: a reservoir with a Mersenne
 * twister of the default seed, so that the same inputs in the same order give
 * the same traces, those of `llvm-profdata merge -j 1` of LLVM 20 to 22, once
 * the reservoir is full.
 */
struct trace_set {
	struct prof_trace *traces;
	size_t size, room;
	uint64_t seen;			/* traces of the whole stream */
};

struct trace_reservoir {
	uint64_t size, max_length;
	struct mt19937 random;
	struct arena arena;		/* functions of the traces */
	struct trace_set sample, source;
};

void traces_start(struct trace_reservoir *, uint64_t size, uint64_t max_length);

/* Adds a trace of the profile being read.  False if out of memory. */
bool traces_add(struct trace_reservoir *, const struct prof_trace *,
    uint64_t weight);

/*
 * Ends the profile and samples its traces; `seen` is the number of traces of
 * its stream, of which the profile may hold a sample.  False if out of memory.
 */
bool traces_end(struct trace_reservoir *, uint64_t seen);

void traces_free(struct trace_reservoir *);

/*
 * cmd/profdata/binaries.c: what binaries tell about the records of a profile
 *
 * Correlated counters become functions, and addresses of heap profiles become
 * frames, if the options name binaries.  Records go through the resolver
 * before llvm-profdata merges or shows them.
 */
struct profdata_resolver;

/* Resolved records are passed to next.  Exits if a binary cannot be opened. */
struct profdata_resolver *profdata_resolver_new(struct profdata *,
    cli_record *next, void *arg);

/* A cli_record whose argument is the stage. */
cli_record profdata_resolver_put;

/* Whether counters without functions can be resolved; else err says why. */
bool profdata_resolver_correlates(const struct profdata_resolver *,
    struct prof_error *);

/* Call after the last record. */
enum prof_status profdata_resolver_finish(struct profdata_resolver *,
    struct prof_error *);
void profdata_resolver_free(struct profdata_resolver *); /* NULL is fine */

/* cmd/profdata/heap.c: show --memory */
int profdata_show_memory(struct profdata *);

/*
 * cmd/profdata/messages.c: text on standard output, or in the file of -o.  Of a
 * program that fails before the end, text that was not yet written is dropped.
 */
struct profdata_out *profdata_out_open(struct profdata *);
void profdata_print(struct profdata_out *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void profdata_put(struct profdata_out *, struct prof_span);
/* Puts the file in place; ends the program if that fails. */
void profdata_out_close(struct profdata_out *);
/* The exit status of a command that printed text: 1 if some was not written. */
int profdata_printed(void);

/* The commands that have a file; each returns the exit status. */
int profdata_merge(struct profdata *);
int profdata_show(struct profdata *);
int profdata_overlap(struct profdata *);

#endif
