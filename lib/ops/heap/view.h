/*
 * ops/heap/view.h - the heap contexts of profiles
 *
 * Adds the records of one or several profiles up: stacks of equal frames are
 * one context, and their allocation statistics are merged.  The frames of a
 * stack that was not symbolized are its addresses, by build id and address in
 * the module, so that contexts of several runs of one binary match.
 *
 * An indexed file stores the statistics of a context in the function of its
 * leaf and again in each function that the leaf is inlined into
 * (IndexedMemProfReader and MemProf.cpp, LLVM 15 to 22): the copies count once.
 */
#ifndef OPS_HEAP_VIEW_H
#define OPS_HEAP_VIEW_H

#include "model/heap_contexts.h"

struct heap_view;

/* Without `histograms`, access histograms are dropped.  NULL: no memory. */
struct heap_view *heap_view_new(bool histograms);

/*
 * Adds a record; records of instrumentation profiles are ignored.
 * PROF_E_CORRUPT if it refers to a stack or segment that did not come before.
 */
enum prof_status heap_view_add(struct heap_view *, const struct prof_record *,
    struct prof_error *);

/* The contexts so far; valid until the next heap_view_add. */
struct heap heap_view_get(const struct heap_view *);

/* How the functions of frames are known. */
enum heap_naming {
	HEAP_NAMED,			/* some by name, or no frame is known */
	HEAP_HASHED,			/* none by name, some by guid */
	HEAP_ADDRESSES			/* none: all frames are addresses */
};

/*
 * Frames of which only the guid is known get their names, which must outlive
 * the view.
 */
struct heap_names;
enum heap_naming heap_view_name(struct heap_view *,
    const struct heap_names *);

/* Number of merges in which a sum was too large for its field. */
uint64_t heap_view_saturated(const struct heap_view *);

void heap_view_free(struct heap_view *);	/* NULL is fine */

#endif
