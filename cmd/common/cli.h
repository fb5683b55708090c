/*
 * cmd/common/cli.h - the state of a program, from its start to its exit status
 *
 * A program parses its own options beside those of all programs, reads its
 * inputs with a function of pipeline.h, writes with those of the output, and
 * ends with cli_end.
 */
#ifndef CMD_COMMON_CLI_H
#define CMD_COMMON_CLI_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "cmd/common/command_line.h"
#include "cmd/common/messages.h"
#include "io/packing.h"
#include "merge/merge.h"
#include "model/releases.h"
#include "ops/retarget.h"
#include "prof.h"

struct buf;
struct cli_names;
struct heap_names;
struct input;
struct input_member;
struct rewrite;
struct symbolizer;

/*
 * The inputs that the user named, and lists of names: files, folders, and lists
 * (--files-from).  cli_next_input yields one file after the other.
 */

/* A file, or a list of names that end with newline or with NUL. */
enum cli_input_kind { CLI_FILE, CLI_LIST, CLI_LIST_NUL };

struct cli_input {
	enum cli_input_kind kind;
	const char *path;		/* "-" is standard input */
	struct merge_factor weight;
	bool subtracted;		/* --subtract of prof-merge */
	bool names;			/* --binary of prof-show */
	bool found;			/* below a folder, not named */
	const char *label;		/* --test of prof-cover, or NULL */
};

/* The inputs that were named, and the one that is being read. */
struct cli_inputs {
	struct cli_input *items;	/* files, folders and lists */
	size_t size, room;
	struct cli_names *names;	/* position of the walk over them */
	/*
	 * Opens the current input, which is a name of any text; NULL: inputs
	 * are files.  One input is read at a time.
	 */
	struct input *(*open)(void *arg, struct cli *, struct buf *memory);
	void *open_arg;
	const struct cli_input *current;	/* being read */
	uint64_t number;		/* of current, from 1 */
	uint64_t item;			/* of the item (pipeline.h), from 1 */
	/* Named by messages: being read, or NULL. */
	const char *file, *member;
	uint64_t base;			/* added to offsets in messages */
	/* Copies that file and member point to after a failure, or NULL. */
	char *failed_file, *failed_member;
};

/*
 * Adds an input.  The argument of cli_weighted is WEIGHT,FILE; a weight is N,
 * N/M or N.M, above 0.
 */
void cli_add_input(struct cli *, const struct cli_input *);
void cli_weighted(struct cli *, const char *argument);

/*
 * Goes on to the next file: current, number and file are set, and valid until
 * the next call.  PROF_END after the last; PROF_FAIL, and err of the cli, if a
 * list or a folder cannot be read.
 */
enum prof_status cli_next_input(struct cli *);

/* The next call yields the first file again; what a pipe held is gone. */
void cli_rewind_inputs(struct cli *);

/*
 * The number of threads: that of --jobs, or one for each processor, at most 8.
 * cli_input_jobs: if none is given, only so many as the sizes of the inputs are
 * worth, as the start of a thread takes longer than to read a small file.
 * Called before the first input; a list that is a pipe has no known size.
 */
unsigned cli_jobs(const struct cli *);
unsigned cli_input_jobs(const struct cli *);

/* Whether --member asks for a member of an archive. */
bool cli_wants(const struct cli *, const struct input_member *);

/*
 * Whether a member of an archive, or a file of a folder, is a profile neither
 * by its bytes nor by its name.
 */
bool cli_is_foreign(const struct cli *, const struct input_member *);

/* Called with a line of a list, which ends with NUL behind its size. */
typedef void cli_line(void *arg, const char *line, size_t size);

/*
 * Reads a list: lines that are not empty, without their end.  They end with NUL
 * if -0 was given before.  "-" is standard input.  Exits if it cannot be read.
 */
void cli_lines(const struct cli *, const char *list, cli_line *, void *arg);

void cli_names_free(struct cli_names *);	/* NULL is fine */

