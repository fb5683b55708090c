/*
 * heap_view.h - the heap contexts of profiles
 *
 * Takes the records of one or several profiles and holds each context once:
 * stacks of the same frames are one, their blocks are added up.  Where a stack
 * was not symbolized, its addresses are the frames, by build id and address in
 * the module, so that runs of one binary come together.
 *
 * An indexed file stores the block of a context in the function of its leaf and
 * again in each function that one is inlined into (IndexedMemProfReader and
 * MemProf.cpp, LLVM 15 to 22): such copies count once.
 */
#ifndef OPS_HEAP_VIEW_H
#define OPS_HEAP_VIEW_H

#include "model/heap_contexts.h"

struct heap_view;

/* Histograms are dropped unless they are asked for.  NULL: no memory. */
struct heap_view *heap_view_new(bool histograms);

/*
 * Takes a record; those that have nothing to do with heap profiles are passed
 * over.  PROF_E_CORRUPT if one refers to a stack or segment that is not there.
 */
enum prof_status heap_view_add(struct heap_view *, const struct prof_record *,
    struct prof_error *);

/* What there is so far; valid until the next heap_view_add. */
struct heap heap_view_get(const struct heap_view *);

/* How many sums were too large for their field. */
uint64_t heap_view_saturated(const struct heap_view *);

void heap_view_free(struct heap_view *);	/* NULL is fine */

#endif
