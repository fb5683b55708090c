/*
 * cmd/profdata/conflicts.h - records of one function whose sizes differ
 *
 * Our own programs keep the larger class of records, whatever their order is
 * (merge/merge.h).  llvm-profdata keeps the first record, adds the parts of
 * later records that fit, and warns of the others: InstrProfRecord::merge.
 */
#ifndef CMD_PROFDATA_CONFLICTS_H
#define CMD_PROFDATA_CONFLICTS_H

#include "base/arena.h"
#include "base/intern.h"
#include "prof.h"

enum profdata_conflict {
	CONFLICT_NONE, CONFLICT_COUNTERS, CONFLICT_BITMAP, CONFLICT_SITES,
	CONFLICTS
};

struct profdata_function_sizes;

/* All zero is empty. */
struct profdata_conflicts {
	struct intern keys;		/* guid and hash of functions */
	struct profdata_function_sizes *items;	/* as keys */
	size_t room;
	struct arena scratch;		/* of one record */
};

/*
 * PROF_OK if the record fits the first of its function; parts that do not fit
 * are replaced by empty ones.  PROF_END if nothing of the record fits,
 * PROF_FAIL if out of memory.  *what is the part that does not fit.
 */
enum prof_status profdata_conflicts_check(struct profdata_conflicts *,
    struct prof_function *, enum profdata_conflict *what);

void profdata_conflicts_free(struct profdata_conflicts *);

#endif
