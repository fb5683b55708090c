#include "ops/diff/pair.h"

#include "base/bytes.h"

enum overlap_unmatched { STALE, MISFIT, UNMATCHED };

double
overlap_of_counts(uint64_t a, uint64_t b, double sum_a, double sum_b)
{
	double x, y;

	if (sum_a < 1 || sum_b < 1)
		return 0;
	x = (double)a / sum_a;
	y = (double)b / sum_b;
	return x < y ? x : y;
}

static double
overlap_share(uint64_t n, double sum)
{
	return sum < 1 ? 0 : (double)n / sum;
}

void
overlap_round_sums(struct overlap *o)
{
	/* 2^64 */
	static const double high = 18446744073709551616.0;

	for (int k = -1; k < PROF_VALUE_KINDS; k++) {
		struct overlap_measure *m = k < 0 ? &o->counts : &o->values[k];

		for (int s = 0; s < OVERLAP_SIDES; s++)
			m->sum[s] = (double)m->total[s].high * high +
			    (double)m->total[s].low;
	}
}

void
overlap_add_record(struct overlap *o, int side, const struct diff_record *r)
{
	o->records[side]++;
	overlap_total_add(&o->counts, side, diff_count_sum(r));
	for (int k = 0; r->flags & DIFF_SITES && k < PROF_VALUE_KINDS; k++)
		overlap_total_add(&o->values[k], side, diff_value_sum(r, k));
}

void
overlap_add_function(struct overlap *o, int side,
    const struct prof_function *f)
{
	o->records[side]++;
	overlap_total_add(&o->counts, side, diff_function_count_sum(f));
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		if (f->values[k].size != 0)
			overlap_total_add(&o->values[k], side,
			    diff_function_value_sum(f, k));
	}
}

/* Merges two sites, which are sorted by target. */
static void
overlap_compare_site(const struct diff_site *a, const struct diff_site *b,
    struct overlap_measure *m)
{
	size_t i = 0, j = 0;

	while (i < a->size && j < b->size) {
		if (a->values[i].target < b->values[j].target)
			i++;
		else if (a->values[i].target > b->values[j].target)
			j++;
		else
			overlap_shares_add(&m->overlap, overlap_of_counts(
			    a->values[i++].count, b->values[j++].count,
			    m->sum[OVERLAP_A], m->sum[OVERLAP_B]));
	}
}

static bool
overlap_report(const struct overlap_pairs *c, struct overlap_change *change)
{
	for (int s = 0; s < OVERLAP_SIDES; s++)
		change->share[s] = overlap_share(change->count[s],
		    c->out->counts.sum[s]);
	return c->report == NULL || c->report(c->arg, change);
}

/*
 * Adds the common share of the counters of two records with these sums.  Adding
 * the share of a counter that is 0 on one side would change nothing.
 */
static void
overlap_add_counts(struct overlap_shares *overlap, const struct diff_record *a,
    const struct diff_record *b, double sum_a, double sum_b)
{
	struct overlap_shares shares = *overlap;
	const uint64_t *p = diff_borrowed_counters(a);
	const uint64_t *q = diff_borrowed_counters(b);

	for (size_t i = 0; i < a->counts_size; i++) {
		uint64_t x = p != NULL ? p[i] : diff_count(a, i);
		uint64_t y = q != NULL ? q[i] : diff_count(b, i);

		if (x != 0 && y != 0)
			overlap_shares_add(&shares, overlap_of_counts(x, y,
			    sum_a, sum_b));
	}
	*overlap = shares;
}

double
overlap_of_function(const struct diff_function *f)
{
	const struct diff_record *a = f->records[OVERLAP_A];
	const struct diff_record *b = f->records[OVERLAP_B];
	struct overlap_shares shares = { 0, 0 };

	overlap_add_counts(&shares, a, b, (double)diff_count_sum(a),
	    (double)diff_count_sum(b));
	return shares.sum;
}

