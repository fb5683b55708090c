/*
 * cli.h - what every program does the same way
 *
 * Options that all programs share, inputs, the output, messages and the exit
 * status.  A program parses its own options beside the shared ones, hands a
 * function to cli_read, and ends with cli_end.
 */
#ifndef CMD_CLI_H
#define CMD_CLI_H

#include <getopt.h>

#include "ops/merge.h"
#include "ops/retarget.h"
#include "prof.h"

/* As grep, cmp and diff: done; done, but the answer is no; trouble. */
enum { CLI_DONE, CLI_NO, CLI_TROUBLE };

struct cli_input {
	const char *path;		/* "-" is standard input */
	struct merge_factor weight;
	bool subtracted;		/* of prof-merge */
	bool found;			/* below a folder, not named */
};

struct cli {
	const char *name;		/* of the program */
	const char *usage;		/* --help prints it */

	/* From the options. */
	struct cli_input *inputs;
	size_t input_count, input_room;
	const char *output;		/* NULL: standard output */
	struct prof_target target;
	struct retarget_options retarget;
	const char *release;		/* of --for, or NULL */
	bool quiet, verbose, recursive, nul_separated;
	bool listed;			/* a list of inputs was named */
	/* Only functions of this name are read, if it is not NULL. */
	const char *select;

	/* Of the run. */
	struct prof_context *context;
	struct cli_names *names;	/* of files from lists and folders */
	const char *file, *member;	/* being read, or NULL */
	const struct cli_input *input;	/* being read */
	char *failed_member;		/* what member points to at the end */
	uint64_t skipped;		/* members that are no profiles */
	struct retarget *retargeter;	/* NULL: records as they are */
	struct output *out;
	struct prof_writer *writer;
	bool output_failed;		/* err is about the output */
	struct prof_error err;
};

/* Values of long options without a letter; a program's own begin at OWN. */
enum {
	CLI_FILES_FROM = 256, CLI_TO, CLI_FOR, CLI_FORMAT_VERSION,
	CLI_RELABEL, CLI_NO_VTABLE_NAMES, CLI_OWN
};

/* For getopt_long: options of all programs, and of those that write. */
#define CLI_LETTERS "0hqrvV"
#define CLI_LONG \
	{ "files-from", required_argument, NULL, CLI_FILES_FROM }, \
	{ "null", no_argument, NULL, '0' }, \
	{ "recursive", no_argument, NULL, 'r' }, \
	{ "quiet", no_argument, NULL, 'q' }, \
	{ "verbose", no_argument, NULL, 'v' }, \
	{ "help", no_argument, NULL, 'h' }, \
	{ "version", no_argument, NULL, 'V' }
#define CLI_OUTPUT_LETTERS "o:"
#define CLI_OUTPUT_LONG \
	{ "output", required_argument, NULL, 'o' }, \
	{ "for", required_argument, NULL, CLI_FOR }, \
	{ "format-version", required_argument, NULL, CLI_FORMAT_VERSION }, \
	{ "relabel", no_argument, NULL, CLI_RELABEL }, \
	{ "no-vtable-names", no_argument, NULL, CLI_NO_VTABLE_NAMES }
#define CLI_TO_LONG { "to", required_argument, NULL, CLI_TO }

/* The same for usage texts. */
#define CLI_USAGE \
	"      --files-from LIST read the names of inputs from LIST\n" \
	"  -0, --null            names in LIST end with NUL, not newline\n" \
	"  -r, --recursive       read all files of input folders\n" \
	"  -q, --quiet           no warnings\n" \
	"  -v, --verbose         say what is read\n" \
	"  -h, --help            print this\n" \
	"  -V, --version         print the version\n"
#define CLI_OUTPUT_USAGE \
	"  -o, --output FILE     write FILE, whole or not at all\n" \
	"      --for LLVM        indexed: for clang-N, rustc-X.Y or LLVM-N\n" \
	"      --format-version N  indexed: version N\n" \
	"      --relabel         indexed: front-end hashes as they are\n" \
	"      --no-vtable-names indexed, text: without the names of vtables\n"
#define CLI_TO_USAGE \
	"      --to FORMAT[:N]   write stream (default), indexed, text, raw or\n" \
	"                        lprf; raw:8,be,32 for another machine\n"

/* format is what is written unless --to says otherwise, NULL for none. */
void cli_start(struct cli *, const char *name, const char *usage,
    const char *format);

/*
 * Takes an option that all programs share, optarg with it; exits on --help,
 * --version, and on what is wrong.
 */
void cli_option(struct cli *, int option);

/*
 * Adds an input.  The argument of cli_weighted is WEIGHT,FILE; a weight is N or
 * N/M, neither 0.
 */
void cli_add_input(struct cli *, const struct cli_input *);
void cli_weighted(struct cli *, const char *argument);

/* Reads a weight up to its end, or returns NULL. */
const char *cli_parse_weight(const char *, struct merge_factor *);

/* Operands, or standard input if nothing else was named. */
void cli_operands(struct cli *, int argc, char **argv);

/* Called with each record; what it returns other than PROF_OK ends cli_read. */
typedef enum prof_status cli_record(void *arg, const struct prof_record *,
    struct prof_error *);

/*
 * Reads every profile of every member of every input.  The source of a profile
 * is filled in.  On failure err is set.
 */
enum prof_status cli_read(struct cli *, cli_record *, void *arg);

/* Settles format and version, for it and the retargeter. */
void cli_set_target(struct cli *);

/* Opens the output and its writer; with cli_put, cli_finish and on. */
enum prof_status cli_open_output(struct cli *);
enum prof_status cli_put(void *cli, const struct prof_record *,
    struct prof_error *);
enum prof_status cli_finish(struct cli *);

/*
 * Reports err if status is PROF_FAIL, gives up the output if it was not
 * finished, frees everything, and gives the exit status.
 */
int cli_end(struct cli *, enum prof_status);

/* A prof_warn with the program as its argument. */
prof_warn cli_warn;

/* An error of the file being read, for programs that go on. */
void cli_tell(const struct cli *, const struct prof_error *);

/* "prog: reason", then "Try --help", status 2. */
void cli_usage_error(const struct cli *, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void cli_out_of_memory(const struct cli *) __attribute__((noreturn));

#endif
