/*
 * ops/diff/join.h - compares two images whose functions can be looked up
 *
 * Functions of one side are looked up in the other side, so that no table of
 * them is needed.  The results are those of a diff_table and overlap_compare.
 */
#ifndef OPS_DIFF_JOIN_H
#define OPS_DIFF_JOIN_H

#include "ops/diff/overlap.h"

/* A class of functions, with or without context-sensitive instrumentation. */
struct diff_join_class {
	struct overlap *out;
	overlap_visit *report;		/* what it gets is gone afterwards */
	void *arg;			/* of report */
};

/* Who wants to know how far a comparison is. */
struct diff_join_watch {
	/* Of each name, as it is checked and as it is compared. */
	void (*name)(void *arg, size_t functions, bool compared);
	void *arg;
};

/*
 * Compares images of the same level, which are at their beginning and were not
 * checked; classes[1] is that of context-sensitive functions.  On PROF_FAIL,
 * which is damage or lack of memory, the results have no meaning.
 */
enum prof_status diff_join(struct prof_lookup *const sides[OVERLAP_SIDES],
    const struct diff_join_class classes[2], const struct diff_join_watch *,
    struct prof_error *);

#endif