/*
 * binaries.c: opens a program, library or debug file (ELF) from which records
 * of cli_read get functions, and adds its names.  PROF_END if the file is no
 * ELF file: nothing was read then.  PROF_FAIL, and err with the path in its
 * reason, if the file cannot be read or memory is out.  cli_add_binaries fails
 * if a file is no ELF file, too.
 */
enum prof_status cli_add_binary(struct cli *, struct symbolizer *,
    const char *path, struct heap_names *);
enum prof_status cli_add_binaries(struct cli *, struct symbolizer *,
    const struct cli_list *paths, struct heap_names *);

/*
 * Bad inputs: where a run stops, or what it leaves out.  Without --keep-going
 * the first bad input ends the run.  With it, an input is read once and checked
 * before any record is used, so that an input that is left out does not change
 * the output.
 */

/* Losses of a sum, in the order of the words of --fail-on. */
enum { CLI_OVERFLOW = 1, CLI_MISMATCH = 2 };

struct cli_damage {
	/* Set from options. */
	bool keep_going;
	bool prints_nothing;		/* standard output is the report's */
	bool needs_all;			/* no input can be left out */
	bool limited, percent;		/* --keep-going=N */
	uint64_t max_bad;		/* inputs, or percents of them */
	unsigned fail_on;		/* losses that are trouble, in bits */
	const char *report;		/* file, "-" or NULL */
	struct buf *account;		/* gets a record `bad` each, or NULL */

	/* State of the run; an input is a file or a member of an archive. */
	FILE *stream;			/* the open report */
	int error;			/* errno of writing it, or 0 */
	bool flushed;			/* with the line of totals */
	bool regular;			/* which is a file: its state */
	struct stat stat;
	uint64_t used, bad;
	bool damaged;			/* one that the run has passed by */
	bool summed;			/* a sum was made, with these losses */
	struct merge_losses losses;
};

/*
 * Exits if the report (NULL: none) would replace an input that was named, the
 * output, or another file that is not a report.
 */
void cli_check_report(const struct cli *, const char *report);

/* Whether the path leads to the open report. */
bool cli_is_report(const struct cli *, const char *path);

/* Opens the report, if there is to be one; exits if that fails. */
void cli_damage_begin(struct cli *);

/*
 * Called when the current input failed with the cli's err.  PROF_OK if the run
 * goes on: then err was printed and reported, and is empty.
 */
enum prof_status cli_damage_skip(struct cli *);

/*
 * The same without --keep-going, in a program that has shown the records before
 * the failure and shows other inputs too: the exit status will be CLI_TROUBLE.
 * False if the run has to end.
 */
bool cli_damage_pass(struct cli *);

/*
 * Writes the lines of an account (plan/account.h) to the report, if there is
 * one, as lines of a report: without their kinds of record.
 */
void cli_damage_report_account(struct cli *, const struct buf *lines);

/* Called after all inputs: PROF_FAIL with err if too many were bad. */
enum prof_status cli_damage_settle(struct cli *);

/* Adds the losses of a sum: PROF_FAIL with err if --fail-on refuses them. */
enum prof_status cli_damage_sum(struct cli *, const struct merge_losses *);

/*
 * Called before outputs are put in place: writes the line of totals.  PROF_FAIL
 * with err if the report cannot be written.
 */
enum prof_status cli_damage_flush(struct cli *);

/*
 * Reports the error that ended the run, if there is one, and closes the report.
 * False, after a message, if the report cannot be written.
 */
bool cli_damage_end(struct cli *, const struct prof_error *);

/*
 * Members of the lines of reports.  A report may replace another one, but no
 * other file: it is known by the first member of its first line.
 */

/* Appends the names of an input; nothing of those that are NULL. */
void report_line_names(struct buf *, const char *file, const char *member);

/* Appends the place in the input of an error, if the error has one. */
void report_line_place(struct buf *, const struct prof_error *);

/* Appends place, code and reason; the code is first without names and place. */
void report_line_error(struct buf *, const struct prof_error *);

