/* merge/core/order.h - the canonical order of records (prof-stream(5)) */
#ifndef MERGE_CORE_ORDER_H
#define MERGE_CORE_ORDER_H

#include "prof.h"

/* Compares two struct prof_trace by functions, then by weight; for qsort. */
int merge_compare_traces(const void *, const void *);

/*
 * Compares by kind of record; functions by name and hash, traces as above.  Two
 * records of another kind are equal.
 */
int merge_compare_records(const struct prof_record *,
    const struct prof_record *);

#endif
