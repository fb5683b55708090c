/*
 * cmd/profdata/conflicts.h - records of one function that do not fit, as LLVM has them
 *
 * Our own programs keep the larger class of records, whatever their order is
 * (merge/merge.h).  llvm-profdata keeps what came first, adds what of a later
 * record fits, and says what does not: InstrProfRecord::merge.
 */
#ifndef CMD_PROFDATA_CONFLICTS_H
#define CMD_PROFDATA_CONFLICTS_H

#include "base/arena.h"
#include "base/intern.h"
#include "prof.h"

struct profdata_function_sizes;

/* All zero is empty. */
struct profdata_conflicts {
	struct intern keys;		/* guid and hash */
	struct profdata_function_sizes *items;	/* as keys */
	size_t room;
	struct arena scratch;		/* of one record */
};

/*
 * PROF_OK with a record that fits those before, PROF_END if nothing of it does,
 * PROF_FAIL: out of memory.  *what says what does not fit, or is NULL; *hint,
 * whether the profiles are of different builds then.
 */
enum prof_status profdata_conflicts_check(struct profdata_conflicts *,
    struct prof_function *, const char **what, bool *hint);

void profdata_conflicts_free(struct profdata_conflicts *);

#endif
