#include "ops/diff/overlap.h"

struct overlap_job {
	struct diff_table *side[OVERLAP_SIDES];
	bool context_sensitive;
	struct overlap *out;
	overlap_visit *report;
	void *arg;
};

/* The lesser of two shares; 0 if a sum is 0. */
static double
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

/* Sums up a table, and clears the marks of the comparison before. */
static void
overlap_sum_side(struct overlap_job *c, int side)
{
	struct diff_table *t = c->side[side];
	struct overlap *o = c->out;

	for (size_t i = 0; i < t->names_size; i++)
		t->names[i] = (struct diff_name){ .present = false };
	for (size_t i = 0; i < t->size; i++) {
		struct diff_function *f = &t->functions[i];

		if (f->context_sensitive != c->context_sensitive)
			continue;
		f->matched = false;
		t->names[f->name].present = true;
		o->records[side]++;
		o->counts.sum[side] += (double)f->count_sum;
		for (int k = 0; k < PROF_VALUE_KINDS; k++)
			o->values[k].sum[side] += (double)f->value_sums[k];
	}
}

/* Merges two sites, which are sorted by target. */
static void
overlap_compare_site(const struct diff_site *a, const struct diff_site *b,
    struct overlap_measure *m)
{
	size_t i = 0, j = 0;

	while (i < a->size && j < b->size) {
		if (a->values[i].value < b->values[j].value)
			i++;
		else if (a->values[i].value > b->values[j].value)
			j++;
		else
			m->overlap += overlap_of_counts(a->values[i++].count,
			    b->values[j++].count, m->sum[OVERLAP_A],
			    m->sum[OVERLAP_B]);
	}
}

static bool
overlap_report(const struct overlap_job *c, struct overlap_change *change)
{
	for (int s = 0; s < OVERLAP_SIDES; s++)
		change->share[s] = overlap_share(change->count[s],
		    c->out->counts.sum[s]);
	return c->report == NULL || c->report(c->arg, change);
}

static bool
overlap_compare_pair(struct overlap_job *c, const struct diff_function *a,
    const struct diff_function *b)
{
	struct overlap_measure *m = &c->out->counts;
	struct overlap_change change = { .function = { a, b },
	    .count = { a->count_sum, b->count_sum } };

	c->out->common++;
	for (size_t i = 0; i < a->counts_size; i++) {
		m->overlap += overlap_of_counts(a->counts[i], b->counts[i],
		    m->sum[OVERLAP_A], m->sum[OVERLAP_B]);
		change.overlap += overlap_of_counts(a->counts[i], b->counts[i],
		    (double)a->count_sum, (double)b->count_sum);
	}
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < a->sites_size[k]; i++)
			overlap_compare_site(&a->sites[k][i], &b->sites[k][i],
			    &c->out->values[k]);
	}
	return overlap_report(c, &change);
}

enum overlap_unmatched { STALE, MISFIT, UNMATCHED };

/* Adds a function of one side to the shares without overlap. */
static void
overlap_add_unmatched(struct overlap_job *c, int side,
    const struct diff_function *f, enum overlap_unmatched kind)
{
	struct overlap *o = c->out;
	/* LLVM ignores functions of B that never ran, with their values. */
	bool unused = kind != UNMATCHED && side == OVERLAP_B && f->count_sum ==
	    0;

	for (int k = -1; !unused && k < PROF_VALUE_KINDS; k++) {
		struct overlap_measure *m = k < 0 ? &o->counts : &o->values[k];
		double n = overlap_share(k < 0 ? f->count_sum :
		    f->value_sums[k], m->sum[side]);

		if (kind == STALE)
			m->stale[side] += n;
		else if (kind == MISFIT)
			m->misfit[side] += n;
		else
			m->unmatched[side] += n;
	}
	if (kind == STALE)
		o->stale[side]++;
	else if (kind == UNMATCHED)
		o->unmatched[side]++;
	o->unused += unused;
}

