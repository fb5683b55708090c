/*
 * cmd/common/removal.h - the inputs in a journal: claimed, then removed
 *
 * A run with --consume claims its inputs before its output is put in place: a
 * symbolic link ".NAME.consumed" beside each input leads to the journal.  Of
 * two runs that have read one input, only one can claim it.
 */
#ifndef CMD_COMMON_REMOVAL_H
#define CMD_COMMON_REMOVAL_H

#include "cmd/common/journal.h"

/* What became of a file that an output holds, and that is to be removed. */
enum removal_answer {
	REMOVAL_REMOVED,	/* the file is gone, now or before */
	REMOVAL_IS_OUTPUT,	/* the file is the output, and stays */
	REMOVAL_CHANGED,	/* the file is another by now, and stays */
	REMOVAL_FAILED		/* see errno */
};

/*
 * Removes a file that is the same as the state says.  *other_device is set if
 * it was not on the device of the output.
 */
typedef bool removal_same(const void *state, const struct stat *);
enum removal_answer removal_remove_file(const char *path, const struct stat
    *output, removal_same *, const void *state, bool *other_device);

/* What became of the run whose journal is found. */
enum removal_state {
	REMOVAL_PENDING,	/* its output is not in place */
	REMOVAL_IN_PLACE,	/* its output is, whole */
	REMOVAL_GONE,		/* its output was in place, and is not now */
	REMOVAL_DAMAGED,	/* the journal is not whole */
	REMOVAL_UNKNOWN		/* a file could not be read: see `error` */
};

struct removal {
	/* For messages: paths in the folder are printed without it. */
	const char *program, *folder;
	struct journal *journal;	/* open */
	struct stat output;	/* set by removal_look, if in place */
	char pending[PATH_MAX];	/* the output before its rename, or empty */
	int error;		/* errno value, if the state is unknown */
	bool other_device;	/* of an input, other than the output's */
};

enum removal_state removal_look(struct removal *);

/*
 * Claims all inputs.  Fails, with the path in *input, if one of them is gone or
 * claimed by another run.  `output` is the file that will be replaced: it is
 * not claimed.  NULL: there is none.
 */
enum prof_status removal_claim(struct removal *, const struct stat *output,
    char input[PATH_MAX], struct prof_error *);

/*
 * Gives up all claims, and removes the journal and then the pending output.
 * False if that failed: then journal and pending output must stay, for the next
 * run.
 */
bool removal_undo(struct removal *);

/*
 * Syncs the folder of the output, then removes the inputs whose size, time and
 * number are those of the journal.  False, after a message, if an input of the
 * journal is left.  *done: none of these inputs is left, so that the journal
 * may be removed.
 */
bool removal_finish(struct removal *, bool *done);

/* Whether an input may still have the size and time seen when it was read. */
bool removal_any_left(struct removal *);

#endif
