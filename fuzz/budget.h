/*
 * budget.h - what a piece of work takes, in memory and time
 *
 * All allocations of the process are counted, those of libraries too, by the
 * sanitizer's hooks or in the place of glibc's functions; elsewhere none are.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include <stddef.h>

/* Ends the process with a message unless budget_end comes in time. */
void budget_begin(const char *what);

/* Ends it if more than `limit` bytes were live at a time since the begin. */
void budget_end(size_t limit);

#endif
