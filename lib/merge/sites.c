/*
 * Value sites of functions: copied, sorted, added, subtracted, as records.
 *
 * The usual site has few values, all known to the sum, and is added in place
 * without sorting (merge_add_few_pairs).  Others are sorted by value and merged
 * with the sorted pairs of the sum.
 */
#include "merge/state.h"

#include <stdlib.h>
#include <string.h>

#include "model/value_sites.h"

static bool
merge_copy_site(struct merge_site *to, const struct prof_site *from,
    const struct merge_factor *w, struct arena *a)
{
	to->size = to->room = from->size;
	to->late = 0;
	to->pairs = arena_array(a, from->size, sizeof(*to->pairs));
	if (to->pairs == NULL)
		return false;
	for (size_t i = 0; i < from->size; i++)
		to->pairs[i] = (struct value_pair){ from->values[i].value,
		    merge_weigh(w, from->values[i].count) };
	return true;
}

static bool
merge_add_names(const struct prof_site *site, int kind,
    struct merge_worker *worker)
{
	const struct prof_block *b = worker->block;
	struct arena *a = worker->names_stay && !b->lends_targets ? NULL :
	    worker->arena;

	for (size_t i = 0; i < site->size && kind != PROF_MEM_OP_SIZE; i++) {
		const struct prof_value *v = &site->values[i];
		struct prof_span name = b == NULL ? v->name :
		    prof_block_name(b, v);

		if (!merge_add_name(&worker->merge->names, a, name, v->value,
		    NULL))
			return false;
	}
	return true;
}

/*
 * Whether a target is without name, whose name may come with a later record.
 * Value 0 stands for all external targets and never has a name.
 */
static bool
merge_has_unnamed(const struct prof_site *site, int kind,
    struct merge_worker *worker)
{
	for (size_t i = 0; i < site->size && kind != PROF_MEM_OP_SIZE; i++) {
		const struct prof_value *v = &site->values[i];

		if (v->value != 0 && v->name.data == NULL &&
		    (worker->block == NULL ||
		    prof_block_name(worker->block, v).data == NULL))
			return true;
	}
	return false;
}

bool
merge_values_new(struct merge_values **out,
    const struct prof_sites sites[PROF_VALUE_KINDS],
    const struct merge_factor *w, struct merge_worker *worker)
{
	struct merge_values *v;

	*out = NULL;
	if (value_sites_count(sites) == 0)
		return true;
	v = arena_alloc(worker->arena, sizeof(*v));
	if (v == NULL)
		return false;
	*v = (struct merge_values){ 0 };
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		v->size[k] = sites[k].size;
		v->sites[k] = arena_array(worker->arena, v->size[k],
		    sizeof(*v->sites[k]));
		if (v->sites[k] == NULL)
			return false;
		for (size_t i = 0; i < v->size[k]; i++) {
			const struct prof_site *site = &sites[k].sites[i];

			if (!merge_copy_site(&v->sites[k][i], site, w,
			    worker->arena) || !merge_add_names(site, k, worker))
				return false;
			v->unnamed = v->unnamed ||
			    merge_has_unnamed(site, k, worker);
		}
	}
	*out = v;
	return true;
}

typedef int compare_pairs(const void *, const void *);

static int
merge_compare_pairs(const void *a, const void *b)
{
	const struct value_pair *x = a, *y = b;

	return x->value != y->value ? compare_u64(x->value, y->value) :
	    compare_u64(y->count, x->count);
}

static int
merge_compare_values(const void *a, const void *b)
{
	const struct value_pair *x = a, *y = b;

	return compare_u64(x->value, y->value);
}

static int
merge_compare_counts(const void *a, const void *b)
{
	const struct value_pair *x = a, *y = b;

	return x->count != y->count ? compare_u64(y->count, x->count) :
	    compare_u64(x->value, y->value);
}

static int
merge_compare_counts_only(const void *a, const void *b)
{
	const struct value_pair *x = a, *y = b;

	return compare_u64(y->count, x->count);
}

/* Stable: equal pairs keep their order.  Calls of `compare` are inlined. */
__attribute__((always_inline)) static inline void
merge_insertion_sort(struct value_pair *p, size_t n, compare_pairs *compare)
{
	for (size_t i = 1; i < n; i++) {
		struct value_pair x = p[i];
		size_t k = i;

		for (; k > 0 && compare(&p[k - 1], &x) > 0; k--)
			p[k] = p[k - 1];
		p[k] = x;
	}
}