static void
overlap_compare_values(struct overlap_pairs *c, const struct diff_record *a,
    const struct diff_record *b)
{
	const struct diff_sites *x = diff_record_sites(a);
	const struct diff_sites *y = diff_record_sites(b);

	for (int k = 0; x != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < x->sizes[k]; i++)
			overlap_compare_site(&x->sites[k][i], &y->sites[k][i],
			    &c->out->values[k]);
	}
}

/* Adds a record of one side to the shares without overlap. */
static void
overlap_add_unmatched(struct overlap_pairs *c, int side,
    const struct diff_record *r, enum overlap_unmatched kind)
{
	struct overlap *o = c->out;
	uint64_t count = diff_count_sum(r);
	/* LLVM ignores functions of B that never ran, with their values. */
	bool unused = kind != UNMATCHED && side == OVERLAP_B && count == 0;

	for (int k = -1; !unused && k < PROF_VALUE_KINDS; k++) {
		struct overlap_measure *m = k < 0 ? &o->counts : &o->values[k];
		double n = overlap_share(k < 0 ? count : diff_value_sum(r, k),
		    m->sum[side]);

		if (kind == STALE)
			overlap_shares_add(&m->stale[side], n);
		else if (kind == MISFIT)
			overlap_shares_add(&m->misfit[side], n);
		else
			overlap_shares_add(&m->unmatched[side], n);
	}
	if (kind == STALE)
		o->stale[side]++;
	else if (kind == UNMATCHED)
		o->unmatched[side]++;
	o->unused += unused;
}

bool
overlap_compare_pair(struct overlap_pairs *c, const struct diff_function *f)
{
	const struct diff_record *a = f->records[OVERLAP_A];
	const struct diff_record *b = f->records[OVERLAP_B];
	struct overlap_measure *m = &c->out->counts;
	struct overlap_change change = { .function = { f, f },
	    .count = { diff_count_sum(a), diff_count_sum(b) } };

	if (diff_records_fit(a, b)) {
		c->out->common++;
		overlap_add_counts(&m->overlap, a, b, m->sum[OVERLAP_A],
		    m->sum[OVERLAP_B]);
		overlap_compare_values(c, a, b);
	} else {
		change.state = OVERLAP_MISFIT;
		c->out->misfit++;
		overlap_add_unmatched(c, OVERLAP_A, a, MISFIT);
		overlap_add_unmatched(c, OVERLAP_B, b, MISFIT);
	}
	return overlap_report(c, &change);
}

void
overlap_note_unmatched(struct overlap_name *n, int side,
    const struct diff_function *f)
{
	if (n->first[side] == NULL || f->hash < n->first[side]->hash)
		n->first[side] = f;
	n->count[side] = saturating_add(n->count[side],
	    diff_count_sum(f->records[side]));
}

/*
 * Reports all stale records of a name as one change, at the one that stands for
 * them: that of B, if B has some.
 */
static bool
overlap_report_stale(struct overlap_pairs *c, int side,
    const struct diff_function *f, const struct overlap_name *n)
{
	struct overlap_change change = { .state = OVERLAP_STALE };

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		change.function[s] = n->first[s];
		change.count[s] = n->count[s];
	}
	if (side == OVERLAP_A && change.function[OVERLAP_B] != NULL)
		return true;
	return change.function[side] != f || overlap_report(c, &change);
}

static bool
overlap_report_unmatched(struct overlap_pairs *c, int side,
    const struct diff_function *f)
{
	struct overlap_change change = {
	    .state = side == OVERLAP_A ? OVERLAP_LOST : OVERLAP_NEW };

	change.function[side] = f;
	change.count[side] = diff_count_sum(f->records[side]);
	return overlap_report(c, &change);
}

bool
overlap_compare_unmatched(struct overlap_pairs *c, int side,
    const struct diff_function *f, const struct overlap_name *n)
{
	bool named = n->present[OVERLAP_B - side];

	overlap_add_unmatched(c, side, f->records[side],
	    named ? STALE : UNMATCHED);
	return named ? overlap_report_stale(c, side, f, n) :
	    overlap_report_unmatched(c, side, f);
}
