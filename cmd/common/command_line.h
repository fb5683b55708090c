/*
 * cmd/common/command_line.h - options as rows of tables
 *
 * A program is a struct cli_program with its own table and those of cli.h.
 * From the rows come the parser, the text of --help, and what an option
 * does.
 */
#ifndef CMD_COMMON_COMMAND_LINE_H
#define CMD_COMMON_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cli;
struct cli_option;
struct cli_verb;

/* Why an argument is refused. */
enum cli_refusal {
	CLI_NO_VERB,			/* or one of another name */
	CLI_UNKNOWN_OPTION,
	CLI_NO_ARGUMENT,
	CLI_NO_WORD,			/* the argument is none of the words */
	CLI_TOO_FEW, CLI_TOO_MANY	/* operands */
};

/* An option of the command line; argument is NULL if the option has none. */
struct cli_given {
	struct cli *cli;
	void *run;			/* as cli_parse got it */
	const struct cli_verb *verb;	/* or NULL */
	char *word;			/* of the command line: "--name=..." */
	const struct cli_option *option;
	char *argument;
};

/* What an option does; all but CLI_FUNCTION set a member at an offset. */
enum cli_option_kind {
	CLI_FLAG,			/* bool: true */
	CLI_TEXT,			/* the argument, or the option's name */
	CLI_NUMBER,			/* unsigned, from min to max */
	CLI_SIZE,			/* uint64_t: bytes, above 0 */
	CLI_PERCENTAGE,			/* double, from 0 to 100 */
	CLI_WORD,			/* unsigned: index of a word, + value */
	CLI_BITS,			/* unsigned: words, each 1 << index */
	CLI_VALUE,			/* unsigned: value */
	CLI_REPEATED,			/* struct cli_list: adds the argument */
	CLI_FUNCTION
};

/* Arguments of an option that may be repeated. */
struct cli_list {
	const char **items;
	size_t size, room;
};

/* A row without a name is a line of --help, or several, as they stand. */
struct cli_option {
	char letter;			/* 0: none */
	const char *name;
	const char *argument;		/* "N"; "[=N]" if optional; or NULL */
	const char *help;		/* NULL: another row tells of it */
	enum cli_option_kind kind;
	bool shared;			/* the member is of struct cli */
	bool marks;			/* there is a mark */
	unsigned char width;		/* of an unsigned member, in bytes */
	size_t member;			/* its offset */
	size_t mark;			/* of a bool: whether it is given */
	uint64_t min, max;		/* without an argument, max is meant */
	const char *const *words;	/* that are accepted; NULL ends them */
	void (*set)(const struct cli_given *);	/* of CLI_FUNCTION */
	int value;			/* for the function too */
	unsigned verbs;			/* CLI_VERB of each; 0: all */
};

#define CLI_VERB(verb) (1U << (verb))

/*
 * The end of a row.  The option sets a member, whose type says to what: bool to
 * true, const char * to the argument, uint64_t to the argument as a size, and
 * so on.  The type that holds it is struct cli or that of the program's run.
 */
#define CLI_SETS(type, path) \
	.kind = _Generic(((type *)0)->path, bool: CLI_FLAG, \
	    const char *: CLI_TEXT, uint64_t: CLI_SIZE, \
	    double: CLI_PERCENTAGE, struct cli_list: CLI_REPEATED), \
	CLI_MEMBER(type, path)
#define CLI_MEMBER(type, path) \
	.shared = _Generic((type *)0, struct cli *: true, default: false), \
	.member = offsetof(type, path)

/* The same for integers and enumerations, and bool for words and values. */
#define CLI_UNSIGNED(type, path) \
	.width = _Generic(((type *)0)->path, bool: sizeof(bool), \
	    unsigned: sizeof(unsigned), unsigned long: sizeof(unsigned long), \
	    unsigned long long: sizeof(unsigned long long)), \
	CLI_MEMBER(type, path)
#define CLI_SETS_NUMBER(type, path, least, most) \
	.kind = CLI_NUMBER, CLI_UNSIGNED(type, path), .min = (least), \
	.max = (most)
#define CLI_SETS_WORD(type, path, ...) \
	.kind = CLI_WORD, CLI_UNSIGNED(type, path), \
	.words = (const char *const[]){ __VA_ARGS__, NULL }
#define CLI_SETS_BITS(type, path, ...) \
	.kind = _Generic(((type *)0)->path, unsigned: CLI_BITS), \
	CLI_MEMBER(type, path), \
	.words = (const char *const[]){ __VA_ARGS__, NULL }
#define CLI_SETS_VALUE(type, path, number) \
	.kind = CLI_VALUE, CLI_UNSIGNED(type, path), .value = (number)

#define CLI_CALLS(function) .kind = CLI_FUNCTION, .set = (function)

/* Behind one of these: a bool of the same type that becomes true as well. */
#define CLI_MARKS(type, path) .marks = true, .mark = offsetof(type, path)

/* What a program does by its first argument, and the operands it needs. */
struct cli_verb {
	const char *name;
	int least, most;
	const char *needs;		/* for the message */
	/* Options of all programs that it has no use for, or NULL. */
	const char *const *refuses;
};

struct cli_program {
	const char *name;
	const char *format;		/* without --to; NULL: no profile */
	const char *usage;		/* first lines of --help */
	/* Refuses counters of raw profiles above PROF_COUNT_PLAUSIBLE. */
	bool limits_counts;
	/* In the order of --help.  Tables end with a row of zeros. */
	const struct cli_option *tables[6];
	const char *examples;		/* last lines of --help: commands */
	const struct cli_verb *verbs;	/* end with zeros; NULL: none */
	/*
	 * Of a program that has LLVM's syntax: one dash or two before a whole
	 * name or letter, and a value behind '=' for any option.  Prints why
	 * the word is refused, and exits.
	 */
	void (*refuse)(const struct cli_given *, enum cli_refusal);
};

/*
 * Applies all options, and leaves the operands in *argc and *argv.  Exits on
 * --help, --version and on what is wrong.  Returns the index of the verb, if
 * the program has verbs.
 */
unsigned cli_parse(struct cli *, void *run, int *argc, char ***argv);

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

/*
 * The hash of a function, as compilers print it, in decimal, or as profiles
 * are printed, with 0x.  Exits if the argument is neither.
 */
uint64_t cli_parse_hash(const struct cli_given *);

/* Stores an integer in a member of 1, 4 or 8 bytes. */
void cli_store(void *member, size_t width, uint64_t);

enum { CLI_WORDS_SIZE = 256 };

/*
 * "A, B or C" of words, which end with NULL, with that word before the last; a
 * list too long is cut.
 */
void cli_join_words(char list[CLI_WORDS_SIZE], const char *const *words,
    const char *before_last);

#endif