/* Merges sorted runs of `width` pairs in twos. */
__attribute__((always_inline)) static inline void
merge_join_runs(const struct value_pair *from, struct value_pair *to, size_t n,
    size_t width, compare_pairs *compare)
{
	for (size_t at = 0; at < n; at += 2 * width) {
		size_t a = at, a_end = n - at < width ? n : at + width;
		size_t b = a_end, b_end = n - b < width ? n : b + width;

		while (a < a_end && b < b_end)
			*to++ = compare(&from[b], &from[a]) < 0 ? from[b++] :
			    from[a++];
		while (a < a_end)
			*to++ = from[a++];
		while (b < b_end)
			*to++ = from[b++];
	}
}

/* Values of a site that are few, and those that qsort takes longer for. */
enum { VALUES_FEW = 16, VALUES_MANY = 512 };

/* Stable; `other` has room for as many pairs, if they are not few. */
__attribute__((always_inline)) static inline void
merge_sort_runs(struct value_pair *p, struct value_pair *other, size_t n,
    compare_pairs *compare)
{
	struct value_pair *from = p, *to = other;

	for (size_t i = 0; i < n; i += VALUES_FEW)
		merge_insertion_sort(p + i,
		    n - i < VALUES_FEW ? n - i : VALUES_FEW, compare);
	for (size_t width = VALUES_FEW; width < n; width *= 2) {
		struct value_pair *was = from;

		merge_join_runs(from, to, n, width, compare);
		from = to;
		to = was;
	}
	if (from != p)
		memcpy(p, from, n * sizeof(*p));
}

/* Inlined for each function that compares; stable up to VALUES_MANY. */
__attribute__((always_inline)) static inline void
merge_sort_pairs(struct value_pair *p, size_t n, compare_pairs *compare)
{
	struct value_pair other[VALUES_MANY];

	if (n > VALUES_MANY)
		qsort(p, n, sizeof(*p), compare);
	else
		merge_sort_runs(p, other, n, compare);
}

/* Stable for any number of pairs.  False if out of memory. */
static bool
merge_sort_pairs_stable(struct value_pair *p, size_t n,
    compare_pairs *compare, struct arena *a)
{
	struct value_pair *other = NULL;

	if (n > VALUES_FEW &&
	    (other = arena_array(a, n, sizeof(*p))) == NULL)
		return false;
	merge_sort_runs(p, other, n, compare);
	return true;
}

/*
 * As LLVM does behind each record: a stable sort by count, of which the first
 * values stay.  Those of a large site are sorted in turns, with those that
 * stay so far.
 */
static void
merge_cut_site(struct merge_site *s)
{
	size_t kept = 0;

	for (size_t i = 0, n; i < s->size; i += n) {
		n = s->size - i;
		if (n > VALUES_MANY - kept)
			n = VALUES_MANY - kept;
		memmove(s->pairs + kept, s->pairs + i, n * sizeof(*s->pairs));
		kept += n;
		merge_sort_pairs(s->pairs, kept, merge_compare_counts_only);
		if (kept > VALUES_SITE_MAX)
			kept = VALUES_SITE_MAX;
	}
	s->size = kept;
}

void
merge_values_sort(struct merge_values *v)
{
	for (int k = 0; v != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < v->size[k]; i++) {
			struct merge_site *s = &v->sites[k][i];

			if (v->sort != VALUE_SORT_NONE)
				merge_cut_site(s);
			else
				merge_sort_pairs(s->pairs, s->size,
				    merge_compare_pairs);
		}
	}
}

static uint64_t
merge_combine_counts(uint64_t a, uint64_t b, enum merge_how how)
{
	if (how == MERGE_LARGER)
		return a > b ? a : b;
	return saturating_add(a, b);
}

/*
 * Adds the pairs that `into` has, too, and moves the others to the front of
 * `from`.  Returns how many these are.  Both lists are sorted by value.
 */
static size_t
merge_add_known_pairs(struct value_pair *into, size_t size,
    struct value_pair *from, size_t n, enum merge_how how)
{
	size_t i = 0, fresh = 0;

	for (size_t k = 0; k < n; k++) {
		i += numbers_below(into + i, size - i, sizeof(*into),
		    from[k].value);
		if (i < size && into[i].value == from[k].value) {
			uint64_t *count = &into[i++].count;

			*count = merge_combine_counts(*count, from[k].count,
			    how);
		} else
			from[fresh++] = from[k];
	}
	return fresh;
}

static bool
merge_reserve_pairs(struct merge_site *into, size_t total, struct arena *a)
{
	size_t room = total + total / 2;
	struct value_pair *p;

	if (total <= into->room)
		return true;
	p = arena_array(a, room, sizeof(*p));
	if (p == NULL)
		return false;
	if (into->size != 0)
		memcpy(p, into->pairs, into->size * sizeof(*p));
	into->pairs = p;
	into->room = room;
	return true;
}

