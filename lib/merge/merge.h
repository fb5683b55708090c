/*
 * merge/merge.h - many profiles to one
 *
 * The sum of any number of profiles, in canonical order (prof-stream(5)): the
 * same for any order of the inputs and for any tree of partial sums.  The rules
 * are llvm-profdata's where those do not depend on order (InstrProf.cpp,
 * InstrProfRecord::merge and scale, LLVM 22):
 *
 * - the key of a function is its name and hash;
 * - counters saturate at PROF_COUNT_MAX, counts of values at 2^64-1;
 * - of records of one key that do not fit each other, those of one class stay:
 *   the class with more counters, then more bitmap bytes, more uniform
 *   counters, more value sites, and ordinary rather than pseudo counts.  The
 *   other records are dropped with a warning;
 * - at a value site the k-th largest entry of a target is added to the k-th
 *   largest of the same target; a site that was merged is ordered by count,
 *   descending, then by value, a site that was not keeps the order of ties;
 * - of two pseudo records, the larger of each count stays;
 * - a weight multiplies counters, counts of values and weights of traces, but
 *   no pseudo record; fractions are rounded half up, and a count that is not 0
 *   does not become 0.
 *
 * Heap data: merge/heap.h.  Threads: merge/worker.h.
 */
#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H

#include "model/releases.h"
#include "prof.h"

struct merge;

/*
 * A weight of times / parts, neither 0.  Unless parts is 1, both are at most
 * 2^32-1.
 */
struct merge_factor {
	uint64_t times, parts;
};

/* Warnings are passed to warn, or dropped if it is NULL.  NULL: no memory. */
struct merge *merge_new(prof_warn *, void *warn_arg);

/*
 * To be called before anything is added: value sites are added as LLVM adds
 * them.  The sum then depends on the order of the inputs: of several entries of
 * one target, the sort determines which are added to each other, and only the
 * largest VALUES_SITE_MAX entries stay behind each input.
 */
void merge_values_as_arrived(struct merge *, enum value_sort);

/*
 * Adds a record of any profile; a profile's own records come between its
 * PROFILE and its END.  The weight is 1 if it is NULL.  PROF_E_MISMATCH, with
 * the labels (file and member) of both profiles, if they do not mix.  After a
 * failure the merge is good for merge_free only.  Records of blocks count as
 * their functions.
 */
enum prof_status merge_add(struct merge *, const struct prof_record *,
    const struct merge_factor *weight, struct prof_error *);

/*
 * Whether a profile of functions with that head would be added; nothing is
 * changed.
 */
enum prof_status merge_mixes(const struct merge *, const struct prof_header *,
    struct prof_error *);

/* Whether a profile was added, which merge_write needs; not by a worker. */
bool merge_has_profile(const struct merge *);

/*
 * Subtracts the counts of another merge, down to 0: counters, and counts of
 * values by the rule of adding; and the number of inputs, down to 1.  Functions
 * that only `less` has do not matter; functions of another class in both stay
 * as they are, with a warning.  Bitmaps say whether and not how often, and
 * stay.  PROF_E_MISMATCH as for merge_add, PROF_E_UNSUPPORTED if `less` has
 * heap data, whose minima and maxima cannot be subtracted.
 */
enum prof_status merge_subtract(struct merge *, struct merge *less,
    struct prof_error *);

/* What is kept of temporal traces. */
struct merge_trace_limits {
	bool sampled;			/* not all traces are kept */
	size_t traces;			/* if so, at most this many */
	uint64_t length;		/* functions of each; 0: any number */
};

/*
 * To be called before anything is added.  Traces are cut to their first
 * functions; if they are sampled, those of the same functions become one, with
 * the sum of their weights, and of these the ones are kept whose contents have
 * the smallest digests.  Neither the order of inputs nor a tree of partial
 * merges with the same limits changes the sum.  Its header counts all traces.
 */
void merge_limit_traces(struct merge *, const struct merge_trace_limits *);

/*
 * Temporary files.  All but create get what that returned; a new file is empty,
 * pull reads from where rewind set it, the start, and read at an offset: 0, or
 * an errno value.
 */
struct merge_files {
	void *arg;			/* of create */
	void *(*create)(void *arg, struct prof_error *);  /* NULL: failed */
	prof_sink *write;
	enum prof_status (*rewind)(void *file, struct prof_error *);
	prof_pull *pull;
	void (*close)(void *file);
	int (*read)(void *file, uint64_t offset, void *data, size_t size);
};

/*
 * Bounds the memory of a merge (merge/spill.c): from so many bytes on,
 * functions go to files.  To be called once, before anything is added.  The
 * files must outlive the merge, and a merge that is subtracted must outlive
 * merge_write.  merge_write returns PROF_E_UNSUPPORTED for options that need
 * all functions at once.
 */
enum prof_status merge_spill_to(struct merge *, size_t bytes,
    const struct merge_files *, struct prof_error *);

struct merge_output {
	/*
	 * Functions with nothing but zero counters and bitmaps, and without
	 * values, are left out; with sparse_names, those of one name stay or go
	 * together, whatever their values, as llvm-profdata has it.
	 */
	bool sparse, sparse_names;
	/*
	 * If only one profile has heap data, its records are put as they came
	 * and not folded: LLVM's indexed files depend on their order.
	 */
	bool heap_as_read;
	/*
	 * If only one profile has traces, they are put as they came and not
	 * sorted, as LLVM does.  Without this only those of a single input are:
	 * partial merges may have sorted them by other names.
	 */
	bool traces_as_read;
	/*
	 * Functions are put in the order in which their names came, not in the
	 * canonical one; unless some were spilled.  Up to LLVM 16 the bytes of
	 * indexed files depend on it, and those of names with several hashes
	 * always do.
	 */
	bool as_arrived;
	bool targets_by_guid;	/* the writer has no use for their names */
};

/*
 * Puts the sum as one profile, from PROFILE to END; nothing can be added
 * afterwards.  PROF_E_FORMAT if no profile was added.
 */
enum prof_status merge_write(struct merge *, const struct merge_output *,
    struct prof_writer *, struct prof_error *);

/*
 * What the sum of merge_write lost, each of which a warning told: functions,
 * and heap contexts with a count at its limit; functions of which records were
 * dropped, or not subtracted, because their shape is another.  Partial merges
 * among the inputs may have lost more.
 */
struct merge_losses {
	uint64_t overflows, mismatches;
};

struct merge_losses merge_losses(const struct merge *);

void merge_free(struct merge *);	/* NULL is fine */

#endif
