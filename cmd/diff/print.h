/* cmd/diff/print.h - the result of prof-diff, for people and as JSON */
#ifndef CMD_DIFF_PRINT_H
#define CMD_DIFF_PRINT_H

#include "base/bytes.h"
#include "ops/diff/changes.h"
#include "ops/diff/heap.h"

/*
 * What is compared: classes of functions, with plain and context-sensitive
 * instrumentation, and the contexts of heap profiles.
 */
enum { DIFF_PLAIN, DIFF_SENSITIVE, DIFF_CLASSES, DIFF_HEAP = DIFF_CLASSES,
	DIFF_SUBJECTS };

struct diff_subject {
	const char *title;		/* for people; in messages: `whose` */
	const char *whose;
	const char *records;		/* for people, and the JSON key */
	const char *sum, *sum_key;	/* the sum over all records */
	const char *unit;		/* of the sum: "counts" */
};

extern const struct diff_subject diff_subjects[DIFF_SUBJECTS];

struct diff {
	const char *file[OVERLAP_SIDES];
	bool has[DIFF_SUBJECTS];
	struct overlap overlap[DIFF_CLASSES];
	struct diff_changes changes[DIFF_CLASSES];
	struct heap heaps[OVERLAP_SIDES];
	struct diff_heap heap;
	size_t top;			/* changes to print */
};

static inline const struct overlap *
diff_overlap(const struct diff *d, int subject)
{
	return subject == DIFF_HEAP ? &d->heap.overlap : &d->overlap[subject];
}

/* Changes of a subject that are printed. */
static inline size_t
diff_changes_shown(const struct diff *d, int subject)
{
	size_t n = subject == DIFF_HEAP ? d->heap.changed :
	    d->changes[subject].size;

	return n < d->top ? n : d->top;
}

extern const char *const diff_states[];		/* by enum overlap_state */

/* The function as it is now, or as it was if it is lost. */
static inline const struct diff_function *
diff_change_function(const struct overlap_change *c)
{
	return c->function[OVERLAP_B] != NULL ? c->function[OVERLAP_B] :
	    c->function[OVERLAP_A];
}

/* The side of a context's stack: B, or A if the context is lost. */
static inline int
diff_context_side(const struct diff_context *c)
{
	return c->context[OVERLAP_B] != NULL ? OVERLAP_B : OVERLAP_A;
}

static inline const char *
diff_context_state(const struct diff_context *c)
{
	return diff_states[c->context[OVERLAP_A] == NULL ? OVERLAP_NEW :
	    c->context[OVERLAP_B] == NULL ? OVERLAP_LOST : OVERLAP_CHANGED];
}

void diff_people(struct buf *, const struct diff *);
void diff_json(struct buf *, const struct diff *);

#endif
