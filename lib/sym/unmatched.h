/* sym/unmatched.h - warns of addresses without frames, and says why */
#ifndef SYM_UNMATCHED_H
#define SYM_UNMATCHED_H

#include "sym/addresses.h"

/* So many starts of mappings without module are shown, each once. */
#define UNMATCHED_SHOWN 3

struct unmatched {
	uint64_t starts[UNMATCHED_SHOWN];
	size_t start_count;
	uint64_t segments;		/* of no module */
	uint64_t requested, found;	/* addresses of stacks */
};

void unmatched_add(struct unmatched *, const struct prof_segment *);

/*
 * To be called at the end.  PROF_E_MISMATCH if there were addresses and no
 * binary, given or found, belongs to any of their modules.
 */
enum prof_status unmatched_warn(const struct unmatched *,
    const struct addresses *, struct prof_error *);

#endif
