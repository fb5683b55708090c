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

/* The contexts that one frame allocates in. */
struct heap_site {
	uint32_t frame;		/* HEAP_NO_FRAME: empty stack */
	struct heap_figures figures;
	const uint32_t *contexts;	/* indices, by value downward */
	size_t size;
};

#define HEAP_NO_FRAME UINT32_MAX

struct heap_sites {
	struct heap_site *sites;	/* by value downward */
	size_t size;
	uint32_t *contexts;
};

/* False if out of memory; freed with heap_sites_free either way. */
bool heap_sites_make(struct heap_sites *, const struct heap *,
    enum heap_value by, bool hot);
void heap_sites_free(struct heap_sites *);

/* Who called a site: the nodes of a tree, each before those below it. */
struct heap_caller {
	uint32_t frame;
	size_t depth;			/* 0 is the site */
	size_t parent;			/* SIZE_MAX of the first */
	size_t children;
	struct heap_figures figures;
};

struct heap_callers {
	struct heap_caller *callers;	/* of one caller by value downward */
	size_t size;
};

/* False if out of memory; freed with heap_callers_free either way. */
bool heap_callers_make(struct heap_callers *, const struct heap *,
    const struct heap_site *, enum heap_value by, bool hot);
void heap_callers_free(struct heap_callers *);

#endif
