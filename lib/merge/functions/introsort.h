/*
 * merge/functions/introsort.h - the order that C++'s std::sort gives values
 *
 * llvm-profdata sorts the values of a site with std::sort, which is not stable:
 * where a value is repeated, the algorithm determines which counts are added to
 * each other.
 */
#ifndef MERGE_FUNCTIONS_INTROSORT_H
#define MERGE_FUNCTIONS_INTROSORT_H

#include "merge/functions/values.h"

/* Sorts by value; equal values get the order that GNU libstdc++ gives them. */
void merge_introsort(struct merge_pair *, size_t);

#endif
