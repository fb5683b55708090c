/* ops/diff/changes.h - the functions that changed, largest change first */
#ifndef OPS_DIFF_CHANGES_H
#define OPS_DIFF_CHANGES_H

#include "ops/diff/overlap.h"

/* All zero but `most`, `equal` and `copies` is empty. */
struct diff_changes {
	struct overlap_change *items;
	size_t size, room;
	size_t most;			/* changes to keep: the largest ones */
	bool equal;			/* also those of equal shares above 0 */
	bool copies;			/* of functions, with their counters,
					   since those added do not stay */
	struct arena arena;		/* of the copies */
	bool full;			/* there have been as many: they come
					   first, and are sorted */
};

/*
 * An overlap_visit whose argument is a struct diff_changes: adds functions, but
 * not those that fit and have the same share on both sides, unless these are
 * wanted too.
 */
bool diff_changes_add(void *list, const struct overlap_change *);

/*
 * Sorts by difference of the shares, largest first, then by name and hash, and
 * drops all but the first `most`.
 */
void diff_changes_sort(struct diff_changes *);

void diff_changes_free(struct diff_changes *);

#endif
