/* ops/heap/sites.h - heap contexts by the frame that allocates */
#ifndef OPS_HEAP_SITES_H
#define OPS_HEAP_SITES_H

#include "ops/heap/figures.h"

/* The contexts in which one frame called the allocator. */
struct heap_site {
	uint32_t frame;		/* HEAP_NO_FRAME: empty stack */
	struct heap_figures figures;
	const uint32_t *contexts;	/* indices, largest value first */
	size_t size;
};

#define HEAP_NO_FRAME UINT32_MAX

struct heap_sites {
	struct heap_site *sites;	/* largest value first */
	size_t size;
	uint32_t *contexts;		/* of all sites */
};

/*
 * Groups the contexts of a heap, which must outlive the sites.  `hot` as in
 * heap_classify.  False if out of memory; freed with heap_sites_free either
 * way.
 */
bool heap_sites_make(struct heap_sites *, const struct heap *,
    enum heap_value by, bool hot);
void heap_sites_free(struct heap_sites *);

#endif
