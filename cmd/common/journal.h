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

/* Reading takes no memory: a run has to end its work without. */
struct journal {
	bool open;
	int fd;
	off_t at;		/* in the file, behind the buffer */
	size_t used, size;	/* of the buffer */
	int error;		/* errno value of a failed read, or 0 */
	char path[PATH_MAX];
	char buffer[2 * PATH_MAX];
};

/*
 * Opens the journal at j->path.  0 or an errno value; ELOOP if a symbolic link
 * is there.
 */
int journal_open(struct journal *);

/* Opens the journal that fd leads to, with a copy of fd.  0 or errno. */
int journal_attach(struct journal *, int fd);

/*
 * Returns in *fd a descriptor that holds a lock on the open journal: the run
 * that has created it has ended, and no other run can have the lock.  0,
 * EWOULDBLOCK, or ENOENT if the journal was removed before.
 */
int journal_lock(const struct journal *, int *fd);

void journal_rewind(struct journal *);

/*
 * The next line; PROF_END behind the last.  PROF_FAIL if it cannot be read,
 * with an errno value in j->error, or 0 if the journal is damaged.
 */
enum prof_status journal_next(struct journal *, struct journal_line *);

/* The paths of the inputs in a journal, sorted. */
struct journal_inputs {
	char **paths;
	size_t size, room;
};

/* PROF_FAIL if out of memory, or as journal_next; PROF_OK. */
enum prof_status journal_inputs(struct journal *, struct journal_inputs *);

bool journal_inputs_have(const struct journal_inputs *, const char *path);
void journal_inputs_free(struct journal_inputs *);

/* The path of a file beside the journal; false if the path is too long. */
bool journal_beside(const struct journal *, const char *name,
    char path[PATH_MAX]);

void journal_close(struct journal *);	/* one not opened is fine */

#endif