/*
 * The output of a program: a profile, or text.  A profile is opened, written
 * with cli_put and finished; a file appears under its name only when it is
 * finished.  cli_end gives up what was not.
 */

/* Lines behind the first one of a stream, known once that is written. */
struct cli_insertion {
	/* Appends them; NULL: none, or none any more. */
	enum prof_status (*put)(void *arg, struct buf *, struct prof_error *);
	void *arg;
	/* Set where the stream begins. */
	struct output *file;
	struct prof_error *err;		/* of put */
};

/*
 * Writes the insertion alone, to a file without a stream.  PROF_E_SYSTEM if it
 * is the file that fails.
 */
enum prof_status cli_write_insertion(const struct cli_insertion *,
    struct prof_error *);

/* The output: its format, and the file that is being written. */
struct cli_output {
	const char *path;		/* NULL: standard output */
	struct prof_target target;
	enum packing packing;		/* of the file: by the suffix of path */
	const char *release;		/* of --for, for messages; or NULL */
	const char *compiler;		/* of --to, or NULL */
	bool newest;			/* neither --for nor a version */
	/* That may have written an input: those with the oldest release. */
	struct llvm_release_range writers;
	struct retarget_options retarget;
	struct retarget *retargeter;	/* NULL: records as they are */
	struct output *file;
	struct prof_writer *writer;
	bool failed;			/* err of the cli is about the output */
	bool allow_empty;		/* see cli_output_is_whole */
	bool finished;			/* a profile was written */
	struct prof_written written;	/* to all profiles that were */
	/* Functions, if none was selected: no file is made then. */
	uint64_t unselected;
	struct cli_insertion insertion;
	char *group_path;		/* copy that path points to, or NULL */
};

/*
 * Notes the releases that may have written an input.  If the oldest of them
 * cannot read what is written, cli_end warns of it.
 */
void cli_note_writers(struct cli_output *, struct llvm_release_range);

/* Settles format and version, for the output and for the retargeter. */
void cli_set_target(struct cli *);

/*
 * Opens the output and its writer.  A program with several outputs prepares
 * once, and opens them one after the other.
 */
enum prof_status cli_open_output(struct cli *);
void cli_prepare_output(struct cli *);
enum prof_status cli_open_file(struct cli *);

/* A cli_record with the struct cli as its argument: writes the record. */
enum prof_status cli_put(void *cli, const struct prof_record *,
    struct prof_error *);

/* Writes all of a sum; PROF_FAIL too if --fail-on refuses what it lost. */
enum prof_status cli_put_sum(struct cli *, struct merge *,
    const struct merge_output *);

enum prof_status cli_finish(struct cli *);

/*
 * False, after a message, if functions were read but the profiles that were
 * written have none of them and no heap data; if the program selected none of
 * its functions; or if some were left out since they have no name, of which the
 * writer warned.  Always true with --allow-empty, or if no profile was written.
 */
bool cli_output_is_whole(const struct cli *);

/*
 * Puts the output in place and forgets it.  If w is not NULL, the file is
 * replaced only if it is as it was read.
 */
enum prof_status cli_commit_output(struct cli *, const struct rewrite *w);

/* Opens the file only; binary: refuses to write to a terminal. */
enum prof_status cli_open_bytes(struct cli *, bool binary);

/* An output that has no writer, and is written at once. */
enum prof_status cli_write_text(struct cli *, const struct buf *);

/*
 * Called once the options are known.  The suffix of -o says how the output is
 * compressed, and its format if there is no --to and the program has a choice;
 * otherwise the format is that of the program.
 */
void cli_choose_format(struct cli *);

/* Options that all programs share. */

/* What the user asked for; nothing changes it once options are parsed. */
struct cli_options {
	bool quiet, verbose;
	bool recursive;			/* --upgrade of folders */
	bool in_place;			/* inputs are rewritten */
	bool has_max_count;		/* --max-count was given */
	bool nul_separated;		/* names in lists end with NUL */
	bool salvage;			/* as prof_context_salvage */
	unsigned jobs;			/* threads; 0: not given: cli_jobs */
	const char *member_glob;	/* of archives; NULL: all members */
	uint64_t max_size;		/* of a member; 0: io/input.h */
	/* Only functions of these names are read, as prof_select; or NULL. */
	const struct prof_span *select;
	size_t select_size;
};

