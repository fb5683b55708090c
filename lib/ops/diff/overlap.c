#include "ops/diff/overlap.h"

#include <math.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "model/releases.h"
#include "model/summary.h"
#include "ops/diff/orphans.h"

#define OVERLAP_WORD(id, word, limit, meaning) \
	[OVERLAP_##id] = { word, limit, meaning },

const struct overlap_word overlap_words[OVERLAP_STATES_SIZE] = {
	OVERLAP_STATES(OVERLAP_WORD)
};

/* Changes that are collected at least before the largest ones are chosen. */
enum { SORTED_AT_ONCE = 1024 };

/* A ratio without limit, of what one side lacks, comes first. */
double
overlap_key(enum overlap_sort sort, const uint64_t count[OVERLAP_SIDES],
    const double share[OVERLAP_SIDES])
{
	uint64_t a = count[OVERLAP_OLD], b = count[OVERLAP_NEW];
	double least = (double)(a < b ? a : b), most = (double)(a < b ? b : a);

	if (sort == OVERLAP_BY_SHARE)
		return overlap_drift(share);
	if (sort == OVERLAP_BY_COUNT || a == b)
		return (double)(a < b ? b - a : a - b);
	return least < 1 ? INFINITY : most / least - 1;
}

static int
changes_by_key(const void *a, const void *b)
{
	const struct overlap_change *x = a, *y = b;
	const struct diff_function *f = diff_change_function(x);
	const struct diff_function *g = diff_change_function(y);
	double dx = x->key, dy = y->key;
	int order;

	if (!(dx > dy || dx < dy)) {
		dx = overlap_drift(x->share);
		dy = overlap_drift(y->share);
	}
	if (dx > dy || dx < dy)
		return dx > dy ? -1 : 1;
	order = prof_span_compare(f->symbol.name, g->symbol.name);
	if (order == 0)
		order = compare_u64(f->symbol.guid, g->symbol.guid);
	return order != 0 ? order : compare_u64(f->hash, g->hash);
}

static void
changes_sort(struct diff_changes *l)
{
	if (l->size > 1)
		qsort(l->items, l->size, sizeof(*l->items), changes_by_key);
	if (l->size < l->most)
		return;
	l->size = l->most;
	l->full = true;
}

static bool
changes_add(struct diff_changes *l, struct overlap_change *c, bool binary)
{
	c->key = overlap_key(l->sort, c->count, c->share);
	/* Functions without a count on either side are no part of a profile. */
	if (c->state >= OVERLAP_CHANGED && (binary || !(c->key > 0)) &&
	    !(l->equal && c->share[OVERLAP_OLD] > 0))
		return true;
	if (l->full && (l->most == 0 ||
	    changes_by_key(&l->items[l->most - 1], c) < 0))
		return true;
	if (l->size >= SORTED_AT_ONCE && l->size / 2 >= l->most)
		changes_sort(l);
	return ARRAY_ADD(l->items, l->size, l->room, *c);
}

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
 * have, then those of OLD and those of NEW without a match.
 */
struct overlap_job {
	const struct diff_table *table;
	bool context_sensitive;
	struct overlap *out;
	struct diff_changes *changes;	/* or NULL */
	struct summary_thresholds thresholds[OVERLAP_SIDES];
	struct orphan_twin *twins;	/* by index of functions */
	struct orphan *orphans;
	size_t orphans_size, orphans_room;
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
			    m->sum[OVERLAP_OLD], m->sum[OVERLAP_NEW]));
	}
}

static bool
overlap_report(struct overlap_job *c, struct overlap_change *change)
{
	double *share = change->share;

	for (int s = 0; s < OVERLAP_SIDES; s++)
		share[s] = overlap_share(change->count[s],
		    c->out->counts.sum[s]);
	/* A function of a binary has no counts to compare. */
	if (c->table->binary && change->state > OVERLAP_RENAMED &&
	    change->function[OVERLAP_NEW] != NULL)
		change->state = OVERLAP_UNCHANGED;
	else if (change->state == OVERLAP_UNCHANGED &&
	    overlap_drift(share) > 0)
		change->state = OVERLAP_CHANGED;
	overlap_add_state(c->out, change->state, share);
	return c->changes == NULL ||
	    changes_add(c->changes, change, c->table->binary);
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
	const struct diff_record *a = f->records[OVERLAP_OLD];
	const struct diff_record *b = f->records[OVERLAP_NEW];
	struct overlap_shares shares = { 0, 0 };

	overlap_add_counts(&shares, a, b, (double)diff_count_sum(a),
	    (double)diff_count_sum(b));
	return shares.sum;
}

