/*
 * libprof/merge.h - profiles summed, measured, compared and changed
 *
 *	struct prof_sum *sum = prof_sum_new(p);
 *
 *	while ((in = prof_input_open(p, *argv++)) != NULL) {
 *		prof_sum_add_input(sum, in, 1, 1);
 *		prof_input_close(in);
 *	}
 *	prof_sum_write(sum, out);
 *
 * The sum is the same for any order of the inputs, and for any tree of partial
 * sums; its rules and its code are those of prof-merge(1).  Functions that
 * return int return 0, or -1 on failure.  After a failure to add, an object can
 * only be freed.
 */
#ifndef LIBPROF_MERGE_H
#define LIBPROF_MERGE_H

#include <libprof/write.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct prof_sum;

struct prof_sum *prof_sum_new(struct prof *);	/* prof_sum_free */

enum prof_sum_option {
	PROF_SUM_SPARSE = 1,	/* 1: drop functions that were not executed */
	/*
	 * Bytes of memory for functions and traces, set before anything is
	 * added.  Data beyond this limit are stored in files without a name in
	 * $TMPDIR, or /tmp; the result is the same.  Heap profiles stay in
	 * memory.
	 */
	PROF_SUM_MEMORY = 3
};

int prof_sum_set(struct prof_sum *, enum prof_sum_option, uint64_t);

/*
 * Adds all profiles of an input of which nothing was read.  Their counts are
 * multiplied by times / parts; unless parts is 1, both must be below 2^32.
 * PROF_E_MISMATCH: profiles of different kinds, or of front ends and IR, cannot
 * be summed.  A bad image may be found after a part of the input was added:
 * after a failure, the sum can only be freed.
 */
int prof_sum_add_input(struct prof_sum *, struct prof_input *,
    uint64_t times, uint64_t parts);

/* Adds an item.  A profile is added from its header item to its end item. */
int prof_sum_add(struct prof_sum *, const struct prof_item *);

/* Puts the sum; prof_output_finish follows.  Nothing can be added after it. */
int prof_sum_write(struct prof_sum *, struct prof_output *);

/*
 * Calls a function with each item of the sum instead, in the order of
 * prof-stream(5).  The function returns 0 to continue; an item is valid until
 * it returns.
 */
typedef int prof_visitor(void *arg, const struct prof_item *);
int prof_sum_visit(struct prof_sum *, prof_visitor *, void *arg);

/*
 * The numbers of records that were dropped because their shapes differ, and of
 * counts that reached their limit, so far.  A warning was given for each.
 */
uint64_t prof_sum_mismatches(const struct prof_sum *);
uint64_t prof_sum_overflows(const struct prof_sum *);

void prof_sum_free(struct prof_sum *);

/*
 * Figures: totals of the added items, from PROF_ITEM_PROFILE to PROF_ITEM_END
 * of each profile, and the summary that LLVM computes of them.
 */
struct prof_figures;

struct prof_figures *prof_figures_new(struct prof *);	/* prof_figures_free */
int prof_figures_add(struct prof_figures *, const struct prof_item *);

enum prof_figure {
	PROF_FIG_FUNCTIONS = 1,		/* records */
	PROF_FIG_ZERO_FUNCTIONS,	/* of these, with zero counters only */
	PROF_FIG_PSEUDO_FUNCTIONS,	/* hot or warm without counts */
	PROF_FIG_CONTEXT_SENSITIVE,
	PROF_FIG_NAMELESS,		/* known by their guid only */
	/* Of functions that are not pseudo functions, as LLVM's summary. */
	PROF_FIG_COUNTERS,
	PROF_FIG_ZERO_COUNTERS,
	PROF_FIG_TOTAL_COUNT,		/* modulo 2^64 */
	PROF_FIG_MAX_COUNT,
	PROF_FIG_MAX_FUNCTION_COUNT,	/* of first counters */
	PROF_FIG_MAX_INTERNAL_COUNT,	/* of all others */
	PROF_FIG_CALL_SITES,		/* of indirect calls */
	PROF_FIG_CALL_TARGETS,		/* values there */
	PROF_FIG_MEM_OP_SITES,
	PROF_FIG_MEM_OP_SIZES,
	PROF_FIG_VTABLE_SITES,
	PROF_FIG_VTABLE_TARGETS,
	PROF_FIG_BITMAP_BYTES,		/* MC/DC */
	PROF_FIG_RAW_COUNTERS,		/* of correlated profiles */
	PROF_FIG_BINARIES,
	PROF_FIG_VTABLES,
	PROF_FIG_TRACES,
	PROF_FIG_DATA_ACCESSES,
	PROF_FIG_COLD_SYMBOLS,
	PROF_FIG_COLD_LITERALS,
	/*
	 * Of heap contexts, which are stacks with equal frames; sums are at
	 * most 2^64-1.
	 */
	PROF_FIG_HEAP_CONTEXTS,
	PROF_FIG_HEAP_COLD_CONTEXTS,	/* cold for LLVM's compiler */
	PROF_FIG_HEAP_ALLOCATIONS,
	PROF_FIG_HEAP_BYTES,
	PROF_FIG_HEAP_COLD_BYTES,
	PROF_FIG_HEAP_LIFETIME,		/* ms, of all allocations */
	PROF_FIG_HEAP_ACCESSES
};

/* 0 if there is no such figure. */
uint64_t prof_figures_get(const struct prof_figures *, enum prof_figure);

