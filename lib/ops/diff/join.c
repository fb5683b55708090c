#include "ops/diff/join.h"

#include <stdlib.h>

#include "base/error.h"
#include "ops/diff/pair.h"

enum { CLASSES = 2 };

struct join {
	struct prof_lookup *const *sides;
	bool ir;
	struct overlap_pairs pairs[CLASSES];
	const struct diff_join_watch *watch;
	struct arena arena;		/* of the functions of one name */
	int side;			/* being walked */
};

/* A record of a name, for a search by hash. */
struct join_record {
	uint64_t hash;
	const struct prof_function *function;
};

/* The functions of a name on one side, sorted by hash; most names have one. */
struct join_records {
	const struct join_record *items;	/* or &one */
	size_t size;
	struct join_record one;
};

static int
join_by_hash(const void *a, const void *b)
{
	const struct join_record *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* False if out of memory. */
static bool
join_sort(struct join *j, const struct prof_named *n,
    struct join_records *out)
{
	struct join_record *items = n->size == 1 ? &out->one :
	    arena_array(&j->arena, n->size, sizeof(*items));

	if (items == NULL)
		return false;
	for (size_t i = 0; i < n->size; i++)
		items[i] = (struct join_record){ n->functions[i].hash,
		    &n->functions[i] };
	if (n->size > 1)
		qsort(items, n->size, sizeof(*items), join_by_hash);
	out->items = items;
	out->size = n->size;
	return true;
}

static const struct prof_function *
join_find(const struct join_records *r, uint64_t hash)
{
	const struct join_record key = { .hash = hash }, *found;

	if (r->size == 1)
		return r->items->hash == hash ? r->items->function : NULL;
	found = r->size == 0 ? NULL : bsearch(&key, r->items, r->size,
	    sizeof(key), join_by_hash);
	return found == NULL ? NULL : found->function;
}

static int
join_class(const struct join *j, const struct prof_function *f)
{
	return diff_context_sensitive(j->ir, f->hash);
}

/* A function with the record of a side; NULL if out of memory. */
static struct diff_function *
join_function(struct join *j, int side, const struct prof_function *from)
{
	struct diff_function *f = arena_alloc(&j->arena, sizeof(*f));

	if (f == NULL)
		return NULL;
	*f = (struct diff_function){ .symbol = from->symbol,
	    .hash = from->hash, .context_sensitive = join_class(j, from) };
	f->records[side] = diff_record_borrow(&j->arena, from);
	return f->records[side] == NULL ? NULL : f;
}

static bool
join_compare_pair(struct join *j, const struct prof_function *a,
    const struct prof_function *b)
{
	struct diff_function *f = join_function(j, OVERLAP_B, b);

	if (f == NULL)
		return false;
	f->records[OVERLAP_A] = diff_record_borrow(&j->arena, a);
	return f->records[OVERLAP_A] != NULL &&
	    overlap_compare_pair(&j->pairs[join_class(j, b)], f);
}

/* The functions of one name on both sides. */
struct join_name {
	const struct prof_named *own;	/* of the side that is walked */
	struct join_records records[OVERLAP_SIDES];
	struct overlap_name classes[CLASSES];
};

/*
 * Notes the functions of a side without match, in the order of the profile, in
 * an array of as many as the side has, where it is NULL for all others.
 */
static struct diff_function **
join_note(struct join *j, struct join_name *n, int side,
    const struct prof_named *from)
{
	struct diff_function **found = arena_array(&j->arena, from->size,
	    sizeof(struct diff_function *));

	for (size_t i = 0; found != NULL && i < from->size; i++) {
		const struct prof_function *f = &from->functions[i];
		struct overlap_name *class = &n->classes[join_class(j, f)];

		class->present[side] = true;
		found[i] = NULL;
		if (join_find(&n->records[OVERLAP_B - side], f->hash) != NULL)
			continue;
		found[i] = join_function(j, side, f);
		if (found[i] == NULL)
			return NULL;
		overlap_note_unmatched(class, side, found[i]);
	}
	return found;
}

/* Adds the functions without match of the side that is walked. */
static bool
join_compare_rest(struct join *j, struct join_name *n,
    const struct prof_named *other)
{
	struct diff_function **found = join_note(j, n, j->side, n->own);

	if (found == NULL || join_note(j, n, OVERLAP_B - j->side, other) ==
	    NULL)
		return false;
	for (size_t i = 0; i < n->own->size; i++) {
		int class = join_class(j, &n->own->functions[i]);

		if (found[i] != NULL && !overlap_compare_unmatched(
		    &j->pairs[class], j->side, found[i], &n->classes[class]))
			return false;
	}
	return true;
}

/* Pairs are compared as B is walked. */
static bool
join_compare_name(struct join *j, const struct prof_named *own,
    const struct prof_named *other)
{
	struct join_name n = { .own = own };
	size_t matched = 0;

	if (!join_sort(j, own, &n.records[j->side]) ||
	    !join_sort(j, other, &n.records[OVERLAP_B - j->side]))
		return false;
	for (size_t i = 0; i < own->size; i++) {
		const struct prof_function *f = &own->functions[i], *match =
		    join_find(&n.records[OVERLAP_B - j->side], f->hash);

		if (match == NULL)
			continue;
		matched++;
		if (j->side == OVERLAP_B && !join_compare_pair(j, match, f))
			return false;
	}
	return matched == own->size || join_compare_rest(j, &n, other);
}

static enum prof_status
join_walk(struct join *j, int side, struct prof_error *err)
{
	struct prof_named own, other;
	enum prof_status status;

	j->side = side;
	prof_lookup_rewind(j->sides[OVERLAP_A]);
	prof_lookup_rewind(j->sides[OVERLAP_B]);
	while ((status = prof_lookup_next(j->sides[side], &own, err)) ==
	    PROF_OK) {
		status = prof_lookup_find(j->sides[OVERLAP_B - side],
		    &own.symbol, &other, err);
		if (status == PROF_FAIL)
			return PROF_FAIL;
		if (status == PROF_END)
			other = (struct prof_named){ .size = 0 };
		arena_reset(&j->arena);
		j->watch->name(j->watch->arg, own.size, true);
		if (!join_compare_name(j, &own, &other))
			return err_memory(err);
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

/* A prof_visit_named: adds functions to the sums of the side. */
static enum prof_status
join_sum(void *arg, const struct prof_named *n, struct prof_error *err)
{
	struct join *j = arg;

	j->watch->name(j->watch->arg, n->size, false);
	for (size_t i = 0; i < n->size; i++) {
		const struct prof_function *f = &n->functions[i];

		if ((uint32_t)f->counts_size != f->counts_size)
			return err_set(err, PROF_E_LIMIT, "a function has %zu "
			    "counters: too many to compare", f->counts_size);
		overlap_add_function(j->pairs[join_class(j, f)].out, j->side,
		    f);
	}
	return PROF_OK;
}

/* Whether some function of A has no match. */
static bool
join_has_rest(const struct join *j)
{
	for (int i = 0; i < CLASSES; i++) {
		const struct overlap *o = j->pairs[i].out;

		if (o->records[OVERLAP_A] != o->common + o->misfit)
			return true;
	}
	return false;
}

static enum prof_status
join_compare(struct join *j, struct prof_error *err)
{
	for (j->side = 0; j->side < OVERLAP_SIDES; j->side++) {
		if (prof_lookup_check(j->sides[j->side], join_sum, j, err) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	for (int i = 0; i < CLASSES; i++)
		overlap_round_sums(j->pairs[i].out);
	if (join_walk(j, OVERLAP_B, err) != PROF_OK)
		return PROF_FAIL;
	return join_has_rest(j) ? join_walk(j, OVERLAP_A, err) : PROF_OK;
}

enum prof_status
diff_join(struct prof_lookup *const sides[OVERLAP_SIDES],
    const struct diff_join_class classes[2],
    const struct diff_join_watch *watch, struct prof_error *err)
{
	enum prof_level level = prof_lookup_header(sides[OVERLAP_B])->level;
	struct join j = { .sides = sides, .ir = level == PROF_LEVEL_IR,
	    .watch = watch };
	enum prof_status status;

	for (int i = 0; i < CLASSES; i++) {
		const struct diff_join_class *c = &classes[i];

		*c->out = (struct overlap){ .common = 0 };
		j.pairs[i] = (struct overlap_pairs){ c->out, c->report,
		    c->arg };
	}
	status = join_compare(&j, err);
	arena_free(&j.arena);
	return status;
}
