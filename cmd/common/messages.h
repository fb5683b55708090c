/*
 * cmd/common/messages.h - messages and errors on standard error
 *
 * One form for all: "PROGRAM: FILE[MEMBER]: PLACE: REASON".  Every other file
 * here may use these functions; they use only the progress line, which has to
 * be cleared before a message is printed.
 */
#ifndef CMD_COMMON_MESSAGES_H
#define CMD_COMMON_MESSAGES_H

#include <stdio.h>

#include "prof.h"

struct cli;

/* A prof_warn with the struct cli as its argument. */
prof_warn cli_warn;

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

#endif
