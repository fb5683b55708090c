#include "ops/diff/overlap.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"

enum overlap_unmatched { STALE, MISFIT, UNMATCHED };

/* The functions of one name, of which at least one is on one side only. */
struct overlap_name {
	bool present[OVERLAP_SIDES];
	/* Of those that match none: that with the least hash, whatever their
	   order is, and the sum of all counts. */
	const struct diff_function *first[OVERLAP_SIDES];
	uint64_t count[OVERLAP_SIDES];
};

/*
 * The comparison of one class of functions.  Shares are of the sums of all
 * functions of a side: these come first, then the functions that both sides
 * have, then those of A and those of B without a match.
 */
struct overlap_job {
	const struct diff_table *table;
	bool context_sensitive;
	struct overlap *out;
	overlap_visit *report;		/* or NULL */
	void *arg;			/* of report */
	struct id_map guids;		/* indices of names */
	struct overlap_name *names;
	size_t size, room;
};

void
overlap_total_add(struct overlap_measure *m, int side, uint64_t n)
{
	struct overlap_total *t = &m->total[side];

	t->high += n > UINT64_MAX - t->low;
	t->low += n;
	m->sum[side] += (double)n;
}

double
overlap_of_counts(uint64_t a, uint64_t b, double sum_a, double sum_b)
{
	double x = overlap_share(a, sum_a), y = overlap_share(b, sum_b);

	return x < y ? x : y;
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
overlap_report(const struct overlap_job *c, struct overlap_change *change)
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

	for (size_t i = 0; i < a->counts_size; i++) {
		uint64_t x = a->counts[i], y = b->counts[i];

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

/* Adds a record of one side to the shares without overlap. */
static void
overlap_add_unmatched(struct overlap_job *c, int side,
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

/* Compares a function that both sides have. */
static bool
overlap_compare_pair(struct overlap_job *c, const struct diff_function *f)
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
		for (int k = 0; k < PROF_VALUE_KINDS; k++) {
			for (size_t i = 0; i < diff_sites_size(a, k); i++)
				overlap_compare_site(&a->sites[k][i],
				    &b->sites[k][i], &c->out->values[k]);
		}
	} else {
		change.state = OVERLAP_MISFIT;
		c->out->misfit++;
		overlap_add_unmatched(c, OVERLAP_A, a, MISFIT);
		overlap_add_unmatched(c, OVERLAP_B, b, MISFIT);
	}
	return overlap_report(c, &change);
}

/*
 * Reports all stale records of a name as one change, at the one that stands for
 * them: that of B, if B has some.
 */
static bool
overlap_report_stale(struct overlap_job *c, int side,
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

/*
 * Adds a function without match to the result, once all of its name are noted.
 */
static bool
overlap_compare_unmatched(struct overlap_job *c, int side,
    const struct diff_function *f, const struct overlap_name *n)
{
	struct overlap_change change = {
	    .state = side == OVERLAP_A ? OVERLAP_LOST : OVERLAP_NEW };

	if (n->present[OVERLAP_B - side]) {
		overlap_add_unmatched(c, side, f->records[side], STALE);
		return overlap_report_stale(c, side, f, n);
	}
	overlap_add_unmatched(c, side, f->records[side], UNMATCHED);
	change.function[side] = f;
	change.count[side] = diff_count_sum(f->records[side]);
	return overlap_report(c, &change);
}

/* The record of function i of a side, or NULL if that is of another class. */
static const struct diff_record *
overlap_record(const struct overlap_job *c, int side, size_t i)
{
	const struct diff_function *f = diff_table_function(c->table, side, i);

	return f->context_sensitive == c->context_sensitive ?
	    f->records[side] : NULL;
}

static void
overlap_sum_side(struct overlap_job *c, int side)
{
	for (size_t i = 0; i < c->table->sides[side].size; i++) {
		const struct diff_record *r = overlap_record(c, side, i);

		if (r == NULL)
			continue;
		c->out->records[side]++;
		overlap_total_add(&c->out->counts, side, diff_count_sum(r));
		for (int k = 0; k < PROF_VALUE_KINDS; k++)
			overlap_total_add(&c->out->values[k], side,
			    diff_value_sum(r, k));
	}
}

static bool
overlap_compare_matched(struct overlap_job *c)
{
	for (size_t i = 0; i < c->table->sides[OVERLAP_B].size; i++) {
		const struct diff_function *f = diff_table_function(c->table,
		    OVERLAP_B, i);

		if (overlap_record(c, OVERLAP_B, i) != NULL &&
		    f->records[OVERLAP_A] != NULL &&
		    !overlap_compare_pair(c, f))
			return false;
	}
	return true;
}

/* Function i of a side if it is of this class and the other side lacks it. */
static const struct diff_function *
overlap_unmatched_function(const struct overlap_job *c, int side, size_t i)
{
	const struct diff_function *f = diff_table_function(c->table, side, i);

	return overlap_record(c, side, i) != NULL &&
	    f->records[OVERLAP_B - side] == NULL ? f : NULL;
}

/*
 * Sums up, for each name, the functions of a side without match.  False if out
 * of memory.
 */
static bool
overlap_sum_names(struct overlap_job *c, int side)
{
	for (size_t i = 0; i < c->table->sides[side].size; i++) {
		const struct diff_function *f = overlap_unmatched_function(c,
		    side, i);
		struct overlap_name *n;
		uint64_t *at;

		if (f == NULL)
			continue;
		if (!ARRAY_ROOM(c->names, c->size, c->room) || (at =
		    id_map_add(&c->guids, f->symbol.guid, c->size)) == NULL)
			return false;
		if (*at == c->size)
			c->names[c->size++] = (struct overlap_name){
			    .count = { 0 } };
		n = &c->names[*at];
		if (n->first[side] == NULL || f->hash < n->first[side]->hash)
			n->first[side] = f;
		n->count[side] = saturating_add(n->count[side],
		    diff_count_sum(f->records[side]));
	}
	return true;
}

/* Finds the sides on which the names of functions without match are present. */
static void
overlap_mark_names(struct overlap_job *c)
{
	const struct diff_table *t = c->table;

	for (size_t i = 0; i < t->size && c->size != 0; i++) {
		const struct diff_function *f = &t->functions[i];
		const uint64_t *n = f->context_sensitive !=
		    c->context_sensitive ? NULL :
		    id_map_find(&c->guids, f->symbol.guid);

		for (int s = 0; n != NULL && s < OVERLAP_SIDES; s++)
			c->names[*n].present[s] |= f->records[s] != NULL;
	}
}

static bool
overlap_compare_rest(struct overlap_job *c, int side)
{
	for (size_t i = 0; i < c->table->sides[side].size; i++) {
		const struct diff_function *f = overlap_unmatched_function(c,
		    side, i);

		if (f != NULL && !overlap_compare_unmatched(c, side, f,
		    &c->names[*id_map_find(&c->guids, f->symbol.guid)]))
			return false;
	}
	return true;
}

bool
overlap_compare(const struct diff_table *t, bool context_sensitive,
    struct overlap *out, overlap_visit *report, void *arg)
{
	struct overlap_job c = { .table = t, .out = out, .report = report,
	    .arg = arg, .context_sensitive = context_sensitive };
	bool done;

	*out = (struct overlap){ .common = 0 };
	overlap_sum_side(&c, OVERLAP_A);
	overlap_sum_side(&c, OVERLAP_B);
	if (!t->as_llvm)
		overlap_round_sums(out);
	done = overlap_compare_matched(&c) &&
	    overlap_sum_names(&c, OVERLAP_A) &&
	    overlap_sum_names(&c, OVERLAP_B);
	if (done)
		overlap_mark_names(&c);
	done = done && overlap_compare_rest(&c, OVERLAP_A) &&
	    overlap_compare_rest(&c, OVERLAP_B);
	id_map_free(&c.guids);
	free(c.names);
	return done;
}

/* Changes that are collected at least before the largest ones are chosen. */
enum { SORTED_AT_ONCE = 1024 };

static int
changes_by_drift(const void *a, const void *b)
{
	const struct overlap_change *x = a, *y = b;
	const struct diff_function *f = diff_change_function(x);
	const struct diff_function *g = diff_change_function(y);
	double dx = overlap_drift(x->share), dy = overlap_drift(y->share);
	int order;

	if (dx > dy || dx < dy)
		return dx > dy ? -1 : 1;
	order = prof_span_compare(f->symbol.name, g->symbol.name);
	if (order == 0)
		order = compare_u64(f->symbol.guid, g->symbol.guid);
	return order != 0 ? order : compare_u64(f->hash, g->hash);
}

void
diff_changes_sort(struct diff_changes *l)
{
	if (l->size > 1)
		qsort(l->items, l->size, sizeof(*l->items), changes_by_drift);
	if (l->size < l->most)
		return;
	l->size = l->most;
	l->full = true;
}

/* Functions without a count on either side are no part of any profile. */
static bool
changes_are_equal(const struct diff_changes *l, const struct overlap_change *c)
{
	return c->state == OVERLAP_CHANGED && !(overlap_drift(c->share) > 0) &&
	    !(l->equal && c->share[OVERLAP_A] > 0);
}

bool
diff_changes_add(void *list, const struct overlap_change *c)
{
	struct diff_changes *l = list;

	if (changes_are_equal(l, c))
		return true;
	if (l->full && (l->most == 0 ||
	    changes_by_drift(&l->items[l->most - 1], c) < 0))
		return true;
	if (l->size >= SORTED_AT_ONCE && l->size / 2 >= l->most)
		diff_changes_sort(l);
	return ARRAY_ADD(l->items, l->size, l->room, *c);
}

void
diff_changes_free(struct diff_changes *l)
{
	free(l->items);
	*l = (struct diff_changes){ .items = NULL };
}
