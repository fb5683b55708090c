/* cmd/profdata/options.h - the table of llvm-profdata's options */
#ifndef CMD_PROFDATA_OPTIONS_H
#define CMD_PROFDATA_OPTIONS_H

#include "cmd/profdata/profdata.h"

enum profdata_option_type {
	OPTION_FLAG,
	OPTION_SET,		/* to value */
	OPTION_IGNORED,		/* has no meaning for these profiles */
	OPTION_REFUSED,
	OPTION_FIRST_WITH_VALUE,
	OPTION_REFUSED_VALUE = OPTION_FIRST_WITH_VALUE,
	OPTION_IGNORED_VALUE,
	OPTION_STRING,
	OPTION_LIST,
	OPTION_UINT,
	OPTION_ULONG,
	OPTION_NUMBERS,
	OPTION_CHOICE		/* one of words: its index plus value */
};

struct profdata_word {
	const char *word, *help;	/* NULL behind the last one */
};

struct profdata_option {
	const char *name;
	const char *help;	/* or why it is refused; NULL: an alias */
	size_t at;		/* offset of the value in profdata_options */
	const char *value_name;	/* for --help; NULL: takes no value */
	const struct profdata_word *words;
	enum profdata_option_type type;
	unsigned commands;
	unsigned value;
};

/* The last row has no name. */
extern const struct profdata_option profdata_option_table[];

/* cmd/profdata/response.c: replaces each @FILE by the arguments in FILE. */
void profdata_expand_response_files(int *argc, char ***argv);

/* cmd/profdata/help.c: prints the options of the command, or all commands. */
void profdata_help(const struct profdata *) __attribute__((noreturn));
void profdata_help_all(const struct profdata *) __attribute__((noreturn));

#endif
