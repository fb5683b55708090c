/*
 * cmd/common/command_line.h - options as rows of tables
 *
 * A program is a struct cli_program with its own table and those of options.h.
 * From the rows come the tables of getopt_long, the text of --help, and what
 * an option does.
 */
#ifndef CMD_COMMON_COMMAND_LINE_H
#define CMD_COMMON_COMMAND_LINE_H

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli;
struct cli_option;

/* An option of the command line; argument is NULL if the option has none. */
struct cli_given {
	struct cli *cli;
	void *run;			/* as cli_parse got it */
	const struct cli_option *option;
	char *argument;
};

enum cli_option_kind { CLI_FLAG, CLI_TEXT, CLI_SIZE, CLI_FUNCTION };

/* A row without a name is a line of --help, or several, as they stand. */
struct cli_option {
	char letter;			/* 0: none */
	const char *name;
	const char *argument;		/* "N"; "[=N]" if optional; or NULL */
	const char *help;		/* NULL: another row tells of it */
	enum cli_option_kind kind;
	bool shared;			/* the member is of struct cli */
	size_t member;			/* its offset */
	void (*set)(const struct cli_given *);	/* of CLI_FUNCTION */
	int value;			/* for the function */
};

/*
 * The end of a row.  The option sets a member, whose type says to what: bool to
 * true, const char * to the argument, uint64_t to the argument as a size.  The
 * type that holds it is struct cli or that of the program's run.
 */
#define CLI_SETS(type, path) \
	.kind = _Generic(((type *)0)->path, bool: CLI_FLAG, \
	    const char *: CLI_TEXT, uint64_t: CLI_SIZE), \
	.shared = _Generic((type *)0, struct cli *: true, default: false), \
	.member = offsetof(type, path)
#define CLI_CALLS(function) .kind = CLI_FUNCTION, .set = (function)

struct cli_program {
	const char *name;
	const char *format;		/* without --to; NULL: no profile */
	const char *usage;		/* first lines of --help */
	/* In the order of --help.  Tables end with a row of zeros. */
	const struct cli_option *tables[5];
};

/*
 * Applies all options, and leaves the place of the first operand in optind.
 * Exits on --help, --version and on what is wrong.
 */
void cli_parse(struct cli *, void *run, int argc, char **argv);

/*
 * The same for programs whose first argument is a verb: the index of the verb,
 * whose operands are left in *argc and *argv.  The verbs end with NULL.
 */
unsigned cli_parse_verb(struct cli *, void *run, const char *const *verbs,
    int *argc, char ***argv);

/* Functions of options: each prints on standard output and exits. */
void cli_print_help(const struct cli_given *);
void cli_print_version(const struct cli_given *);

/*
 * The decimal number that a text begins with: the text behind it, or NULL if
 * there is none from min to max.  cli_is_number: whether it is the whole text.
 */
const char *cli_parse_number(const char *, uint64_t min, uint64_t max,
    uint64_t *);
bool cli_is_number(const char *, uint64_t min, uint64_t max, uint64_t *);

/* The argument as a percentage, % behind it or not; exits unless 0 to 100. */
double cli_parse_percentage(const struct cli_given *);

enum { CLI_WORDS_SIZE = 256 };

/* "A, B or C" of words, which end with NULL; a list too long is cut. */
void cli_join_words(char list[CLI_WORDS_SIZE], const char *const *words);

/* The argument as an index of words, which end with NULL; exits on others. */
unsigned cli_parse_word(const struct cli_given *, const char *const *words);

#endif
