/*
 * cmd/common/llvm_options.h - options of programs that stand in for LLVM's
 *
 * Functions for rows of tables, and LLVM's messages.  The run of such a program
 * begins with a struct llvm_tool.
 */
#ifndef CMD_COMMON_LLVM_OPTIONS_H
#define CMD_COMMON_LLVM_OPTIONS_H

#include "cmd/common/cli.h"

/* Oldest release that --compat takes. */
enum { LLVM_OLDEST = 13 };

struct llvm_tool {
	const char *name;		/* without a release */
	/* Messages name the command up to the release before; 0: all do. */
	unsigned commandless;
	unsigned release;		/* of LLVM, to be compatible with */
	struct cli_progress progress;	/* silent */
};

/*
 * Begins a program.  The release is that of a first option --compat, which is
 * taken off, else of the program's name (llvm-profdata-16), else of
 * PROFTOOLS_COMPAT, else the newest.
 */
void llvm_start(struct llvm_tool *, struct cli *, int *argc, char ***argv);

/*
 * Prints "error: WHERE: ..." (WHERE may be NULL) behind what is on standard
 * output, and exits with 1; or prints a warning.
 */
void llvm_fail(const char *where, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void llvm_warn(const char *where, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints why the word is refused, and exits; there is a verb. */
void llvm_refuse(const struct cli_given *, enum cli_refusal)
    __attribute__((noreturn));

/* A number up to the max of the option; exits if the value is none. */
uint64_t llvm_number(const struct cli_given *, const char *value);

/* The member of the run that the option sets. */
void *llvm_member(const struct cli_given *);

/* Functions of options: a uint64_t, a bool, nothing, --compat, --version. */
void llvm_set_number(const struct cli_given *);
void llvm_set_flag(const struct cli_given *);
void llvm_ignore(const struct cli_given *);
void llvm_set_compat(const struct cli_given *);
void llvm_print_version(const struct cli_given *);

#endif
