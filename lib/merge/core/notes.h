/*
 * merge/core/notes.h - warnings about functions of a merge
 *
 * While entries are written, what is to be warned of is counted.  In the end
 * the first few functions of each warning are named, the others counted.
 */
#ifndef MERGE_CORE_NOTES_H
#define MERGE_CORE_NOTES_H

#include "merge/core/core.h"

enum { MERGE_CONFLICTS, MERGE_SATURATED, MERGE_NOT_SUBTRACTED, MERGE_WARNINGS,
	MERGE_NAMED_FUNCTIONS = 8 };

/* All zero is empty. */
struct merge_notes {
	struct merge_losses losses;
	size_t count[MERGE_WARNINGS];
	char text[MERGE_WARNINGS][MERGE_NAMED_FUNCTIONS][PROF_REASON_SIZE];
};

/* Counts what is to be warned of an entry.  Entries come in canonical order. */
void merge_note(struct merge_notes *, const struct merge_entry *);

/*
 * Prints the warnings that were counted, and those about the whole merge, which
 * gets the losses.
 */
void merge_report(struct merge *, const struct merge_notes *);

void merge_warn(const struct merge *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
