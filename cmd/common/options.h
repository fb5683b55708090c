/* cmd/common/options.h - options that all programs share */
#ifndef CMD_COMMON_OPTIONS_H
#define CMD_COMMON_OPTIONS_H

#include <stdbool.h>

#include "cmd/common/command_line.h"
#include "cmd/common/progress.h"
#include "cmd/common/terminal.h"
#include "merge/merge.h"
#include "prof.h"

struct cli;

/* What the user asked for; nothing changes it once options are parsed. */
struct cli_options {
	bool quiet, verbose;
	bool recursive;			/* --upgrade of folders */
	bool in_place;			/* inputs are rewritten */
	bool nul_separated;		/* names in lists end with NUL */
	bool listed;			/* a list of inputs was named */
	bool salvage;			/* as prof_context_salvage */
	enum terminal_colour colour;
	unsigned jobs;			/* threads; 0: not given, one */
	const char *member_glob;	/* of archives; NULL: all members */
	uint64_t max_size;		/* of a member; 0: io/input.h */
	/* Only functions of these names are read, as prof_select; or NULL. */
	const struct prof_span *select;
	size_t select_size;
	/*
	 * Functions whose names begin otherwise need not be read: as
	 * prof_select_prefixes, of inputs that are sorted; or NULL.
	 */
	const struct prof_span *prefixes;
	size_t prefixes_size;
};

/*
 * Tables of all programs, of those that write profiles, --to, and what is
 * chosen of indexed profiles.
 */
extern const struct cli_option cli_options[];
extern const struct cli_option cli_output_options[];
extern const struct cli_option cli_to_options[];
extern const struct cli_option cli_indexed_options[];

/* Rows of programs that write text. */
#define CLI_OUTPUT_ROW \
	{ 'o', "output", "FILE", "write to FILE, complete or not at all", \
	    CLI_SETS(struct cli, output.path) }
#define CLI_ALLOW_EMPTY_ROW \
	{ 0, "allow-empty", NULL, "exit with 0 even if no function is left", \
	    CLI_SETS(struct cli, output.allow_empty) }
#define CLI_SALVAGE_ROW \
	{ 0, "salvage", NULL, "read the intact parts of damaged profiles", \
	    CLI_SETS(struct cli, options.salvage) }
enum { CLI_JOBS_MAX = 256 };

/* Of programs that read inputs, or find orders, with several threads. */
#define CLI_JOBS_ROW \
	{ 'j', "jobs", "N", "use N threads (default: 1)", \
	    CLI_SETS_NUMBER(struct cli, options.jobs, 1, CLI_JOBS_MAX) }
/* Of programs that make sums. */
#define CLI_FAIL_ON_ROW \
	{ 0, "fail-on", "WHAT", \
	    "fail on overflow, mismatch or overflow,mismatch", \
	    CLI_SETS_BITS(struct cli, report.damage.fail_on, "overflow", \
	    "mismatch") }

/* Functions of options, for rows of programs. */
void cli_set_list(const struct cli_given *);
void cli_set_release(const struct cli_given *);

/* N or N,LENGTH of --max-traces. */
void cli_set_traces(const struct cli *, const char *argument,
    struct merge_trace_limits *);

/* The operands as inputs, or standard input if no input was named at all. */
void cli_operands(struct cli *, int argc, char **argv);

#endif
