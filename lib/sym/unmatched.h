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
 * To be called at the end.  PROF_E_MISMATCH if there were addresses, none of
 * their modules has a binary that the user gave, and nothing was found for any
 * of them: neither debug information nor the symbol of an address.
 */
enum prof_status unmatched_warn(const struct unmatched *,
    const struct addresses *, struct prof_error *);

#endif
