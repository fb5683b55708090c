/* diff.h - what changed between two profiles, the largest changes first */
#ifndef OPS_DIFF_CHANGES_H
#define OPS_DIFF_CHANGES_H

#include "ops/diff/overlap.h"

/* All zero is empty. */
struct diff_list {
	struct overlap_change *items;
	size_t size, room;
};

/* An overlap_taker: notes functions whose share is not what it was. */
bool diff_list_take(void *list, const struct overlap_change *);

/* By how far the shares are apart, then by name and hash. */
void diff_list_sort(struct diff_list *);

void diff_list_free(struct diff_list *);

#endif