static bool
overlap_compare_misfit(struct overlap_job *c, const struct diff_function *a,
    const struct diff_function *b)
{
	struct overlap_change change = { .state = OVERLAP_MISFIT,
	    .function = { a, b }, .count = { a->count_sum, b->count_sum } };

	c->out->misfit++;
	overlap_add_unmatched(c, OVERLAP_A, a, MISFIT);
	overlap_add_unmatched(c, OVERLAP_B, b, MISFIT);
	return overlap_report(c, &change);
}

/* Sums up, for each name, the functions without match. */
static void
overlap_sum_names(struct overlap_job *c, int side)
{
	struct diff_table *t = c->side[side];

	for (size_t i = 0; i < t->size; i++) {
		const struct diff_function *f = &t->functions[i];
		struct diff_name *n = &t->names[f->name];

		if (f->matched ||
		    f->context_sensitive != c->context_sensitive)
			continue;
		if (n->first == NULL)
			n->first = f;
		if (__builtin_add_overflow(n->count, f->count_sum, &n->count))
			n->count = UINT64_MAX;
	}
}

/*
 * Reports all stale records of a name as one change, at the first of them: that
 * of B, if B has some.
 */
static bool
overlap_report_stale(struct overlap_job *c, int side,
    const struct diff_function *f)
{
	struct overlap_change change = { .state = OVERLAP_STALE };

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		const struct diff_name *n = diff_table_name(c->side[s], f);

		change.function[s] = n->first;
		change.count[s] = n->count;
	}
	if (side == OVERLAP_A && change.function[OVERLAP_B] != NULL)
		return true;
	return change.function[side] != f || overlap_report(c, &change);
}

static bool
overlap_compare_matched(struct overlap_job *c)
{
	struct diff_table *t = c->side[OVERLAP_B];

	for (size_t i = 0; i < t->size; i++) {
		struct diff_function *b = &t->functions[i], *a;

		if (b->context_sensitive != c->context_sensitive)
			continue;
		a = diff_table_find(c->side[OVERLAP_A], b);
		if (a == NULL)
			continue;
		a->matched = b->matched = true;
		if (!(diff_fits(a, b) ? overlap_compare_pair(c, a, b) :
		    overlap_compare_misfit(c, a, b)))
			return false;
	}
	return true;
}

static bool
overlap_compare_unmatched(struct overlap_job *c, int side)
{
	struct diff_table *t = c->side[side];

	for (size_t i = 0; i < t->size; i++) {
		const struct diff_function *f = &t->functions[i];
		struct overlap_change change = {
		    .state = side == OVERLAP_A ? OVERLAP_LOST : OVERLAP_NEW };
		const struct diff_name *other;
		bool named;

		if (f->matched ||
		    f->context_sensitive != c->context_sensitive)
			continue;
		other = diff_table_name(c->side[OVERLAP_B - side], f);
		named = other != NULL && other->present;
		overlap_add_unmatched(c, side, f, named ? STALE : UNMATCHED);
		change.function[side] = f;
		change.count[side] = f->count_sum;
		if (!(named ? overlap_report_stale(c, side, f) :
		    overlap_report(c, &change)))
			return false;
	}
	return true;
}

bool
overlap_compare(struct diff_table *const sides[OVERLAP_SIDES],
    bool context_sensitive, struct overlap *out, overlap_visit *report,
    void *arg)
{
	struct overlap_job c = { .side = { sides[OVERLAP_A], sides[OVERLAP_B] },
	    .out = out, .report = report, .context_sensitive =
	    context_sensitive, .arg = arg };

	*out = (struct overlap){ .common = 0 };
	overlap_sum_side(&c, OVERLAP_A);
	overlap_sum_side(&c, OVERLAP_B);
	if (!overlap_compare_matched(&c))
		return false;
	overlap_sum_names(&c, OVERLAP_A);
	overlap_sum_names(&c, OVERLAP_B);
	return overlap_compare_unmatched(&c, OVERLAP_A) &&
	    overlap_compare_unmatched(&c, OVERLAP_B);
}