/* Adds a record of NEW to the shares without overlap. */
static void
overlap_add_unmatched(struct overlap *o, const struct diff_record *r,
    bool unique)
{
	uint64_t count = diff_count_sum(r);
	/* LLVM ignores functions of NEW that never ran, with their values. */
	bool unused = !unique && count == 0;

	for (int k = -1; !unused && k < PROF_VALUE_KINDS; k++) {
		struct overlap_measure *m = k < 0 ? &o->counts : &o->values[k];

		overlap_shares_add(unique ? &m->unique : &m->mismatched,
		    overlap_share(k < 0 ? count : diff_value_sum(r, k),
		    m->sum[OVERLAP_NEW]));
	}
	*(unique ? &o->unique : &o->mismatched) += 1;
	o->unused += unused;
}

/* The state of a function that at most one side has run. */
static enum overlap_state
overlap_state_of_counts(const uint64_t count[OVERLAP_SIDES])
{
	return count[OVERLAP_OLD] != 0 ? OVERLAP_NO_LONGER_RUN :
	    count[OVERLAP_NEW] != 0 ? OVERLAP_NEWLY_RUN : OVERLAP_UNCHANGED;
}

static bool
overlap_is_hot(const struct overlap_job *c, int side,
    const struct diff_record *r)
{
	uint64_t max = 0;

	for (size_t i = 0; i < r->counts_size; i++)
		max = r->counts[i] > max ? r->counts[i] : max;
	return summary_classify(&c->thresholds[side], max) == SUMMARY_HOT;
}

/* The state of a function that both sides have, with these sums of counts. */
static enum overlap_state
overlap_state_of(const struct overlap_job *c, const struct diff_function *f,
    const uint64_t count[OVERLAP_SIDES])
{
	bool old, new;

	if (count[OVERLAP_OLD] == 0 || count[OVERLAP_NEW] == 0)
		return overlap_state_of_counts(count);
	old = overlap_is_hot(c, OVERLAP_OLD, f->records[OVERLAP_OLD]);
	new = overlap_is_hot(c, OVERLAP_NEW, f->records[OVERLAP_NEW]);
	return old == new ? OVERLAP_UNCHANGED :
	    new ? OVERLAP_BECAME_HOT : OVERLAP_BECAME_COLD;
}

/* Adds the common share of counters and values. */
static void
overlap_add_fitting(struct overlap_job *c, const struct diff_record *a,
    const struct diff_record *b)
{
	struct overlap_measure *m = &c->out->counts;

	overlap_add_counts(&m->overlap, a, b, m->sum[OVERLAP_OLD],
	    m->sum[OVERLAP_NEW]);
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < diff_sites_size(a, k); i++)
			overlap_compare_site(&a->sites[k][i], &b->sites[k][i],
			    &c->out->values[k]);
	}
}

/* Compares a function that both sides have. */
static bool
overlap_compare_pair(struct overlap_job *c, const struct diff_function *f)
{
	const struct diff_record *a = f->records[OVERLAP_OLD];
	const struct diff_record *b = f->records[OVERLAP_NEW];
	struct overlap_change change = { .state = OVERLAP_STALE,
	    .function = { f, f },
	    .count = { diff_count_sum(a), diff_count_sum(b) } };

	if (diff_records_fit(a, b)) {
		c->out->common++;
		if (!a->hash_only)
			overlap_add_fitting(c, a, b);
		change.state = overlap_state_of(c, f, change.count);
	} else
		overlap_add_unmatched(c->out, b, false);
	return overlap_report(c, &change);
}

/*
 * Reports all stale records of a name as one change, at the one that stands for
 * them: that of NEW, if it has some.
 */
static bool
overlap_report_stale(struct overlap_job *c, int side,
    const struct diff_function *f, const struct overlap_name *n)
{
	const struct diff_function *old = n->first[OVERLAP_OLD];
	const struct diff_function *new = n->first[OVERLAP_NEW];
	struct overlap_change change = { .state = OVERLAP_STALE };

	for (int s = 0; s < OVERLAP_SIDES; s++) {
		change.function[s] = n->first[s];
		change.count[s] = n->count[s];
	}
	if ((side == OVERLAP_OLD && new != NULL) || change.function[side] != f)
		return true;
	c->out->masked += old != NULL && new != NULL &&
	    !c->table->sides[side].ir &&
	    ((old->hash ^ new->hash) & FRONTEND_HASH_MASK) == 0;
	return overlap_report(c, &change);
}

