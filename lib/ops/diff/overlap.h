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
	/* Of NEW, for llvm-profdata, as `mismatched` and `unique` below. */
	struct overlap_shares mismatched, unique;
};

/*
 * What became of a function or context: the first row that is true of it.  Of
 * each: its word, which texts, JSON and pages have; the option that limits it;
 * what is true of these functions.  An orphan is a function whose name the
 * other side lacks.
 */
#define OVERLAP_LIMITED_STATES(ROW) \
	/* The name is on both sides, but not with that hash or shape. */ \
	ROW(STALE, "stale", "max-stale", "have other hashes or counters") \
	/* Orphans whose names differ in the file part only. */ \
	ROW(MOVED, "moved", "max-moved", "are in another file") \
	/* The only orphans with their hash and shape. */ \
	ROW(RENAMED, "renamed", "max-renamed", "have another name") \
	ROW(NEWLY_RUN, "newly run", "max-newly-run", "run in NEW only") \
	ROW(NO_LONGER_RUN, "no longer run", "max-no-longer-run", \
	    "run in OLD only") \
	/* Whether the largest counter is hot (model/summary.h). */ \
	ROW(BECAME_HOT, "became hot", "max-became-hot", \
	    "are hot in NEW only") \
	ROW(BECAME_COLD, "became cold", "max-became-cold", \
	    "are hot in OLD only")

#define OVERLAP_STATES(ROW) \
	OVERLAP_LIMITED_STATES(ROW) \
	ROW(CHANGED, "changed", NULL, "have another share") \
	ROW(UNCHANGED, "unchanged", NULL, "have the same share")

#define OVERLAP_STATE_ID(id, word, limit, meaning) OVERLAP_##id,
enum overlap_state { OVERLAP_STATES(OVERLAP_STATE_ID) OVERLAP_STATES_SIZE };

extern const struct overlap_word {
	const char *word, *limit, *meaning;
} overlap_words[OVERLAP_STATES_SIZE];

struct overlap {
	uint64_t records[OVERLAP_SIDES];	/* functions, or contexts */
	uint64_t common;		/* matched, with equal shapes */
	/*
	 * Functions of NEW: mismatched ones are stale, of which so many are
	 * unused, with zero counters only; OLD lacks the names of unique ones.
	 */
	uint64_t mismatched, unused, unique;
	uint64_t masked;		/* stale, by the rule of LLVM 22 only */
	struct overlap_measure counts, values[PROF_VALUE_KINDS];
	/* Changes by state, and their shares. */
	struct {
		uint64_t changes;
		struct overlap_shares share[OVERLAP_SIDES];
	} states[OVERLAP_STATES_SIZE];
};

/* By which difference of both sides changes are sorted. */
enum overlap_sort { OVERLAP_BY_SHARE, OVERLAP_BY_COUNT, OVERLAP_BY_RATIO };

struct overlap_change {
	enum overlap_state state;
	const struct diff_function *function[OVERLAP_SIDES];	/* or NULL */
	uint64_t count[OVERLAP_SIDES];	/* stale: of all its records */
	double share[OVERLAP_SIDES];
	double key;			/* of the sort */
};

/* Adds a change to its state. */
static inline void
overlap_add_state(struct overlap *o, enum overlap_state state,
    const double share[OVERLAP_SIDES])
{
	o->states[state].changes++;
	for (int s = 0; s < OVERLAP_SIDES; s++)
		overlap_shares_add(&o->states[state].share[s], share[s]);
}

/* How far both sides are apart; 0 if they are equal. */
double overlap_key(enum overlap_sort, const uint64_t count[OVERLAP_SIDES],
    const double share[OVERLAP_SIDES]);

/* How far the shares of both sides are apart, from 0 to 1. */
static inline double
overlap_drift(const double share[OVERLAP_SIDES])
{
	double d = share[OVERLAP_NEW] - share[OVERLAP_OLD];

	return d < 0 ? -d : d;
}

/* The function of NEW, or of OLD if NEW lacks it. */
static inline const struct diff_function *
diff_change_function(const struct overlap_change *c)
{
	return c->function[OVERLAP_NEW] != NULL ? c->function[OVERLAP_NEW] :
	    c->function[OVERLAP_OLD];
}

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

/* The functions that changed.  Empty: all zero but most, sort, equal. */
struct diff_changes {
	struct overlap_change *items;
	size_t size, room;
	size_t most;			/* changes to keep: the largest ones */
	enum overlap_sort sort;
	bool equal;			/* also those of equal shares above 0 */
	bool full;			/* there have been as many: they come
					   first, and are sorted */
};

/*
 * Compares the records of context-sensitive instrumentation, or all others.
 * Lists changes, unless the list is NULL: by key, then by difference of the
 * shares, both with the largest first, then by name and hash.  Functions that
 * are changed or unchanged with a key of 0 are left out, unless `equal`.  False
 * if out of memory.
 */
bool overlap_compare(const struct diff_table *, bool context_sensitive,
    struct overlap *, struct diff_changes *);

void diff_changes_free(struct diff_changes *);

#endif
