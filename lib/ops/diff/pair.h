/*
 * ops/diff/pair.h - what one function adds to a comparison
 *
 * A comparison adds up all functions of both sides first, since shares are of
 * these sums.  Then it adds the functions that both sides have, and then those
 * of A and those of B without a match.
 */
#ifndef OPS_DIFF_PAIR_H
#define OPS_DIFF_PAIR_H

#include "ops/diff/overlap.h"

/* Where the results go; `report` may be NULL. */
struct overlap_pairs {
	struct overlap *out;
	overlap_visit *report;
	void *arg;			/* of report */
};

/* The functions of one name, of which at least one is on one side only. */
struct overlap_name {
	bool present[OVERLAP_SIDES];
	/* Of those that match none: that with the least hash, whatever their
	   order is, and the sum of all counts. */
	const struct diff_function *first[OVERLAP_SIDES];
	uint64_t count[OVERLAP_SIDES];
};

/* Adds counts to the sum of a side. */
static inline void
overlap_total_add(struct overlap_measure *m, int side, uint64_t n)
{
	struct overlap_total *t = &m->total[side];

	t->high += n > UINT64_MAX - t->low;
	t->low += n;
	m->sum[side] += (double)n;
}

/*
 * Rounds the sums of both sides once, so that they do not depend on the order
 * of the functions.  To be called when all functions have been added.
 */
void overlap_round_sums(struct overlap *);

/* Add a function to the sums of a side. */
void overlap_add_record(struct overlap *, int side,
    const struct diff_record *);
void overlap_add_function(struct overlap *, int side,
    const struct prof_function *);

/* Compares a function that both sides have.  False if the report says so. */
bool overlap_compare_pair(struct overlap_pairs *,
    const struct diff_function *);

/* Adds a function of a side without match to those of its name. */
void overlap_note_unmatched(struct overlap_name *, int side,
    const struct diff_function *);

/*
 * Adds such a function to the result, once all of its name are noted.  False if
 * the report says so.
 */
bool overlap_compare_unmatched(struct overlap_pairs *, int side,
    const struct diff_function *, const struct overlap_name *);

/* The common share, 0 to 1, of two counts of these sums; 0 if a sum is 0. */
double overlap_of_counts(uint64_t a, uint64_t b, double sum_a, double sum_b);

/* The overlap of a function that matches and fits, as if it were a profile. */
double overlap_of_function(const struct diff_function *);

#endif
