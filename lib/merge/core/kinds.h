/*
 * merge/core/kinds.h - inputs of several threads that do not mix
 *
 * One thread that reads the inputs in order refuses the first one that does not
 * mix with those before it.  With several threads, inputs come in any order,
 * but the same input must be refused.  So the merge notes each kind of profile
 * (level, byte coverage, range of hash rules) with the number of its input,
 * unless the inputs before it had the same constraints already.  In the order
 * of these numbers, the first kind that does not mix with the kinds before it
 * gives the input to be refused.
 */
#ifndef MERGE_CORE_KINDS_H
#define MERGE_CORE_KINDS_H

#include <stdlib.h>

#include "merge/core/core.h"

struct merge_kind {
	struct prof_header head;	/* no more than the constraints */
	const char *label;		/* of the profile, for the message */
	uint64_t number;		/* of its input */
	struct merge_constraints all;	/* of the kinds up to this one */
};

struct merge_kinds {
	struct merge_kind *kinds;	/* by number; the last may conflict */
	size_t size, room;
	uint64_t conflict;		/* input refused; UINT64_MAX: none */
	struct prof_error reason;
	struct arena arena;		/* labels */
};

/*
 * To be called at each function before it is added.  At the first function of a
 * profile its kind is noted.  PROF_E_MISMATCH if this input or one before it
 * is to be refused.
 */
enum prof_status merge_note_function(struct merge_worker *,
    struct prof_error *);

static inline void
merge_kinds_free(struct merge_kinds *kinds)
{
	arena_free(&kinds->arena);
	free(kinds->kinds);
}

#endif
