/*
 * overlap.h - how much of two profiles is the same
 *
 * Each counter is a share of its profile's sum; the overlap is the sum of the
 * smaller of both shares, from 0 to 1.  It is that of `llvm-profdata overlap`
 * (InstrProf.cpp, InstrProfRecord::overlap, and InstrProfWriter.cpp,
 * overlapRecord, LLVM 9 to 22), but that records of context-sensitive and of
 * plain instrumentation are compared with their own sums: llvm-profdata
 * compares all with the sum of one.
 */
#ifndef OPS_DIFF_OVERLAP_H
#define OPS_DIFF_OVERLAP_H

#include "ops/diff/table.h"

enum { OVERLAP_A, OVERLAP_B, OVERLAP_SIDES };

/* Of one measure: counters, or the values of a kind. */
struct overlap_measure {
	double sum[OVERLAP_SIDES];
	double overlap;			/* 0 if a sum is 0 */
	/*
	 * Shares of B that are stale (the name is there with another hash), do
	 * not fit (another number of counters or sites) or are new; and shares
	 * of A that are stale, do not fit, or are lost.
	 */
	double stale[OVERLAP_SIDES], misfit[OVERLAP_SIDES],
	    alone[OVERLAP_SIDES];
};

struct overlap {
	uint64_t functions[OVERLAP_SIDES];	/* records */
	uint64_t common;		/* in both, and fit */
	uint64_t misfit;		/* in both, and do not */
	uint64_t stale[OVERLAP_SIDES], alone[OVERLAP_SIDES];
	/* Of B, stale or not fitting, but with zero counters only. */
	uint64_t unused;
	struct overlap_measure counts, values[PROF_VALUE_KINDS];
};

/* What became of a function. */
enum overlap_state {
	OVERLAP_CHANGED, OVERLAP_MISFIT, OVERLAP_STALE, OVERLAP_LOST,
	OVERLAP_NEW
};

struct overlap_change {
	enum overlap_state state;
	const struct diff_function *function[OVERLAP_SIDES];	/* or NULL */
	uint64_t count[OVERLAP_SIDES];	/* a stale one: of all its records */
	double share[OVERLAP_SIDES];
	double overlap;			/* of its own counters */
};

/* Called with each function, in no order that means anything. */
typedef bool overlap_taker(void *arg, const struct overlap_change *);

/*
 * Compares records of context-sensitive instrumentation, or all others.  The
 * tables are marked, and stay good for the next comparison.  False if the taker
 * said so.
 */
bool overlap_compare(struct diff_table *a, struct diff_table *b,
    bool context_sensitive, struct overlap *, overlap_taker *, void *arg);

#endif
