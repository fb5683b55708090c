/* cmd/diff/print.h - the result of prof-diff, for people and as JSON */
#ifndef CMD_DIFF_PRINT_H
#define CMD_DIFF_PRINT_H

#include "base/bytes.h"
#include "ops/diff/changes.h"
#include "ops/diff/heap.h"

/* Classes of functions: plain and context-sensitive instrumentation. */
enum { DIFF_PLAIN, DIFF_SENSITIVE, DIFF_CLASSES };

struct diff {
	const char *file[OVERLAP_SIDES];
	bool has_class[DIFF_CLASSES], has_heap;
	struct overlap overlap[DIFF_CLASSES];
	struct diff_changes changes[DIFF_CLASSES];
	struct heap heaps[OVERLAP_SIDES];
	struct diff_heap heap;
	size_t top;			/* changes to print */
};

extern const char *const diff_states[];		/* by enum overlap_state */

void diff_people(struct buf *, const struct diff *);
void diff_json(struct buf *, const struct diff *);

#endif
