/* cmd/show/show.h - the outputs of prof-show: for people, and JSON */
#ifndef CMD_SHOW_SHOW_H
#define CMD_SHOW_SHOW_H

#include "base/bytes.h"
#include "cmd/print/print.h"
#include "model/heap.h"
#include "model/summary.h"
#include "ops/figures.h"
#include "ops/heap/view.h"
#include "ops/top.h"
#include "prof.h"

struct show_style {
	bool counts, values, demangle, cutoffs;
	bool shares;			/* functions with their share */
	bool decimal;			/* hashes as compilers print them */
};

struct show_face {
	/* Heading of a list of functions, at a profile's first function. */
	void (*heading)(struct buf *, const struct show_style *,
	    const struct prof_header *);
	/* The share of the total, in percent, is printed if style says so. */
	void (*function)(struct buf *, const struct show_style *,
	    const struct prof_header *, const struct prof_function *,
	    double share);
	/*
	 * entries are NULL unless cutoffs are wanted, and ids, hexadecimal
	 * digits of each build id with a newline behind them, unless these
	 * are; heap is NULL if the profile has no heap data.
	 */
	void (*summary)(struct buf *, const struct prof_header *,
	    const struct figures *, const struct heap_figures *heap,
	    const struct summary_entry *entries, const struct buf *ids);
};

extern const struct show_face show_people, show_json;

/* Functions below a summary. */
enum { HOTTEST = 10 };

/*
 * Appends a table of the functions, which are sorted by share; of those that
 * were never run, none.
 */
void show_hottest(struct buf *, const struct show_style *, enum prof_level,
    const struct top *, const struct summary_thresholds *);

struct show_heap_style {
	enum heap_value by;		/* what sites are sorted by */
	size_t top;			/* sites; 0: all */
	bool stacks, callers, histograms;
	bool hot;			/* contexts may be of class hot */
	heap_name *name;		/* demangles; NULL: names as stored */
	size_t depth;			/* of callers */
	double min_share;		/* percent of the total; 0: any */
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
