/*
 * cmd/common/consume.h - --consume: inputs are removed after the output is in
 * place
 *
 * Only a file that was read is removed: if another file has its name by then,
 * or it has changed, it stays and a message is printed.
 *
 * A run that is killed at any place can be started again.  Its steps:
 *
 *	1. the new output is written, synced, and linked under a temporary name
 *	2. a journal is created that names it and all inputs (journal.h)
 *	3. the inputs are claimed (removal.h)
 *	4. the output is renamed into place
 *	5. the inputs are removed, then their claims, then the journal
 *
 * The next run with that output finds the journal.  If the temporary name is
 * still there, the run was stopped before 4, and 2 and 3 are undone.  If the
 * output is in place, 5 is done to its end, and inputs that the journal names
 * are in the output already.
 */
#ifndef CMD_COMMON_CONSUME_H
#define CMD_COMMON_CONSUME_H

#include <sys/stat.h>

#include "prof.h"

struct cli;
struct consume;
struct output;
struct rewrite;

/*
 * Takes care of what an earlier run has left.  Exits if the output is not a
 * file that replaces the inputs, or, with `group`, a folder of such files.
 */
void cli_consume_begin(struct cli *, bool group);

/*
 * Called when all of the current input was used, or, with `whole` not set, some
 * of it: then it stays.
 */
enum prof_status cli_consume_note(struct cli *, const struct stat *,
    bool whole);

/* Whether a file that is not there was removed by this command before. */
bool cli_consume_had(const struct consume *, const char *path);

/*
 * Called when all inputs are read.  PROF_END if there is nothing to do, since
 * an earlier run was stopped after its output was in place, and there are no
 * new inputs.
 */
enum prof_status cli_consume_ready(struct cli *);

/* All inputs stay. */
void cli_consume_nothing(struct cli *);

/*
 * Puts an output in place, as output_commit does, or rewrite_commit if the
 * rewrite is not NULL.  The output is freed.
 */
enum prof_status cli_consume_commit(struct cli *, struct output *,
    const struct rewrite *);

/* Removes the noted inputs; false if some stay. */
bool cli_consume_end(struct cli *);

void cli_consume_free(struct consume *);	/* NULL is fine */

#endif
