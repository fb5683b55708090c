/* ops/heap/figures.h - totals over heap contexts, and their classes */
#ifndef OPS_HEAP_FIGURES_H
#define OPS_HEAP_FIGURES_H

#include "model/heap_contexts.h"

/*
 * HEAP_UNKNOWN: the profile lacks the fields that decide (raw version 1 has no
 * access density).
 */
enum heap_class { HEAP_COLD, HEAP_WARM, HEAP_HOT, HEAP_UNKNOWN, HEAP_CLASSES };

/*
 * The class that LLVM gives the allocations of a context, with its default
 * thresholds (getAllocType in MemProfCommon.cpp or MemoryProfileInfo.cpp, LLVM
 * 16 to 22).  Without `hot`, hot contexts are warm, as with LLVM's default of
 * -memprof-use-hot-hints.
 */
enum heap_class heap_classify(const struct prof_mib *, bool hot);

/* Sums over contexts; they saturate. */
struct heap_figures {
	uint64_t contexts;
	uint64_t values[HEAP_VALUES];
	bool known[HEAP_VALUES];	/* some context has the field */
	uint64_t class_contexts[HEAP_CLASSES], class_bytes[HEAP_CLASSES];
	uint64_t class_max[HEAP_CLASSES];	/* bytes of one context */
};

/* Adds a context; `hot` as in heap_classify. */
void heap_figures_add(struct heap_figures *, const struct heap_context *,
    bool hot);

/* Those of all contexts of a heap. */
struct heap_figures heap_figures_of(const struct heap *, bool hot);

/* Mean lifetime of an allocation in ms; 0 if there are no allocations. */
double heap_average_lifetime(const struct heap_figures *);

#endif
