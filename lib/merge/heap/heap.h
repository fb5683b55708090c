/*
 * merge/heap/heap.h - the heap data of many profiles to one
 *
 * Contexts are folded by what they are and not by their ids, so that runs whose
 * addresses differ meet:
 *
 * - a stack without frames is the list of its addresses in modules, each known
 *   by its build id; a segment without build id is a module of its own, one a
 *   profile; an address outside all segments stands for itself;
 * - a stack with frames is the list of these, with all that is known of them;
 *   it keeps its addresses if all profiles agree in them;
 * - the blocks of a context become one (merge/heap/mib.h);
 * - of a function, alloc sites are folded by their stacks, and call sites of
 *   one stack have the callees of all;
 * - accesses of data are added, and a symbol that was accessed in one profile
 *   is not cold.
 */
#ifndef MERGE_HEAP_HEAP_H
#define MERGE_HEAP_HEAP_H

#include "merge/merge.h"
#include "prof.h"

struct merge_heap;

struct merge_heap *merge_heap_new(void);	/* NULL if out of memory */

/* Another profile begins. */
void merge_heap_begin(struct merge_heap *, const struct prof_header *);

/* Whether the record is one of heap data. */
bool merge_heap_takes(enum prof_record_kind);
enum prof_status merge_heap_add(struct merge_heap *,
    const struct prof_record *, const struct merge_factor *,
    struct prof_error *);

/* All of that profile was added. */
enum prof_status merge_heap_end(struct merge_heap *, struct prof_error *);

/* Profiles that had heap data. */
uint64_t merge_heap_profiles(const struct merge_heap *);

/*
 * Puts the records: in canonical order, or, if there was one profile only and
 * as_read, as they came.  *saturated becomes how many blocks and counts are at
 * their limits.
 */
enum prof_status merge_heap_write(struct merge_heap *, bool as_read,
    struct prof_writer *, uint64_t *saturated, struct prof_error *);

void merge_heap_free(struct merge_heap *);	/* NULL is fine */

#endif
