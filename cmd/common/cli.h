/*
 * cmd/common/cli.h - what every program does the same way
 *
 * Options that all programs share, inputs, the output, messages and the exit
 * status.  A program parses its own options beside the shared ones, hands a
 * function to cli_read, and ends with cli_end.
 */
#ifndef CMD_COMMON_CLI_H
#define CMD_COMMON_CLI_H

#include <getopt.h>

#include "cmd/common/damage.h"
#include "cmd/common/progress.h"
#include "merge/merge.h"
#include "ops/retarget.h"
#include "prof.h"

/* As grep, cmp and diff: done; done, but the answer is no; trouble. */
enum { CLI_DONE, CLI_NO, CLI_TROUBLE };

/* A file, or a list of names that end with newline or with NUL. */
enum cli_input_kind { CLI_FILE, CLI_LIST, CLI_LIST_NUL };

struct buf;

struct cli_input {
	enum cli_input_kind kind;
	const char *path;		/* "-" is standard input */
	struct merge_factor weight;
	bool subtracted;		/* of prof-merge */
	bool found;			/* below a folder, not named */
};

/*
 * Whether a profile with that head, and functions or none, goes with what the
 * program has taken before; asked before any of it is taken.
 */
typedef enum prof_status cli_check(void *arg, const struct prof_header *,
    bool functions, struct prof_error *);

/*
 * Takes a member instead of cli_read, which would give its records to fn.  *bad
 * is set if the member is what is wrong, and not what is done with it.
 */
struct input;
struct input_member;
typedef enum prof_status cli_take(void *arg, struct input *,
    const struct input_member *, bool *bad);

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

/* The inputs that were named, and the one that is being read. */
struct cli_inputs {
	struct cli_input *items;	/* files, folders and lists */
	size_t size, room;
	struct cli_names *names;	/* position of the walk over them */
	struct watch *watch;		/* of the folder, or NULL */
	struct consume *consume;	/* or NULL: inputs stay */
	const struct cli_input *current;	/* being read */
	uint64_t number;		/* of current, from 1 */
	/* Named by messages: being read, or NULL. */
	const char *file, *member;
	uint64_t base;			/* added to offsets in messages */
	/* Copies that file and member point to after a failure, or NULL. */
	char *failed_file, *failed_member;
};

/* What the user is told: messages, progress, and the exit status. */
struct cli_report {
	FILE *messages;			/* NULL: standard error */
	bool muted;			/* no warnings: they will come again */
	bool unclean;			/* done, but the status is CLI_NO */
	uint64_t skipped;		/* members that are no profiles */
	struct cli_damage damage;
	struct cli_progress *progress;
};

/* The output: its format, and the file that is being written. */
struct cli_output {
	const char *path;		/* NULL: standard output */
	struct prof_target target;
	const char *release;		/* of --for, or NULL */
	struct retarget_options retarget;
	struct retarget *retargeter;	/* NULL: records as they are */
	struct output *file;
	struct prof_writer *writer;
	bool failed;			/* err of the cli is about the output */
	char *group_path;		/* copy that path points to, or NULL */
};

struct cli {
	const char *name;		/* of the program */
	const char *usage;		/* --help prints it */
	struct cli_options options;
	struct cli_inputs inputs;
	struct cli_report report;
	struct cli_output output;
	struct prof_context *context;
	struct prof_error err;

	/* Of the program. */
	cli_check *check;		/* or NULL */
	void *check_arg;
	cli_take *take;			/* or NULL */
	void *take_arg;
	bool takes_all;			/* members that are no profiles too */
};

