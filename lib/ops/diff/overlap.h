/*
 * ops/diff/overlap.h - how much of two profiles is the same
 *
 * Each counter is a share of its profile's sum; the overlap is the sum of the
 * lesser of both shares, from 0 to 1.  The figures are those of
 * `llvm-profdata overlap` (InstrProf.cpp, InstrProfRecord::overlap, and
 * InstrProfWriter.cpp, overlapRecord, LLVM 9 to 22) with one exception: records
 * of context-sensitive and of plain instrumentation are shares of their own
 * sums, while llvm-profdata divides both by one sum.
 */
#ifndef OPS_DIFF_OVERLAP_H
#define OPS_DIFF_OVERLAP_H

#include "ops/diff/table.h"

/*
 * A sum of shares.  `sum` is rounded after each addition, as in llvm-profdata:
 * its last digits depend on the order of the functions.  With `rest`, which is
 * what the rounding left out, they do not.
 */
struct overlap_shares {
	double sum, rest;
};

/* Knuth's sum of two numbers, and the rounding error of that sum. */
static inline void
overlap_shares_add(struct overlap_shares *s, double share)
{
	double sum = s->sum + share;
	double added = sum - s->sum;

	s->rest += (s->sum - (sum - added)) + (share - added);
	s->sum = sum;
}

/* The sum, from 0 to 1. */
static inline double
overlap_shares_sum(const struct overlap_shares *s)
{
	double sum = s->sum + s->rest;

	return sum < 1 ? sum : 1;
}

/* An exact sum of counts: high * 2^64 + low. */
struct overlap_total {
	uint64_t low, high;
};

/* The result for counters, or for the values of one kind. */
struct overlap_measure {
	struct overlap_total total[OVERLAP_SIDES];
	double sum[OVERLAP_SIDES];	/* the total, rounded; for llvm-profdata
					   after each addition */
	struct overlap_shares overlap;	/* 0 if a sum is 0 */
	/*
	 * Shares of functions without overlap.  stale: the other side has the
	 * name with other hashes only.  misfit: name and hash match, numbers of
	 * counters or sites differ.  unmatched: the other side lacks the name
	 * (lost, if of A; new, if of B).
	 */
	struct overlap_shares stale[OVERLAP_SIDES], misfit[OVERLAP_SIDES],
	    unmatched[OVERLAP_SIDES];
};

struct overlap {
	uint64_t records[OVERLAP_SIDES];	/* functions, or contexts */
	uint64_t common;		/* matched, with equal numbers */
	uint64_t misfit;		/* matched, numbers differ */
	uint64_t stale[OVERLAP_SIDES], unmatched[OVERLAP_SIDES];
	/* Stale and misfit functions of B with zero counters only. */
	uint64_t unused;
	struct overlap_measure counts, values[PROF_VALUE_KINDS];
};

/* How a function of A became one of B. */
enum overlap_state {
	OVERLAP_CHANGED, OVERLAP_MISFIT, OVERLAP_STALE, OVERLAP_LOST,
	OVERLAP_NEW
};

struct overlap_change {
	enum overlap_state state;
	const struct diff_function *function[OVERLAP_SIDES];	/* or NULL */
	uint64_t count[OVERLAP_SIDES];	/* stale: of all its records */
	double share[OVERLAP_SIDES];
};

/* How far the shares of both sides are apart, from 0 to 1. */
static inline double
overlap_drift(const double share[OVERLAP_SIDES])
{
	double d = share[OVERLAP_B] - share[OVERLAP_A];

	return d < 0 ? -d : d;
}

/* The function as it is now, or as it was if it is lost. */
static inline const struct diff_function *
diff_change_function(const struct overlap_change *c)
{
	return c->function[OVERLAP_B] != NULL ? c->function[OVERLAP_B] :
	    c->function[OVERLAP_A];
}

/* Called for each function, in no useful order.  False ends the comparison. */
typedef bool overlap_visit(void *arg, const struct overlap_change *);

/*
 * Compares the records of context-sensitive instrumentation, or all others.
 * The visitor may be NULL.  False if it returned false, or out of memory.
 */
bool overlap_compare(const struct diff_table *, bool context_sensitive,
    struct overlap *, overlap_visit *, void *arg);

/* Adds counts to the sum of a side. */
void overlap_total_add(struct overlap_measure *, int side, uint64_t);

/*
 * Rounds the sums of both sides once, so that they do not depend on the order
 * of the functions.  To be called when all functions have been added.
 */
void overlap_round_sums(struct overlap *);

/* The share of a count in a sum; 0 if the sum is 0. */
static inline double
overlap_share(uint64_t n, double sum)
{
	return sum < 1 ? 0 : (double)n / sum;
}

/* The common share, 0 to 1, of two counts of these sums; 0 if a sum is 0. */
double overlap_of_counts(uint64_t a, uint64_t b, double sum_a, double sum_b);

/* The overlap of a function that matches and fits, as if it were a profile. */
double overlap_of_function(const struct diff_function *);

/* The functions that changed.  All zero but `most` and `equal` is empty. */
struct diff_changes {
	struct overlap_change *items;
	size_t size, room;
	size_t most;			/* changes to keep: the largest ones */
	bool equal;			/* also those of equal shares above 0 */
	bool full;			/* there have been as many: they come
					   first, and are sorted */
};

/*
 * An overlap_visit whose argument is a struct diff_changes: adds functions, but
 * not those that fit and have the same share on both sides, unless these are
 * wanted too.
 */
bool diff_changes_add(void *list, const struct overlap_change *);

/*
 * Sorts by difference of the shares, largest first, then by name and hash, and
 * drops all but the first `most`.
 */
void diff_changes_sort(struct diff_changes *);

void diff_changes_free(struct diff_changes *);

#endif
