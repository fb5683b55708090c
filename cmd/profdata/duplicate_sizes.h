/* cmd/profdata/duplicate_sizes.h - sizes that a site of values has twice */
#ifndef CMD_PROFDATA_DUPLICATE_SIZES_H
#define CMD_PROFDATA_DUPLICATE_SIZES_H

#include "base/arena.h"
#include "prof.h"

/* All zero is none yet. */
struct duplicate_sizes {
	bool any;
	struct arena scratch;
};

/* Looks at the sites of memory operations.  False if out of memory. */
bool duplicate_sizes_check(struct duplicate_sizes *, const struct prof_sites *);

#endif
