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

#include "base/arena.h"
#include "model/heap.h"
#include "model/symtab.h"

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

/* Totals over heap contexts, and their classes. */

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

/* Heap contexts by the frame that allocates. */

/* The contexts in which one frame called the allocator. */
struct heap_site {
	uint32_t frame;		/* HEAP_NO_FRAME: empty stack */
	uint64_t value;		/* by which sites are sorted */
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

/* Who called an allocation site, as a tree. */

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

/*
 * Names for functions that a heap profile has guids of only.
 *
 * Indexed heap profiles name no function: a frame has the guid of its linkage
 * name (model/heap.h), which any profile of the program may tell.
 */

/* All zero: no names. */
struct heap_names {
	struct symtab table;
	struct arena arena;
};

/*
 * Adds a linkage name, which is copied; of a local function of an IR profile,
 * "file;name", the part behind the file.  False if out of memory.
 */
bool heap_names_add(struct heap_names *, struct prof_span name);

/* Adds the names of functions in a record.  False if out of memory. */
bool heap_names_add_record(struct heap_names *, const struct prof_record *);

/*
 * The name of a frame's function, if the frame has a guid only and the name is
 * there; else a span with data NULL.
 */
struct prof_span heap_names_find(const struct heap_names *,
    const struct prof_frame *);

void heap_names_free(struct heap_names *);

#endif
