/* ops/heap/callers.h - who called an allocation site, as a tree */
#ifndef OPS_HEAP_CALLERS_H
#define OPS_HEAP_CALLERS_H

#include "ops/heap/sites.h"

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
