/*
 * cmd/profdata/heap.h - raw heap profiles, printed by show --memory
 *
 * The YAML of RawMemProfReader::printYAML, LLVM 15 to 22: segments, then the
 * allocation and call sites of each function.
 */
#ifndef CMD_PROFDATA_HEAP_H
#define CMD_PROFDATA_HEAP_H

#include "cmd/profdata/profdata.h"

struct profdata_heap;

struct profdata_heap *profdata_heap_new(void);

/* Adds a symbolized record; records that are not of the heap are ignored. */
enum prof_status profdata_heap_put(struct profdata_heap *,
    const struct prof_record *, struct prof_error *);

/* False if out of memory. */
bool profdata_heap_print(struct profdata_heap *, struct profdata_out *);
void profdata_heap_free(struct profdata_heap *);	/* NULL is fine */

#endif
