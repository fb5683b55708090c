/* heap_figures.h - what heap contexts come to */
#ifndef OPS_HEAP_FIGURES_H
#define OPS_HEAP_FIGURES_H

#include "model/heap_contexts.h"

/* Unknown: the profile has not what it takes to say (raw 1). */
enum heap_class { HEAP_COLD, HEAP_WARM, HEAP_HOT, HEAP_UNKNOWN, HEAP_CLASSES };

/*
 * How LLVM takes the allocations of a block (getAllocType in MemProfCommon.cpp
 * or MemoryProfileInfo.cpp, LLVM 16 to 22, with its default thresholds); hot
 * only if that is asked for, warm otherwise.
 */
enum heap_class heap_classify(const struct prof_mib *, bool hot);

/* Sums over contexts; they saturate. */
struct heap_figures {
	uint64_t contexts;
	uint64_t values[HEAP_VALUES];
	bool known[HEAP_VALUES];	/* to at least one context */
	uint64_t class_contexts[HEAP_CLASSES], class_bytes[HEAP_CLASSES];
	uint64_t class_max[HEAP_CLASSES];	/* bytes of one context */
};

void heap_figures_add(struct heap_figures *, const struct heap_context *,
    bool hot);

/* Lifetime of an allocation in ms; 0 if there was none. */
double heap_average_lifetime(const struct heap_figures *);

#endif
