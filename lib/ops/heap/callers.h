/* ops/heap/callers.h - who called an allocation site, as a tree */
#ifndef OPS_HEAP_CALLERS_H
#define OPS_HEAP_CALLERS_H

#include "ops/heap/sites.h"

/* A node of the tree.  The root is the site; children are its callers. */
struct heap_caller {
	uint32_t frame;
	size_t depth;			/* of the site: 0 */
	size_t parent;			/* index; of the site: SIZE_MAX */
	size_t children;
	struct heap_figures figures;	/* of all contexts through it */
};

struct heap_callers {
	/* Parents before children; siblings with the largest value first. */
	struct heap_caller *callers;
	size_t size;
	size_t deeper;		/* nodes that are too deep */
};

struct heap_callers_options {
	enum heap_value by;
	bool hot;		/* as in heap_classify */
	size_t depth;		/* no node is deeper; SIZE_MAX: any */
};

/*
 * Makes the tree of a site of a heap.  False if out of memory; freed with
 * heap_callers_free either way.
 */
bool heap_callers_make(struct heap_callers *, const struct heap *,
    const struct heap_site *, const struct heap_callers_options *);
void heap_callers_free(struct heap_callers *);

#endif
