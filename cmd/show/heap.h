/* cmd/show/heap.h - prof-show --heap, for people and as JSON */
#ifndef CMD_SHOW_HEAP_H
#define CMD_SHOW_HEAP_H

#include "cmd/common/terminal.h"
#include "model/heap_contexts.h"
#include "ops/figures.h"
#include "ops/heap/callers.h"
#include "prof.h"

struct show_heap_style {
	enum heap_value by;		/* what sites are sorted by */
	size_t top;			/* sites; 0: all */
	bool stacks, callers, histograms;
	bool hot;			/* contexts may be of class hot */
	heap_name *name;		/* demangles; NULL: names as stored */
	size_t depth;			/* of callers; SIZE_MAX: any */
	double min_share;		/* percent of the total; 0: any */
	size_t limit;			/* lines; SIZE_MAX: any */
	bool fits;			/* the limit is that of the screen */
	const struct terminal *terminal;
};

/* The heap profile that is shown. */
struct show_heap {
	struct buf *text;
	const struct prof_header *header;
	struct heap heap;
	const struct show_heap_style *style;
	struct heap_figures figures;	/* of all contexts */
	const struct figures *others;	/* of functions and data accesses */
	struct heap_sites sites;
};

struct show_heap_face {
	void (*summary)(const struct show_heap *);
	void (*site)(const struct show_heap *, const struct heap_site *);
	/*
	 * `level` counts the branches of the tree above the caller; `among`
	 * is whether the same function has other callers too.
	 */
	void (*caller)(const struct show_heap *, const struct heap_caller *,
	    size_t level, bool among);
	void (*context)(const struct show_heap *,
	    const struct heap_context *);
	/* The sites that are not among the top. */
	void (*others)(const struct show_heap *, const struct heap_figures *,
	    size_t sites);
	/* The callers of the sites that are printed, which are not. */
	void (*left_out)(const struct show_heap *, size_t callers);
};

extern const struct show_heap_face show_heap_people, show_heap_json;

/* Writes out and empties the text.  PROF_OK, or the status that ends all. */
typedef enum prof_status show_flush(void *arg, struct prof_error *);

/* Shows one profile.  The caller sets text, header, heap, style and others. */
enum prof_status show_heap(struct show_heap *, const struct show_heap_face *,
    show_flush *, void *arg, struct prof_error *);

#endif
