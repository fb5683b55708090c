/* merge/order.h - the canonical order of records (prof-stream(5)) */
#ifndef MERGE_ORDER_H
#define MERGE_ORDER_H

#include "prof.h"

/* By name, or, if they have none, by guid. */
int merge_compare_symbols(const struct prof_symbol *,
    const struct prof_symbol *);

/* By functions, then weight; for qsort. */
int merge_compare_traces(const void *, const void *);

/* By kind; functions and traces among themselves too. */
int merge_compare_records(const struct prof_record *,
    const struct prof_record *);

#endif
