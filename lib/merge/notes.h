/* merge/notes.h - what is to be told of functions: the first few one by one */
#ifndef MERGE_NOTES_H
#define MERGE_NOTES_H

#include "merge/engine.h"

enum { MERGE_NOTES = 3, MERGE_TOLD_ONE_BY_ONE = 8 };

/* All zero is empty. */
struct merge_notes {
	size_t count[MERGE_NOTES];
	char told[MERGE_NOTES][MERGE_TOLD_ONE_BY_ONE][PROF_REASON_SIZE];
};

/* To be called in canonical order. */
void merge_note(struct merge_notes *, const struct merge_entry *);

/* Warns of what was noted, and of what is to be said of the whole merge. */
void merge_report(const struct merge *, const struct merge_notes *);

void merge_warn(const struct merge *, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
