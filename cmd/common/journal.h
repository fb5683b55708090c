/*
 * cmd/common/journal.h - the record of a run with --consume
 *
 * The file ".NAME.consumed" beside the output NAME: a line for each input and
 * each output, which end with NUL, and a last one that says that the record is
 * complete.  A line is a word, the state of the file, and its path.
 */
#ifndef CMD_COMMON_JOURNAL_H
#define CMD_COMMON_JOURNAL_H

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>

#include "prof.h"

struct output;

enum journal_kind {
	JOURNAL_INPUT,		/* path from the root */
	JOURNAL_OUTPUT,		/* name in the folder of the journal */
	JOURNAL_NEW,		/* that output's name before its rename */
	JOURNAL_END,
	JOURNAL_KINDS
};

/*
 * State of a file, which tells it from another that has got its path.  Device
 * numbers are left out: they may change when a computer starts again.
 */
struct journal_state {
	uint64_t inode, size, seconds, nanoseconds;
};

struct journal_line {
	enum journal_kind kind;
	struct journal_state state;
	const char *path;	/* valid until the next line is read */
};

struct journal_state journal_state_of(const struct stat *);

/* The first compares size and time only: of file systems without inodes. */
bool journal_similar(const struct journal_state *, const struct stat *);
bool journal_same(const struct journal_state *, const struct stat *);

/* 0 or an errno value. */
int journal_put(struct output *, const struct journal_line *);

struct journal {
	FILE *file;
	char *text;
	size_t room;
	char path[PATH_MAX];
};

/*
 * Opens the journal at j->path, and goes back to its begin.  The first returns
 * 0 or an errno value; ELOOP if a symbolic link is there.
 */
int journal_open(struct journal *);

/*
 * Returns in *fd a descriptor that holds a lock on the open journal: the run
 * that has created it has ended, and no other run can have the lock.  0,
 * EWOULDBLOCK, or ENOENT if the journal was removed before.
 */
int journal_lock(const struct journal *, int *fd);

void journal_rewind(struct journal *);

/* The next line; PROF_END behind the last, PROF_FAIL if it cannot be read. */
enum prof_status journal_next(struct journal *, struct journal_line *);

/* The paths of the inputs in a journal, sorted. */
struct journal_inputs {
	char **paths;
	size_t size, room;
};

/* False if memory is out. */
bool journal_inputs(struct journal *, struct journal_inputs *);

bool journal_inputs_have(const struct journal_inputs *, const char *path);
void journal_inputs_free(struct journal_inputs *);

/* The path of a file beside the journal; false if it is too long. */
bool journal_beside(const struct journal *, const char *name,
    char path[PATH_MAX]);

void journal_close(struct journal *);	/* one not opened is fine */

#endif
