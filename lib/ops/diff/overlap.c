#include "ops/diff/overlap.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/id_map.h"
#include "ops/diff/pair.h"

struct overlap_job {
	const struct diff_table *table;
	bool context_sensitive;
	struct overlap_pairs pairs;
	struct id_map guids;		/* indices of names */
	struct overlap_name *names;
	size_t size, room;
};

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

		if (r != NULL)
			overlap_add_record(c->pairs.out, side, r);
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
		    !overlap_compare_pair(&c->pairs, f))
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

/* The name with that guid, added if it is new.  NULL: no memory. */
static struct overlap_name *
overlap_add_name(struct overlap_job *c, uint64_t guid)
{
	uint64_t *n;

	if (!ARRAY_ROOM(c->names, c->size, c->room) ||
	    (n = id_map_add(&c->guids, guid, c->size)) == NULL)
		return NULL;
	if (*n == c->size)
		c->names[c->size++] = (struct overlap_name){ .count = { 0 } };
	return &c->names[*n];
}

/* Sums up, for each name, the functions of a side without match. */
static bool
overlap_sum_names(struct overlap_job *c, int side)
{
	for (size_t i = 0; i < c->table->sides[side].size; i++) {
		const struct diff_function *f = overlap_unmatched_function(c,
		    side, i);
		struct overlap_name *n;

		if (f == NULL)
			continue;
		n = overlap_add_name(c, f->symbol.guid);
		if (n == NULL)
			return false;
		overlap_note_unmatched(n, side, f);
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

		if (f != NULL && !overlap_compare_unmatched(&c->pairs, side, f,
		    &c->names[*id_map_find(&c->guids, f->symbol.guid)]))
			return false;
	}
	return true;
}

static bool
overlap_compare_class(struct overlap_job *c)
{
	overlap_sum_side(c, OVERLAP_A);
	overlap_sum_side(c, OVERLAP_B);
	if (!c->table->as_llvm)
		overlap_round_sums(c->pairs.out);
	if (!overlap_compare_matched(c) || !overlap_sum_names(c, OVERLAP_A) ||
	    !overlap_sum_names(c, OVERLAP_B))
		return false;
	overlap_mark_names(c);
	return overlap_compare_rest(c, OVERLAP_A) &&
	    overlap_compare_rest(c, OVERLAP_B);
}

bool
overlap_compare(const struct diff_table *t, bool context_sensitive,
    struct overlap *out, overlap_visit *report, void *arg)
{
	struct overlap_job c = { .table = t, .pairs = { out, report, arg },
	    .context_sensitive = context_sensitive };
	bool done;

	*out = (struct overlap){ .common = 0 };
	done = overlap_compare_class(&c);
	id_map_free(&c.guids);
	free(c.names);
	return done;
}
