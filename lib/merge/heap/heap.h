/*
 * merge/heap/heap.h - the heap data of many profiles to one
 *
 * Contexts are folded by their contents and not by their ids, so that contexts
 * of runs with other addresses become one:
 *
 * - a stack without frames is the list of its addresses, each relative to its
 *   module; a module is known by its build id, a segment without build id is a
 *   module of its own; an address outside of all segments is absolute;
 * - a stack with frames is the list of its frames, with all their members; it
 *   has addresses only if they are the same in all profiles.  If one of its
 *   frames is empty, only the addresses tell stacks apart, and belong to them;
 * - the allocation statistics of a context are summed (merge/heap/mib.h);
 * - alloc sites of a function are folded by their stacks, as are call sites,
 *   which get the callees of all profiles;
 * - counts of data accesses are added, and a symbol that was accessed in one
 *   profile is not cold.
 */
#ifndef MERGE_HEAP_HEAP_H
#define MERGE_HEAP_HEAP_H

#include "merge/merge.h"
#include "prof.h"

struct merge_heap;

struct merge_heap *merge_heap_new(void);	/* NULL if out of memory */

/* A profile begins that may have heap data. */
void merge_heap_begin(struct merge_heap *, const struct prof_header *);

/* Whether the record is one of heap data. */
bool merge_heap_takes(enum prof_record_kind);
enum prof_status merge_heap_add(struct merge_heap *,
    const struct prof_record *, const struct merge_factor *,
    struct prof_error *);

/* All records of the profile were added. */
enum prof_status merge_heap_end(struct merge_heap *, struct prof_error *);

/* Profiles that had heap data. */
uint64_t merge_heap_profiles(const struct merge_heap *);

/*
 * Whether the records that merge_heap_write will put are folded (prof_header):
 * all are but those of a single profile that is put as it was read.
 */
bool merge_heap_is_folded(const struct merge_heap *, bool as_read);

/*
 * Puts the records in canonical order, or, if as_read and only one profile had
 * heap data, in the order they came.  *saturated becomes the number of contexts
 * and data symbols with a sum that was too large.
 */
enum prof_status merge_heap_write(struct merge_heap *, bool as_read,
    struct prof_writer *, uint64_t *saturated, struct prof_error *);

void merge_heap_free(struct merge_heap *);	/* NULL is fine */

#endif
