/* unmatched.h - tells what went without frames, and why */
#ifndef SYM_UNMATCHED_H
#define SYM_UNMATCHED_H

#include "sym/addresses.h"

/* Some of the mappings that are of no module, each named once. */
#define UNMATCHED_SHOWN 3

struct unmatched {
	uint64_t starts[UNMATCHED_SHOWN];
	size_t start_count;
	uint64_t segments;		/* of no module */
	uint64_t asked, found;		/* addresses of stacks */
};

void unmatched_add(struct unmatched *, const struct prof_segment *);

/*
 * Warnings at the end of the run.  PROF_E_MISMATCH if there were addresses and
 * nothing that was given is of any of their modules.
 */
enum prof_status unmatched_warn(const struct unmatched *,
    const struct addresses *, struct prof_error *);

#endif
