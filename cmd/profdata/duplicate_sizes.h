/* cmd/profdata/duplicate_sizes.h - sizes that a site of values has twice */
#ifndef CMD_PROFDATA_DUPLICATE_SIZES_H
#define CMD_PROFDATA_DUPLICATE_SIZES_H

#include "base/arena.h"
#include "prof.h"

/* All zero is none yet. */
struct profdata_twice {
	bool any;
	struct arena scratch;
};

/* Looks at the sites of memory operations.  False if out of memory. */
bool profdata_twice_look(struct profdata_twice *, const struct prof_sites *);

#endif
