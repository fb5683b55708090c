/*
 * cmd/common/inputs.h - the inputs that the user named, and lists of names
 *
 * An input is a file, a folder, or a list of names (--files-from);
 * cli_next_input yields one file after the other.
 */
#ifndef CMD_COMMON_INPUTS_H
#define CMD_COMMON_INPUTS_H

#include "merge/merge.h"
#include "prof.h"

struct cli;
struct cli_names;
struct fetch;
struct input_member;

/* A file, or a list of names that end with newline or with NUL. */
enum cli_input_kind { CLI_FILE, CLI_LIST, CLI_LIST_NUL };

struct cli_input {
	enum cli_input_kind kind;
	const char *path;		/* "-" is standard input */
	struct merge_factor weight;
	bool subtracted;		/* --subtract of prof-merge */
	bool names;			/* --binary of prof-show */
	bool found;			/* below a folder, not named */
};

/* The inputs that were named, and the one that is being read. */
struct cli_inputs {
	struct cli_input *items;	/* files, folders and lists */
	size_t size, room;
	struct cli_names *names;	/* position of the walk over them */
	struct fetch *fetch;		/* of names; NULL: inputs are files */
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
 * Adds an input.  The argument of cli_weighted is WEIGHT,FILE; a weight is N or
 * N/M, neither 0.
 */
void cli_add_input(struct cli *, const struct cli_input *);
void cli_weighted(struct cli *, const char *argument);

/* Adds the inputs that a list names, a line each: FILE or WEIGHT,FILE. */
void cli_add_list(struct cli *, const char *list);

/* Reads a weight up to its end, or returns NULL. */
const char *cli_parse_weight(const char *, struct merge_factor *);

/*
 * Goes on to the next file: current, number and file are set, and valid until
 * the next call.  PROF_END after the last; PROF_FAIL, and err of the cli, if a
 * list or a folder cannot be read.
 */
enum prof_status cli_next_input(struct cli *);

/*
 * Whether the path of an input is a regular file, which can be opened and read
 * twice: others may lose the bytes that a first look at them reads.
 */
bool cli_is_regular(const char *path);

/* The next call yields the first file again; what a pipe held is gone. */
void cli_rewind_inputs(struct cli *);

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

#endif