/*
 * Adds a function without match to the result, once all of its name are noted.
 */
static bool
overlap_compare_unmatched(struct overlap_job *c, int side,
    const struct diff_function *f, const struct overlap_name *n)
{
	struct overlap_change change = { .count = { 0 } };
	const struct orphan_twin *twin;
	const int other = OVERLAP_NEW - side;

	if (side == OVERLAP_NEW)
		overlap_add_unmatched(c->out, f->records[side],
		    !n->present[OVERLAP_OLD]);
	if (n->present[other])
		return overlap_report_stale(c, side, f, n);
	twin = &c->twins[f - c->table->functions];
	if (side == OVERLAP_OLD && twin->function != NULL)
		return true;
	change.function[side] = f;
	change.function[other] = twin->function;
	for (int s = 0; s < OVERLAP_SIDES; s++) {
		if (change.function[s] != NULL)
			change.count[s] = diff_count_sum(
			    change.function[s]->records[s]);
	}
	/* What only the binary has, or what never ran, is left out. */
	if (c->table->binary && twin->function == NULL &&
	    change.count[OVERLAP_OLD] == 0)
		return true;
	change.state = twin->function == NULL ?
	    overlap_state_of_counts(change.count) :
	    twin->moved ? OVERLAP_MOVED : OVERLAP_RENAMED;
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
	for (size_t i = 0; i < c->table->sides[OVERLAP_NEW].size; i++) {
		const struct diff_function *f = diff_table_function(c->table,
		    OVERLAP_NEW, i);

		if (overlap_record(c, OVERLAP_NEW, i) != NULL &&
		    f->records[OVERLAP_OLD] != NULL &&
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
	    f->records[OVERLAP_NEW - side] == NULL ? f : NULL;
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

/* Finds the twins of the functions whose names are on one side. */
static bool
overlap_pair(struct overlap_job *c)
{
	for (int side = 0; side < OVERLAP_SIDES; side++) {
		for (size_t i = 0; i < c->table->sides[side].size; i++) {
			const struct diff_function *f =
			    overlap_unmatched_function(c, side, i);

			if (f != NULL && !c->names[*id_map_find(&c->guids,
			    f->symbol.guid)].present[OVERLAP_NEW - side] &&
			    !ARRAY_ADD(c->orphans, c->orphans_size,
			    c->orphans_room, orphan_of(f, side)))
				return false;
		}
	}
	c->twins = calloc(c->table->size + 1, sizeof(*c->twins));
	if (c->twins == NULL)
		return false;
	orphans_pair(c->orphans, c->orphans_size, c->table, c->twins);
	return true;
}

/* The limits of hot and cold counters on each side. */
static bool
overlap_classify(struct overlap_job *c)
{
	bool done = true;

	for (int side = 0; side < OVERLAP_SIDES && done; side++) {
		struct summary s = { .functions = 0 };

		for (size_t i = 0; i < c->table->sides[side].size; i++) {
			const struct diff_record *r = overlap_record(c, side,
			    i);

			if (r != NULL)
				summary_add(&s, r->counts, r->counts_size,
				    SUMMARY_SKIP_RECORD);
		}
		done = summary_thresholds(&s, &c->thresholds[side]);
		summary_free(&s);
	}
	return done;
}

bool
overlap_compare(const struct diff_table *t, bool context_sensitive,
    struct overlap *out, struct diff_changes *changes)
{
	struct overlap_job c = { .table = t, .out = out,
	    .changes = changes, .context_sensitive = context_sensitive };
	bool done;

	*out = (struct overlap){ .common = 0 };
	overlap_sum_side(&c, OVERLAP_OLD);
	overlap_sum_side(&c, OVERLAP_NEW);
	if (!t->as_llvm)
		overlap_round_sums(out);
	done = (changes == NULL || overlap_classify(&c)) &&
	    overlap_compare_matched(&c) &&
	    overlap_sum_names(&c, OVERLAP_OLD) &&
	    overlap_sum_names(&c, OVERLAP_NEW);
	if (done)
		overlap_mark_names(&c);
	done = done && overlap_pair(&c) &&
	    overlap_compare_rest(&c, OVERLAP_OLD) &&
	    overlap_compare_rest(&c, OVERLAP_NEW);
	id_map_free(&c.guids);
	if (done && changes != NULL)
		changes_sort(changes);
	free(c.names);
	free(c.orphans);
	free(c.twins);
	return done;
}

void
diff_changes_free(struct diff_changes *l)
{
	free(l->items);
	*l = (struct diff_changes){ .items = NULL };
}
