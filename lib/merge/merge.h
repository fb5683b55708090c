/*
 * merge/merge.h - many profiles to one
 *
 * The sum of any number of profiles, in canonical order (prof-stream(5)): the
 * same for any order of the inputs and for any tree of partial sums.  Rules, as
 * llvm-profdata's where those do not depend on order (InstrProf.cpp,
 * InstrProfRecord::merge and scale, LLVM 22):
 *
 * - the key of a function is its name and hash;
 * - counters saturate at PROF_COUNT_MAX, counts of values at 2^64-1;
 * - of records of one key that do not fit, the class with more counters, then
 *   more bitmap bytes, more uniform counters, more sites, and normal over
 *   pseudo counts is kept, and the others are dropped and told;
 * - at a value site the k-th largest entry of a target is added to the k-th
 *   largest of the same target; a site that was merged is ordered by count,
 *   descending, then by value, one that was not keeps the order of ties;
 * - two pseudo records take the larger of each count;
 * - a weight multiplies counters, counts of values and weights of traces, but
 *   no pseudo record; fractions are rounded half up, and what is not 0 does not
 *   become 0.
 *
 * Heap data: merge/heap/heap.h.
 */
#ifndef MERGE_MERGE_H
#define MERGE_MERGE_H

#include "prof.h"

struct merge;

/*
 * A weight of times / parts, neither 0.  Unless parts is 1, both are at most
 * 2^32-1.
 */
struct merge_factor {
	uint64_t times, parts;
};

/* Warnings go to the context's taker.  NULL if out of memory. */
struct merge *merge_new(prof_warn *, void *warn_arg);

/*
 * Before anything is added: of the entries that a value site has of one target,
 * the k-th of an input is added to the k-th largest, as LLVM does it, in sites
 * of up to 256 values.  The sum depends on the order of the inputs then.
 */
void merge_values_as_arrived(struct merge *);

/*
 * Adds a record of any profile; the profile's own records come between its
 * PROFILE and END.  The weight is 1 if it is NULL.  PROF_E_MISMATCH names both profiles
 * if they are of kinds that do not mix; labels of profiles are their sources'
 * file and member.  A failed merge is only good for merge_free.  Blocks are
 * taken too, but not counted for merge_output.intersect.
 */
enum prof_status merge_add(struct merge *, const struct prof_record *,
    const struct merge_factor *weight, struct prof_error *);

/*
 * Whether a profile of that head, with functions or none, would be taken; the
 * merge stays as it is.
 */
enum prof_status merge_mixes(const struct merge *, const struct prof_header *,
    bool functions, struct prof_error *);

/*
 * From here on another input is read: what merge_output.intersect counts.
 */
void merge_next_input(struct merge *);

/*
 * Takes the counts of another merge away, down to 0: counters, and counts of
 * values by the rule of adding.  Functions that only `less` has do not matter;
 * those of another class in both stay as they are and are told.  Bitmaps, which
 * do not say how often, stay too.  PROF_E_MISMATCH as for merge_add,
 * PROF_E_UNSUPPORTED if `less` has heap data: extremes cannot be taken back.
 */
enum prof_status merge_subtract(struct merge *, struct merge *less,
    struct prof_error *);

struct merge_output {
	bool sparse;	/* leave out names that have only zero counts */
	bool intersect;	/* leave out functions that not all inputs have */
	/*
	 * If only one profile has heap data, its records are put as they came
	 * and not folded: LLVM's indexed files depend on their order.
	 */
	bool heap_as_read;
	/*
	 * Functions are put in the order in which their names came, not in the
	 * canonical one; unless some were spilled.  Up to LLVM 16 the bytes of
	 * indexed files depend on it, and always those of names with several
	 * hashes.
	 */
	bool as_arrived;
	bool targets_by_guid;	/* the writer has no use for their names */
};

/*
 * Puts the one profile that the merge came to, from PROFILE to END; nothing can
 * be added afterwards.  PROF_E_FORMAT if no profile was added,
 * PROF_E_UNSUPPORTED if heap data is to be intersected.
 */
enum prof_status merge_write(struct merge *, const struct merge_output *,
    struct prof_writer *, struct prof_error *);

void merge_free(struct merge *);	/* NULL is fine */

#endif