/*
 * Tables of all programs, of those that write profiles, --to, and what is
 * chosen of indexed profiles.
 */
extern const struct cli_option cli_options[];
enum { CLI_LIST_ROWS = 2 };	/* the first of these, about lists of inputs */
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
/* Of programs that print or match names. */
#define CLI_DEMANGLE_ROW(type, path) \
	{ 'C', "demangle", NULL, "demangle names of C++ and Rust functions", \
	    CLI_SETS(type, path) }
enum { CLI_JOBS_MAX = 256 };

/* Of programs that read inputs, or find orders, with several threads. */
#define CLI_JOBS_ROW \
	{ 'j', "jobs", "N", \
	    "use N threads (default: one a processor, up to 8)", \
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

/* As grep, cmp and diff: done; done, but the answer is no; trouble. */
enum { CLI_DONE, CLI_NO, CLI_TROUBLE };

/* What the user is told: messages, progress, and the exit status. */
struct cli_report {
	FILE *messages;			/* NULL: standard error */
	bool muted;			/* no warnings: they will come again */
	bool unclean;			/* done; the status is CLI_NO */
	bool trouble;			/* done; the status is CLI_TROUBLE */
	uint64_t skipped;		/* files and members: no profiles */
	char *sharing;			/* see cli_note_sharing; or NULL */
	uint64_t sharing_inputs;
	struct cli_damage damage;
	struct cli_progress *progress;
};

/*
 * Called with each record.  PROF_END leaves out the rest of the profile file,
 * PROF_FAIL ends the run.
 */
typedef enum prof_status cli_record(void *arg, const struct prof_record *,
    struct prof_error *);

/* For each record that a stage is given, the stage emits any number. */
typedef enum prof_status cli_stage(void *stage, const struct prof_record *,
    cli_record *emit, void *arg, struct prof_error *);

struct cli {
	const char *name;		/* of the program */
	const struct cli_program *program;
	struct cli_options options;
	struct cli_inputs inputs;
	struct cli_report report;
	struct cli_output output;
	struct prof_context *context;
	/* What records of cli_read pass through first, or NULL. */
	cli_stage *stage;
	void *stage_arg;
	struct prof_error err;
};

void cli_start(struct cli *, const struct cli_program *);

/*
 * Prints err if status is PROF_FAIL, gives up the output if it was not
 * finished, frees everything, and returns the exit status.
 */
int cli_end(struct cli *, enum prof_status);

/* Where a program writes, beside its output and its report. */
struct cli_writes {
	const char *file;		/* one more output, or NULL */
	const char *folder;		/* one of outputs, or NULL */
	bool temporaries;		/* in $TMPDIR */
	bool replaces;			/* the inputs */
	bool removes;			/* inputs */
	bool servers;			/* asks debuginfod, which has a cache */
};

/*
 * Enters the sandbox: called when output, report and inputs are known, before
 * any of them is opened.  The cli_writes may be NULL.  With --fetch there is no
 * sandbox.
 */
void cli_restrict(const struct cli *, const struct cli_writes *);

/* Ends the program unless there are servers of debuginfod to ask. */
void cli_need_servers(const struct cli *);

/*
 * Files and folders that go again if the program fails: for programs with
 * several outputs, each of which is put in place on its own.
 */

/*
 * Makes a folder, which is removed at exit unless made_keep was called.  0, or
 * an errno value; EEXIST if something is there, which stays.
 */
int made_folder(const char *path);

/*
 * Notes a file that will be put in place; *new is its state under another name.
 * If nothing is there yet, the file is removed at exit unless made_keep was
 * called; another that has got its path stays.  False if out of memory.
 */
bool made_file(const char *path, const struct stat *new);

/* The program has succeeded. */
void made_keep(void);

#endif