/*
 * Inserts sorted pairs into the list that begins at `first`, from the last one
 * on, so that it is done in place.  There is room for them.
 */
static void
merge_insert_pairs(struct merge_site *into, size_t first,
    const struct value_pair *from, size_t n)
{
	size_t old = into->size, total = old + n;

	into->size = total;
	while (n > 0) {
		if (old > first &&
		    merge_compare_pairs(&into->pairs[old - 1],
		    &from[n - 1]) > 0)
			into->pairs[--total] = into->pairs[--old];
		else
			into->pairs[--total] = from[--n];
	}
}

/* Pairs of the second list, which only larger sites than this have. */
enum { MOST_LATE = 512 };

/* Makes the lists of a site one. */
static void
merge_join_late_pairs(struct merge_site *s)
{
	struct value_pair late[MOST_LATE];
	size_t n = s->late;

	if (n == 0)
		return;
	s->size -= n;
	s->late = 0;
	memcpy(late, s->pairs + s->size, n * sizeof(*late));
	merge_insert_pairs(s, 0, late, n);
}

/*
 * Adds the sorted pairs of a record, and leaves those in it that the site did
 * not have.  A value that the record has twice may be in the first list once,
 * so that the other one must go there, too.  False if out of memory.
 */
static bool
merge_add_pairs(struct merge_site *into, struct merge_site *from,
    enum merge_how how, struct arena *a)
{
	bool twice = false;
	size_t first;

	for (size_t i = 1; into->size > MOST_LATE && i < from->size; i++)
		twice = twice || from->pairs[i - 1].value ==
		    from->pairs[i].value;
	if (twice)
		merge_join_late_pairs(into);
	first = into->size - into->late;
	from->size = merge_add_known_pairs(into->pairs, first, from->pairs,
	    from->size, how);
	from->size = merge_add_known_pairs(into->pairs + first, into->late,
	    from->pairs, from->size, how);
	if (from->size == 0)
		return true;
	if (!merge_reserve_pairs(into, into->size + from->size, a))
		return false;
	if (first > MOST_LATE && !twice &&
	    from->size <= MOST_LATE - into->late) {
		merge_insert_pairs(into, first, from->pairs, from->size);
		into->late += from->size;
		return true;
	}
	merge_join_late_pairs(into);
	merge_insert_pairs(into, 0, from->pairs, from->size);
	return true;
}

struct merge_addition {
	const struct merge_factor *factor;
	enum merge_how combine;
	struct merge_worker *worker;
};

/* The place of the only pair with that value; -1 if there is none, or two. */
static int
merge_only_pair(const struct merge_site *s, uint64_t value)
{
	int found = -1;

	for (size_t i = 0; i < s->size; i++) {
		if (s->pairs[i].value != value)
			continue;
		if (found >= 0)
			return -1;
		found = (int)i;
	}
	return found;
}

/*
 * The usual case, in which nothing is sorted: few values, all of them known,
 * and no value twice.  False, and nothing is added, in other cases.
 */
static bool
merge_add_few_pairs(struct merge_site *into, const struct prof_site *site,
    const struct merge_addition *how)
{
	enum { FEW = 8 };
	int pairs[FEW];
	unsigned seen = 0;

	if (site->size > FEW || into->size > FEW)
		return false;
	for (size_t i = 0; i < site->size; i++) {
		pairs[i] = merge_only_pair(into, site->values[i].value);
		if (pairs[i] < 0 || (seen & 1U << pairs[i]) != 0)
			return false;
		seen |= 1U << pairs[i];
	}
	for (size_t i = 0; i < site->size; i++) {
		uint64_t *count = &into->pairs[pairs[i]].count;

		*count = merge_combine_counts(*count,
		    merge_weigh(how->factor, site->values[i].count),
		    how->combine);
	}
	return true;
}

/* Sorts as LLVM sorts both sites before it adds them.  False: no memory. */
static bool
merge_sort_by_value(struct merge_site *s, enum value_sort sort,
    struct arena *scratch)
{
	if (sort == VALUE_SORT_LIST)
		return merge_sort_pairs_stable(s->pairs, s->size,
		    merge_compare_values, scratch);
	introsort(s->pairs, s->size);
	return true;
}

