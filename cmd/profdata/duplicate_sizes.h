/* cmd/profdata/duplicate_sizes.h - sites that name the same size repeatedly */
#ifndef CMD_PROFDATA_DUPLICATE_SIZES_H
#define CMD_PROFDATA_DUPLICATE_SIZES_H

#include "base/arena.h"
#include "prof.h"

/* All zero: no site was checked yet. */
struct duplicate_sizes {
	bool any;			/* a site has a duplicate size */
	struct arena scratch;
};

/*
 * Checks the sites of memory operations of one function for values of the same
 * size.  Sets `any`, which stays set.  False if out of memory.
 */
bool duplicate_sizes_check(struct duplicate_sizes *, const struct prof_sites *);

#endif
