/*
 * budget.h - limits of memory and time for a piece of work
 *
 * Counts all allocations of the process, also those of libraries, by the hooks
 * of the address sanitizer, or by functions that replace glibc's.  Elsewhere
 * none are counted.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stddef.h>

/* Aborts with a message if budget_end is not called within 2 s of CPU time. */
void budget_begin(const char *what);

/* Aborts if more than `limit` bytes were allocated at a time since then. */
void budget_end(size_t limit);

#endif