/* Values of long options without a letter; a program's own begin at OWN. */
enum {
	CLI_FILES_FROM = 256, CLI_TO, CLI_FOR, CLI_FORMAT_VERSION,
	CLI_RELABEL, CLI_NO_VTABLE_NAMES, CLI_MEMPROF_VERSION,
	CLI_MEMPROF_FULL, CLI_WITH_SOURCES, CLI_KEEP_GOING, CLI_MAX_BAD,
	CLI_REPORT, CLI_MEMBER, CLI_MAX_SIZE, CLI_PROGRESS, CLI_OWN
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
#define CLI_OUTPUT_LETTERS "o:"
#define CLI_OUTPUT_LONG \
	{ "output", required_argument, NULL, 'o' }, \
	{ "for", required_argument, NULL, CLI_FOR }, \
	{ "format-version", required_argument, NULL, CLI_FORMAT_VERSION }, \
	{ "relabel", no_argument, NULL, CLI_RELABEL }, \
	{ "no-vtable-names", no_argument, NULL, CLI_NO_VTABLE_NAMES }, \
	{ "memprof-version", required_argument, NULL, CLI_MEMPROF_VERSION }, \
	{ "memprof-full-schema", no_argument, NULL, CLI_MEMPROF_FULL }, \
	{ "with-sources", optional_argument, NULL, CLI_WITH_SOURCES }
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
#define CLI_OUTPUT_USAGE \
	"  -o, --output FILE     write FILE, whole or not at all\n" \
	"      --for LLVM        indexed: for clang-N, rustc-X.Y or LLVM-N\n" \
	"      --format-version N  indexed: version N\n" \
	"      --relabel         indexed: front-end hashes as they are\n" \
	"      --no-vtable-names indexed, text: without the names of vtables\n" \
	"      --memprof-version N  indexed: heap profiles of version N\n" \
	"      --memprof-full-schema  indexed: all figures of heap profiles\n" \
	"      --with-sources[=rfc]  indexed: name the source files of stacks\n"
#define CLI_TO_USAGE \
	"      --to FORMAT[:N]   write stream (default), indexed, text, raw,\n" \
	"                        memprof-raw, yaml or lprf; raw:8,be,32 or\n" \
	"                        memprof-raw:5,be for another machine\n"

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

/* A number of bytes, with K, M, G or T behind it; exits on anything else. */
uint64_t cli_parse_size(const struct cli *, const char *);

/* Reads a weight up to its end, or returns NULL. */
const char *cli_parse_weight(const char *, struct merge_factor *);

/* Operands, or standard input if nothing else was named. */
void cli_operands(struct cli *, int argc, char **argv);

/*
 * Goes through the files that the inputs stand for: input, input_number and
 * file are those of the next one; they are valid until the next call.  PROF_END
 * behind the last.
 */
enum prof_status cli_next_input(struct cli *);

struct input_member;

/*
 * Of the members of an archive: whether the user asked for it, and whether it
 * is no profile, and does not claim to be one by its name.
 */
bool cli_wants(const struct cli *, const struct input_member *);
bool cli_is_foreign(const struct input_member *);

/* Called with each record; what it returns other than PROF_OK ends cli_read. */
typedef enum prof_status cli_record(void *arg, const struct prof_record *,
    struct prof_error *);

/*
 * Reads every profile of every member of every input.  The source of a profile
 * is filled in.  On failure err is set.  Bad inputs are left out under
 * --keep-going (cmd/common/damage.h); then what fn refuses ends the run nevertheless.
 */
enum prof_status cli_read(struct cli *, cli_record *, void *arg);

/* The records of one reader, as cli_read gives them. */
enum prof_status cli_read_records(struct cli *, struct prof_reader *,
    cli_record *, void *arg);

/* Settles format and version, for it and the retargeter. */
void cli_set_target(struct cli *);

/*
 * Opens the output and its writer; with cli_put, cli_finish and on.  Several
 * outputs are prepared once and opened one by one.
 */
enum prof_status cli_open_output(struct cli *);
void cli_prepare_output(struct cli *);
enum prof_status cli_open_file(struct cli *);
/* Or an output that has no writer, and is written at once. */
enum prof_status cli_open_text(struct cli *, bool binary);
enum prof_status cli_write_text(struct cli *, const struct buf *);

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
void cli_print_error(const struct cli *, const struct prof_error *);

/* "prog: reason", then "Try --help", status 2. */
void cli_usage_error(const struct cli *, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void cli_out_of_memory(const struct cli *) __attribute__((noreturn));

#endif
