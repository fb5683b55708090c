/*
 * cmd/common/messages.h - messages, errors and progress on standard error
 *
 * One form for all: "PROGRAM: FILE[MEMBER]: WORD: PLACE: REASON".  Names of
 * functions, files and archive members, and values of options may hold any
 * byte: those that change the state of a terminal are printed as '?'.  Only
 * messages.c writes to standard error (tests/programs/lint.bats).
 */
#ifndef CMD_COMMON_MESSAGES_H
#define CMD_COMMON_MESSAGES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "prof.h"

struct cli;
struct input;

/*
 * As fprintf of masked text, to standard error if the file is NULL; a newline
 * at the begin and at the end of the format stays.  Text above 1 KB is cut
 * there if memory is out.
 */
void message_print_to(FILE *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same to standard error. */
void message_print(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/* To standard error, with printable_mask_lines: messages of several lines. */
void message_vprint_lines(const char *format, va_list)
    __attribute__((format(printf, 1, 0)));

/* Writes to standard error what message_print_to made of several messages. */
void message_repeat(const char *text, size_t size);

/*
 * A prof_warn with the struct cli as its argument.  Shared counters are warned
 * of once, by cli_end.
 */
prof_warn cli_warn;

/*
 * Takes a warning of shared counters, and how many inputs have some: the first
 * line of all in byte order, whatever the order of inputs, is kept.
 */
struct cli_report;
void cli_note_sharing(struct cli_report *, char *line, uint64_t inputs);

/* An error of the file being read, for programs that go on. */
void cli_print_error(const struct cli *, const struct prof_error *);

/* The input being read, as "FILE[MEMBER]" or "standard input". */
void cli_print_input(const struct cli *, FILE *);

/*
 * Copies the name of an input or a member, which the message of a failure needs
 * after the input is closed, to *copy: failed_file or failed_member of the
 * inputs.  Returns *copy, which is NULL if the name is or memory runs out.
 */
const char *cli_keep_name(char **copy, const char *name);

/*
 * --verbose: the input being read, its format, and the version of the format.
 * Text has no version, and is printed without one.
 */
void cli_print_source(const struct cli *, const struct prof_source *);

/* "PROGRAM: REASON", then "Try --help"; exits with status 2. */
void cli_usage_error(const struct cli *, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void cli_out_of_memory(const struct cli *) __attribute__((noreturn));

/*
 * How far a run is: a line for people, if standard error is a terminal and the
 * run takes longer than a second.  It does not change what is written.
 */
struct cli_progress {
	bool silent;
	bool begun;
	bool shown;			/* the terminal has a progress line */
	uint64_t inputs;		/* inputs that are done */
	uint64_t total;			/* number of all inputs, 0: unknown */
	uint64_t bytes;			/* of the inputs that are done */
	uint64_t functions, records;
	const struct input *input;	/* being read, or NULL */
	struct timespec start, last;
};

void cli_progress_begin(struct cli *);

/* Called when the last record of an input was read. */
void cli_progress_done(struct cli *);

/* Called for each record; updates the line about once a second. */
void cli_progress_record(struct cli *, const struct prof_record *);

/* Clears the line before a message is printed. */
void cli_progress_clear(const struct cli *);

/*
 * Flushes a stream.  Returns 0 if all text since the stream was opened has been
 * written, else an errno value: that of this flush, or EIO if only an earlier
 * write failed, whose errno is no longer known.
 */
int stdio_flush(FILE *);

/*
 * The same, and closes the stream: some file systems report lack of space only
 * then.
 */
int stdio_close(FILE *);

#endif