static bool
merge_add_site(struct merge_values *v, struct merge_site *into,
    const struct prof_site *site, int kind, const struct merge_addition *how)
{
	struct merge_worker *worker = how->worker;
	struct merge_site from;
	bool fresh;

	if (merge_add_few_pairs(into, site, how))
		return !v->unnamed || merge_add_names(site, kind, worker);
	arena_reset(worker->scratch);
	if (!merge_copy_site(&from, site, how->factor, worker->scratch))
		return false;
	if (v->sort == VALUE_SORT_NONE)
		merge_sort_pairs(from.pairs, from.size, merge_compare_pairs);
	else if (!merge_sort_by_value(&from, v->sort, worker->scratch) ||
	    !merge_sort_by_value(into, v->sort, worker->scratch))
		return false;
	if (!merge_add_pairs(into, &from, how->combine, worker->arena))
		return false;
	fresh = from.size != 0;
	if ((fresh || v->unnamed) && !merge_add_names(site, kind, worker))
		return false;
	v->unnamed = v->unnamed ||
	    (fresh && merge_has_unnamed(site, kind, worker));
	if (v->sort != VALUE_SORT_NONE)
		merge_cut_site(into);
	return true;
}

bool
merge_values_add(struct merge_values *into,
    const struct prof_sites sites[PROF_VALUE_KINDS],
    const struct merge_factor *w, enum merge_how combine,
    struct merge_worker *worker)
{
	struct merge_addition how = { w, combine, worker };

	for (int k = 0; into != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < into->size[k]; i++) {
			const struct prof_site *site = &sites[k].sites[i];

			/* LLVM sorts a site even if nothing is added. */
			if ((site->size != 0 || into->sort != VALUE_SORT_NONE)
			    && !merge_add_site(into, &into->sites[k][i], site,
			    k, &how))
				return false;
		}
	}
	return true;
}

bool
merge_values_names(const struct prof_sites sites[PROF_VALUE_KINDS],
    struct merge_worker *worker)
{
	struct value_walk walk = { 0 };
	const struct prof_site *site;

	while ((site = value_next_site(&walk, sites)) != NULL) {
		if (!merge_add_names(site, (int)walk.kind, worker))
			return false;
	}
	return true;
}

static void
merge_subtract_site(struct merge_site *from, struct merge_site *less)
{
	size_t kept = 0;

	merge_join_late_pairs(from);
	merge_join_late_pairs(less);
	for (size_t i = 0, k = 0; i < from->size; i++) {
		struct value_pair p = from->pairs[i];

		while (k < less->size && less->pairs[k].value < p.value)
			k++;
		if (k < less->size && less->pairs[k].value == p.value) {
			if (p.count <= less->pairs[k++].count)
				continue;
			p.count -= less->pairs[k - 1].count;
		}
		from->pairs[kept++] = p;
	}
	from->size = kept;
}

void
merge_values_subtract(struct merge_values *from, struct merge_values *less)
{
	for (int k = 0; from != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < from->size[k]; i++)
			merge_subtract_site(&from->sites[k][i],
			    &less->sites[k][i]);
	}
}

/* A site as records have it; names is NULL if values have no names. */
static bool
merge_get_site(const struct merge_site *s, bool merged,
    const struct symtab *names, struct arena *a, struct prof_site *out)
{
	struct value_pair *p = arena_array(a, s->size, sizeof(*p));
	struct prof_value *v = arena_array(a, s->size, sizeof(*v));

	if (p == NULL || v == NULL)
		return false;
	if (s->size != 0)
		memcpy(p, s->pairs, s->size * sizeof(*p));
	if (merged)
		merge_sort_pairs(p, s->size, merge_compare_counts);
	else if (!merge_sort_pairs_stable(p, s->size,
	    merge_compare_counts_only, a))
		return false;
	for (size_t i = 0; i < s->size; i++) {
		v[i] = (struct prof_value){ p[i].value, p[i].count,
		    { NULL, 0 } };
		if (names != NULL)
			v[i].name = symtab_name(names, p[i].value);
	}
	*out = (struct prof_site){ v, s->size };
	return true;
}

bool
merge_values_get(const struct merge_values *v, bool merged,
    const struct symtab *names, struct arena *a,
    struct prof_sites out[PROF_VALUE_KINDS])
{
	static struct prof_site none;

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		size_t n = v == NULL ? 0 : v->size[k];
		struct prof_site *sites = n == 0 ? &none :
		    arena_array(a, n, sizeof(*sites));

		if (sites == NULL)
			return false;
		for (size_t i = 0; i < n; i++) {
			if (!merge_get_site(&v->sites[k][i], merged,
			    k == PROF_MEM_OP_SIZE ? NULL : names, a,
			    &sites[i]))
				return false;
		}
		out[k] = (struct prof_sites){ sites, n };
	}
	return true;
}
