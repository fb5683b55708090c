/*
 * cmd/common/options.h - options that all programs share
 *
 * A program puts the macros into its own table of options and its usage text,
 * and hands each option that is not its own to cli_option.
 */
#ifndef CMD_COMMON_OPTIONS_H
#define CMD_COMMON_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>

#include "prof.h"

struct cli;

/* What the user asked for; nothing changes it once options are parsed. */
struct cli_options {
	bool quiet, verbose;
	bool recursive;			/* folders stand for their files */
	bool nul_separated;		/* names in lists end with NUL */
	bool listed;			/* a list of inputs was named */
	bool salvage;			/* as prof_context_salvage */
	unsigned jobs;			/* threads; 0: not given, one */
	const char *member_glob;	/* of archives; NULL: all members */
	uint64_t max_size;		/* of a member; 0: io/input.h */
	const char *watched;		/* folder of --watch, or NULL */
	uint64_t until_files, until_seconds;	/* 0: no limit */
	/* Only functions of these names are read, as prof_select; or NULL. */
	const struct prof_span *select;
	size_t select_size;
};

/* Values of long options without a letter; a program's own begin at CLI_OWN. */
enum {
	CLI_FILES_FROM = 256, CLI_TO, CLI_FOR, CLI_FORMAT_VERSION,
	CLI_RELABEL, CLI_NO_VTABLE_NAMES, CLI_MEMPROF_VERSION,
	CLI_MEMPROF_FULL, CLI_WITH_SOURCES, CLI_KEEP_GOING, CLI_MAX_BAD,
	CLI_ALLOW_EMPTY, CLI_FAIL_ON, CLI_REPORT, CLI_MEMBER, CLI_MAX_SIZE,
	CLI_PROGRESS, CLI_OWN
};

/* For getopt_long: options of all programs, and of those that write. */
#define CLI_LETTERS "0hj:qrvV"
#define CLI_LONG \
	{ "files-from", required_argument, NULL, CLI_FILES_FROM }, \
	{ "null", no_argument, NULL, '0' }, \
	{ "jobs", required_argument, NULL, 'j' }, \
	{ "recursive", no_argument, NULL, 'r' }, \
	{ "member", required_argument, NULL, CLI_MEMBER }, \
	{ "max-size", required_argument, NULL, CLI_MAX_SIZE }, \
	{ "keep-going", no_argument, NULL, CLI_KEEP_GOING }, \
	{ "max-bad", required_argument, NULL, CLI_MAX_BAD }, \
	{ "report", required_argument, NULL, CLI_REPORT }, \
	{ "progress", required_argument, NULL, CLI_PROGRESS }, \
	{ "quiet", no_argument, NULL, 'q' }, \
	{ "verbose", no_argument, NULL, 'v' }, \
	{ "help", no_argument, NULL, 'h' }, \
	{ "version", no_argument, NULL, 'V' }
#define CLI_ALLOW_EMPTY_LONG \
	{ "allow-empty", no_argument, NULL, CLI_ALLOW_EMPTY }
#define CLI_OUTPUT_LETTERS "o:"
#define CLI_OUTPUT_LONG \
	{ "output", required_argument, NULL, 'o' }, \
	{ "for", required_argument, NULL, CLI_FOR }, \
	{ "format-version", required_argument, NULL, CLI_FORMAT_VERSION }, \
	{ "relabel", no_argument, NULL, CLI_RELABEL }, \
	{ "no-vtable-names", no_argument, NULL, CLI_NO_VTABLE_NAMES }, \
	{ "memprof-version", required_argument, NULL, CLI_MEMPROF_VERSION }, \
	{ "memprof-full-schema", no_argument, NULL, CLI_MEMPROF_FULL }, \
	{ "with-sources", optional_argument, NULL, CLI_WITH_SOURCES }, \
	CLI_ALLOW_EMPTY_LONG
/* Of programs that make sums. */
#define CLI_FAIL_ON_LONG { "fail-on", required_argument, NULL, CLI_FAIL_ON }
#define CLI_TO_LONG { "to", required_argument, NULL, CLI_TO }

/* The same for usage texts. */
#define CLI_USAGE \
	"      --files-from LIST read the names of inputs from LIST\n" \
	"  -0, --null            names in LIST end with NUL, not newline\n" \
	"  -r, --recursive       read all files of input folders\n" \
	"  -j, --jobs N          use N threads (default: 1)\n" \
	"      --member GLOB     of archives, only members with such paths\n" \
	"      --max-size SIZE   no member above SIZE (16G)\n" \
	"      --keep-going      leave out bad inputs, and exit with 1\n" \
	"      --max-bad N       keep going: with at most N bad ones, or N%\n" \
	"      --report FILE     write what is bad, a line of JSON each\n" \
	"      --progress WHAT   say how far it is as json, or none\n" \
	"  -q, --quiet           no warnings, no progress\n" \
	"  -v, --verbose         say what is read\n" \
	"  -h, --help            print this\n" \
	"  -V, --version         print the version\n"
#define CLI_ALLOW_EMPTY_USAGE \
	"      --allow-empty     exit with 0 even if no function is left\n"
#define CLI_OUTPUT_USAGE \
	"  -o, --output FILE     write FILE, whole or not at all\n" \
	"      --for LLVM        indexed: for clang-N, rustc-X.Y or LLVM-N\n" \
	"      --format-version N  indexed: version N\n" \
	"      --relabel         indexed: front-end hashes as they are\n" \
	"      --no-vtable-names indexed, text: without the names of " \
	"vtables\n" \
	"      --memprof-version N  indexed: heap profiles of version N\n" \
	"      --memprof-full-schema  indexed: all figures of heap profiles\n" \
	"      --with-sources[=rfc]  indexed: name the source files of stacks\n" \
	CLI_ALLOW_EMPTY_USAGE
#define CLI_FAIL_ON_USAGE \
	"      --fail-on WHAT    no output on overflow, mismatch or " \
	"overflow,mismatch\n"
#define CLI_TO_USAGE \
	"      --to FORMAT[:N]   write stream (default), indexed, text, " \
	"raw,\n" \
	"                        memprof-raw, yaml or lprf; raw:8,be,32 or\n" \
	"                        memprof-raw:5,be for another machine\n"

/*
 * Applies an option that all programs share; optarg is its argument.  Exits on
 * --help, --version, and on an argument that is wrong.
 */
void cli_option(struct cli *, int option);

/* The operands as inputs, or standard input if no input was named at all. */
void cli_operands(struct cli *, int argc, char **argv);

/* A number of bytes, with K, M, G or T behind it; exits on anything else. */
uint64_t cli_parse_size(const struct cli *, const char *);

#endif
