/*
 * cmd/profdata/profdata.h - llvm-profdata, as far as it is about instrumentation and heap
 * profiles
 *
 * A front end for scripts that call llvm-profdata: LLVM's options, output and
 * exit statuses over the same library as our own programs.  Facts are those of
 * llvm/tools/llvm-profdata/llvm-profdata.cpp, LLVM 13 to 22.
 */
#ifndef CMD_PROFDATA_PROFDATA_H
#define CMD_PROFDATA_PROFDATA_H

#include <stdarg.h>

#include "base/bytes.h"
#include "prof.h"

enum { PROFDATA_OLDEST = 13, PROFDATA_NEWEST = 22 };

enum profdata_command {
	PROFDATA_MERGE = 1 << 0,
	PROFDATA_SHOW = 1 << 1,
	PROFDATA_OVERLAP = 1 << 2,
	PROFDATA_ORDER = 1 << 3
};

enum profdata_failure { PROFDATA_FAIL_ANY, PROFDATA_FAIL_ALL, PROFDATA_WARN };

/* Where binaries of correlated profiles are looked for is asked of both. */
enum profdata_correlate {
	PROFDATA_CORRELATE_NOT, PROFDATA_CORRELATE_DEBUG_INFO,
	PROFDATA_CORRELATE_BINARY
};

/* What is shown of: instrumentation, or memory. */
enum profdata_kind { PROFDATA_INSTR, PROFDATA_MEMORY };

struct profdata_list {
	const char **items;
	size_t size, room;
};

struct profdata_numbers {
	uint64_t *items;
	size_t size, room;
};

/* The values of the options; what is not named keeps LLVM's default. */
struct profdata_options {
	const char *compat;
	struct profdata_list operands;
	const char *output;
	const char *function, *no_function;
	const char *debug_info, *binary_file, *profiled_binary;
	uint64_t value_cutoff;
	bool has_value_cutoff;
	unsigned kind, format;
	bool text;

	/* merge */
	struct profdata_list weighted;
	const char *input_files, *remapping_file;
	unsigned failure_mode;
	bool sparse, dump_inputs, keep_vtables, previous_version;
	unsigned memprof_version;	/* one above, 0: the default */
	bool memprof_full;
	uint64_t reservoir, trace_length, threads, correlation_warnings;
	unsigned correlate;		/* enum profdata_correlate */
	bool debuginfod;
	struct profdata_list debug_dirs;

	/* show */
	bool all_functions, counts, ic_targets, memop_sizes, vtables, covered;
	bool list_below, detailed, binary_ids, traces, hot_functions, version;
	bool context_sensitive, json, prof_sym_list, sections;
	unsigned show_format;
	uint64_t topn;
	struct profdata_numbers cutoffs;

	/* order */
	uint64_t test_traces;
};

/* What LLVM takes a counter of a raw profile above for damaged. */
#define PROFDATA_COUNT_MAX ((uint64_t)1 << 56)

enum { PROFDATA_TEXT, PROFDATA_JSON, PROFDATA_YAML };

typedef enum prof_status profdata_record(void *arg, const struct prof_record *,
    struct prof_error *);

struct profdata {
	const char *name;		/* as LLVM has it: without folders */
	enum profdata_command command;
	const char *command_name;
	unsigned release;		/* of LLVM, to be compatible with */
	struct profdata_options options;
	struct prof_context *context;
	const char *file;		/* being read, or NULL */
	const char *last_file;		/* this one, or the one before */
	bool muted;			/* warnings will come again */
	struct buf memory;		/* of images */
	profdata_record *precheck;		/* see profdata_set_precheck */
	void *precheck_arg;
};

/* cmd/profdata/options.c: exits if something is wrong. */
void profdata_parse(struct profdata *, int argc, char **argv);
void profdata_choose_release(struct profdata *);
void profdata_print_version(const struct profdata *) __attribute__((noreturn));
void profdata_free(struct profdata *);

/* Whether the behaviour began with a release. */
static inline bool
profdata_since(const struct profdata *p, unsigned release)
{
	return p->release >= release;
}

/* cmd/profdata/messages.c: "error: WHERE: ..." and out, with status 1. */
void profdata_fail(const char *where, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void profdata_out_of_memory(void) __attribute__((noreturn));
void profdata_warning(const char *where, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
prof_warn profdata_warn;		/* its argument is the profdata */

/* LLVM's words for a failure, with our own behind them. */
#define PROFDATA_PHRASE_SIZE 280
#define PROFDATA_MESSAGE_SIZE (PROF_REASON_SIZE + PROFDATA_PHRASE_SIZE + 60)
const char *profdata_message(char message[PROFDATA_MESSAGE_SIZE],
    const struct prof_error *);

/* cmd/profdata/phrases.c: those for a reason, false if there are none. */
bool profdata_llvm_phrase(char *words, size_t size, const char *reason);

/*
 * cmd/profdata/read.c: every record of every member of the file.  *empty is set if
 * the file has no bytes, which is an error then; empty may be NULL.
 */
enum prof_status profdata_read(struct profdata *, const char *path,
    profdata_record *, void *arg, bool *empty, struct prof_error *);

/*
 * Goes over each member, with no word, before anything of it is given to fn;
 * what it refuses is not given.  fn may be NULL then.
 */
void profdata_set_precheck(struct profdata *, profdata_record *precheck, void
    *arg);

/* Ends the program, at a place, unless the file can be asked for. */
void profdata_require_file(const char *path);
void profdata_require(const char *where, const char *path);

/* cmd/profdata/print.c: text for standard output, or for the file of -o. */
struct profdata_out;
struct profdata_out *profdata_out_open(struct profdata *);
void profdata_print(struct profdata_out *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void profdata_put(struct profdata_out *, struct prof_span);
/* The file is there, or the program ends. */
void profdata_out_close(struct profdata_out *);
/* There is no file, and what was not yet printed stays so, as LLVM has it. */
void profdata_out_discard(struct profdata_out *);

/* The four commands; they give the exit status. */
int profdata_merge(struct profdata *);
int profdata_show(struct profdata *);
int profdata_overlap(struct profdata *);
int profdata_order(struct profdata *);

#endif
