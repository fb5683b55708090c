/*
 * cmd/profdata/heap.h - raw heap profiles as llvm-profdata show --memory has them
 *
 * RawMemProfReader::printYAML, LLVM 15 to 22: what a run left, by function.
 */
#ifndef CMD_PROFDATA_HEAP_H
#define CMD_PROFDATA_HEAP_H

#include "cmd/profdata/profdata.h"

struct profdata_heap;

struct profdata_heap *profdata_heap_new(void);

/* Takes records with frames; others than those of the heap are left out. */
enum prof_status profdata_heap_put(struct profdata_heap *,
    const struct prof_record *, struct prof_error *);

/* False if out of memory. */
bool profdata_heap_print(struct profdata_heap *, struct profdata_out *);
void profdata_heap_free(struct profdata_heap *);	/* NULL is fine */

#endif
