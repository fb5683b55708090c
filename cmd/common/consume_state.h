/*
 * cmd/common/consume_state.h - the state of a run with --consume, and what an
 * earlier one has left
 */
#ifndef CMD_COMMON_CONSUME_STATE_H
#define CMD_COMMON_CONSUME_STATE_H

#include <limits.h>
#include <sys/stat.h>

#include "cmd/common/journal.h"
#include "cmd/common/removal.h"

struct cli;
struct output;

struct consume {
	bool group;			/* several outputs, in a folder */
	char target[PATH_MAX];		/* the output, or that folder */
	struct stat before;		/* of the target, if it existed */
	bool existed;
	char folder[PATH_MAX];		/* of relative paths, with a slash */
	struct journal journal;
	struct output *record;		/* the journal that is being written */
	int lock;			/* on the journal, or -1 */
	bool resumed;			/* a run that was stopped */
	struct journal_inputs had;	/* what that run has removed */
	bool used;			/* an input other than the target */
	bool adds;			/* the target is an input */
	bool inside;			/* an input is in the folder `target` */
	bool nothing;			/* all inputs stay */
};

/* "PROGRAM: OUTPUT: REASON", then exits with status 2. */
void consume_exit(const struct cli *, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void consume_exit_unreadable(const struct cli *, const char *journal,
    int error) __attribute__((noreturn));

struct removal consume_removal(const struct cli *, struct consume *);

/*
 * Does what the run with the open journal did not come to.  Exits if that
 * fails, or if the journal does not tell what to do.
 */
void consume_recover(struct cli *, struct consume *);

#endif