/*
 * The smallest number of largest counters whose sum is at least millionths /
 * 1000000 of the total, and the smallest of these counters.  LLVM uses 990000
 * for the threshold of hot code, and 999999 for that of cold code.
 */
int prof_figures_cutoff(struct prof_figures *, uint32_t millionths,
    uint64_t *least, uint64_t *counters);

void prof_figures_free(struct prof_figures *);

/*
 * Differences: the items of profiles go to side 0, the old one, or to side
 * 1, the new one; profiles of one side are summed.  The figures are those of
 * prof-diff(1).
 */
struct prof_diff;

struct prof_diff *prof_diff_new(struct prof *);		/* prof_diff_free */

/* PROF_E_MISMATCH: hashes of front ends and of IR cannot be compared. */
int prof_diff_add(struct prof_diff *, int side, const struct prof_item *);

/* Called once, after both sides were added, and before the functions below. */
int prof_diff_compare(struct prof_diff *);

/* The subject of a comparison. */
enum prof_diff_subject {
	PROF_DIFF_FUNCTIONS,
	PROF_DIFF_CONTEXT_SENSITIVE,	/* functions of a second pass */
	PROF_DIFF_HEAP			/* contexts, by bytes */
};

/* The common share, from 0 to 1; 0 if a side has no counts. */
double prof_diff_overlap(const struct prof_diff *, enum prof_diff_subject);

enum prof_diff_number {
	PROF_DIFF_OF_OLD,		/* functions, or heap contexts */
	PROF_DIFF_OF_NEW,
	PROF_DIFF_COMMON		/* of both, with equal shapes */
};

uint64_t prof_diff_number(const struct prof_diff *, enum prof_diff_subject,
    enum prof_diff_number);

/* The states of prof-diff(1): the first that is true of a change. */
enum prof_change_state {
	PROF_STALE, PROF_MOVED, PROF_RENAMED, PROF_NEWLY_RUN,
	PROF_NO_LONGER_RUN, PROF_BECAME_HOT, PROF_BECAME_COLD, PROF_CHANGED,
	PROF_UNCHANGED
};

/* The word for a state, as "newly run"; NULL if there is no such state. */
const char *prof_change_word(enum prof_change_state);

/* How many functions, or heap contexts, are in a state. */
uint64_t prof_diff_in_state(const struct prof_diff *, enum prof_diff_subject,
    enum prof_change_state);

/* A function, or the function that allocates in a heap context. */
struct prof_change;

/*
 * A change, from 0, the largest difference between shares first.  NULL after
 * the last one.  Valid until prof_diff_free.
 */
const struct prof_change *prof_diff_change(const struct prof_diff *,
    enum prof_diff_subject, size_t index);

enum prof_change_state prof_change_state(const struct prof_change *);

/*
 * On a side.  The name is NULL, and its size 0, if it is unknown, or if the
 * side has no such function; guid and hash are 0 if they are.
 */
const char *prof_change_name(const struct prof_change *, int side,
    size_t *size);
uint64_t prof_change_guid(const struct prof_change *, int side);
uint64_t prof_change_hash(const struct prof_change *, int side);

/* Its counts, or bytes, on a side, and their share in the side, 0 to 1. */
uint64_t prof_change_count(const struct prof_change *, int side);
double prof_change_share(const struct prof_change *, int side);

void prof_diff_free(struct prof_diff *);

/*
 * Filters return the same or changed items.  Items are put in the order of
 * prof-stream(5), from PROF_ITEM_PROFILE to PROF_ITEM_END, of any number of
 * profiles.  A function is called with each resulting item, which is valid
 * until the function returns.  prof_filter_finish is called once, after the
 * last item.
 */
struct prof_filter;

int prof_filter_put(struct prof_filter *, const struct prof_item *,
    prof_visitor *, void *arg);
int prof_filter_finish(struct prof_filter *);
void prof_filter_free(struct prof_filter *);

/*
 * Symbolizes heap profiles, and adds functions to the counters of correlated
 * profiles, as prof-symbolize(1) does.  Binaries, places and folders are added
 * before the first item.  PROF_E_LIBRARY: not in this build of the library.
 */
struct prof_filter *prof_symbolizer_new(struct prof *);	/* prof_filter_free */

/* A program, a shared library, or a debug file of one. */
int prof_symbolizer_add(struct prof_filter *, const char *path);

/* The same, for the segment that starts at an address. */
int prof_symbolizer_add_at(struct prof_filter *, const char *path,
    uint64_t start);

/* A folder with debug files, DIR/.build-id/ab/cdef.debug. */
int prof_symbolizer_search(struct prof_filter *, const char *folder);

enum prof_symbolizer_option {
	PROF_SYM_DEBUGINFOD = 1,	/* 1: asks servers, $DEBUGINFOD_URLS */
	PROF_SYM_DROP = 2		/* 1: drops unknown addresses */
};

int prof_symbolizer_set(struct prof_filter *, enum prof_symbolizer_option,
    uint64_t);

/*
 * Converts profiles for the compiler of another release of LLVM, 3.5 to 4.0
 * with a minor number, later ones with 0: names and hashes, as
 * prof-index(1) --for does.  Write the result in the version of that release.
 * PROF_E_MISMATCH, at the end of a profile: its hashes follow a rule that the
 * compiler does not know.
 */
struct prof_filter *prof_upgrade_new(struct prof *, unsigned major,
    unsigned minor);			/* prof_filter_free */

/* The newest indexed version that a release reads; 0: unknown release. */
unsigned prof_release_version(unsigned major, unsigned minor);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
