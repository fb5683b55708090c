#include "merge/functions/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/*
 * (count * times + parts / 2) / parts by long division in digits of 32 bits:
 * neither factor of a fraction is larger than that.
 */
static uint64_t
weigh_fraction(const struct merge_factor *w, uint64_t count)
{
	uint64_t low = (count & UINT32_MAX) * w->times + w->parts / 2;
	uint64_t high = (count >> 32) * w->times + (low >> 32);
	uint64_t rest = high % w->parts, quotient = high / w->parts;

	if (quotient > UINT32_MAX)
		return UINT64_MAX;
	rest = rest << 32 | (low & UINT32_MAX);
	return quotient << 32 | rest / w->parts;
}

uint64_t
merge_weigh(const struct merge_factor *w, uint64_t count)
{
	uint64_t product;

	if (w->parts == 1)
		return mul_u64(count, w->times, &product) ? product :
		    UINT64_MAX;
	product = weigh_fraction(w, count);
	return product == 0 && count != 0 ? 1 : product;
}

uint64_t
saturating_add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return add_u64(a, b, &sum) ? sum : UINT64_MAX;
}

bool
merge_keep_name(struct symtab *names, struct arena *a, struct prof_span name,
    uint64_t guid, struct prof_span *kept)
{
	const struct prof_symbol *symbol = NULL;
	size_t known = SYMTAB_NONE;

	if (name.data == NULL)
		return true;
	if (a != NULL) {
		lock_for_reading(names->lock);
		known = symtab_find(names, guid, NULL);
		if (known != SYMTAB_NONE && kept != NULL)
			*kept = names->symbols[known].name;
		lock_release(names->lock);
		if (known != SYMTAB_NONE)
			return true;
		name = arena_copy(a, name);
	}
	lock_for_writing(names->lock);
	if (name.data != NULL)
		symbol = symtab_put(names, name, guid);
	if (symbol != NULL && kept != NULL)
		*kept = symbol->name;
	lock_release(names->lock);
	return symbol != NULL;
}

static bool
copy_site(struct merge_site *to, const struct prof_site *from,
    const struct merge_factor *w, struct arena *a)
{
	to->size = to->room = from->size;
	to->pairs = arena_array(a, from->size, sizeof(*to->pairs));
	if (to->pairs == NULL)
		return false;
	for (size_t i = 0; i < from->size; i++)
		to->pairs[i] = (struct merge_pair){ from->values[i].value,
		    merge_weigh(w, from->values[i].count) };
	return true;
}

static bool
keep_names(const struct prof_site *site, int kind,
    const struct merge_values_to *to)
{
	for (size_t i = 0; i < site->size && kind != PROF_MEM_OP_SIZE; i++) {
		const struct prof_value *v = &site->values[i];
		struct prof_span name = to->block == NULL ? v->name :
		    prof_block_name(to->block, v);

		if (!merge_keep_name(to->names, to->names_last ? NULL :
		    to->arena, name, v->value, NULL))
			return false;
	}
	return true;
}

/* Targets without name, external ones apart: their names may yet come. */
static bool
has_unnamed(const struct prof_site *site, int kind,
    const struct merge_values_to *to)
{
	for (size_t i = 0; i < site->size && kind != PROF_MEM_OP_SIZE; i++) {
		const struct prof_value *v = &site->values[i];

		if (v->value != 0 && v->name.data == NULL &&
		    (to->block == NULL ||
		    prof_block_name(to->block, v).data == NULL))
			return true;
	}
	return false;
}

bool
merge_values_new(struct merge_values **out,
    const struct prof_sites sites[PROF_VALUE_KINDS],
    const struct merge_factor *w, const struct merge_values_to *to)
{
	struct merge_values *v;
	size_t total = 0;

	*out = NULL;
	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		total += sites[k].size;
	if (total == 0)
		return true;
	v = arena_alloc(to->arena, sizeof(*v));
	if (v == NULL)
		return false;
	*v = (struct merge_values){ 0 };
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		v->size[k] = sites[k].size;
		v->sites[k] = arena_array(to->arena, v->size[k],
		    sizeof(*v->sites[k]));
		if (v->sites[k] == NULL)
			return false;
		for (size_t i = 0; i < v->size[k]; i++) {
			const struct prof_site *site = &sites[k].sites[i];

			if (!copy_site(&v->sites[k][i], site, w, to->arena) ||
			    !keep_names(site, k, to))
				return false;
			v->unnamed = v->unnamed || has_unnamed(site, k, to);
		}
	}
	*out = v;
	return true;
}

typedef int compare_pairs(const void *, const void *);

static int
by_value(const void *a, const void *b)
{
	const struct merge_pair *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	return (x->count < y->count) - (x->count > y->count);
}

static int
by_value_only(const void *a, const void *b)
{
	const struct merge_pair *x = a, *y = b;

	return (x->value > y->value) - (x->value < y->value);
}

static int
by_count(const void *a, const void *b)
{
	const struct merge_pair *x = a, *y = b;

	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return (x->value > y->value) - (x->value < y->value);
}

/* Keeps the order of what is equal. */
static void
sort_few(struct merge_pair *p, size_t n, compare_pairs *compare)
{
	for (size_t i = 1; i < n; i++) {
		struct merge_pair x = p[i];
		size_t k = i;

		for (; k > 0 && compare(&p[k - 1], &x) > 0; k--)
			p[k] = p[k - 1];
		p[k] = x;
	}
}

/* Most sites have a handful of values; qsort would cost more than it saves. */
static void
sort_pairs(struct merge_pair *p, size_t n, compare_pairs *compare)
{
	if (n > 32)
		qsort(p, n, sizeof(*p), compare);
	else
		sort_few(p, n, compare);
}

void
merge_values_sort(struct merge_values *v)
{
	for (int k = 0; v != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < v->size[k]; i++)
			sort_pairs(v->sites[k][i].pairs,
			    v->sites[k][i].size, by_value);
	}
}

static uint64_t
combine(uint64_t a, uint64_t b, enum merge_how how)
{
	if (how == MERGE_LARGER)
		return a > b ? a : b;
	return saturating_add(a, b);
}

/* Values of `from` that `into` does not have; adds those that it has. */
static size_t
add_known(struct merge_site *into, struct merge_pair *from, size_t n,
    enum merge_how how)
{
	size_t i = 0, fresh = 0;

	for (size_t k = 0; k < n; k++) {
		while (i < into->size && into->pairs[i].value < from[k].value)
			i++;
		if (i < into->size && into->pairs[i].value == from[k].value) {
			into->pairs[i].count = combine(into->pairs[i].count,
			    from[k].count, how);
			i++;
		} else
			from[fresh++] = from[k];
	}
	return fresh;
}

/* Merges from the back, so that it can be done in place. */
static bool
add_fresh(struct merge_site *into, const struct merge_pair *from, size_t n,
    struct arena *a)
{
	size_t old = into->size, total = old + n;

	if (total > into->room) {
		size_t room = total + total / 2;
		struct merge_pair *p = arena_array(a, room, sizeof(*p));

		if (p == NULL)
			return false;
		if (old != 0)
			memcpy(p, into->pairs, old * sizeof(*p));
		into->pairs = p;
		into->room = room;
	}
	into->size = total;
	while (n > 0) {
		if (old > 0 &&
		    by_value(&into->pairs[old - 1], &from[n - 1]) > 0)
			into->pairs[--total] = into->pairs[--old];
		else
			into->pairs[--total] = from[--n];
	}
	return true;
}

/* LLVM's sort is not stable in larger sites. */
enum { MOST_AS_ARRIVED = 256 };

/* How values are added. */
struct how {
	const struct merge_factor *factor;
	enum merge_how combine;
};

/* The only pair of that value; -1 if there is none, or another. */
static int
only_pair(const struct merge_site *s, uint64_t value)
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

/* Values of most sites are few, and known.  False, and nothing done, if not. */
static bool
add_few(struct merge_site *into, const struct prof_site *site,
    const struct how *how)
{
	enum { FEW = 8 };
	int pairs[FEW];
	unsigned met = 0;

	if (site->size > FEW || into->size > FEW)
		return false;
	for (size_t i = 0; i < site->size; i++) {
		pairs[i] = only_pair(into, site->values[i].value);
		if (pairs[i] < 0 || (met & 1U << pairs[i]) != 0)
			return false;
		met |= 1U << pairs[i];
	}
	for (size_t i = 0; i < site->size; i++) {
		uint64_t *count = &into->pairs[pairs[i]].count;

		*count = combine(*count, merge_weigh(how->factor,
		    site->values[i].count), how->combine);
	}
	return true;
}

static bool
add_site(struct merge_values *v, struct merge_site *into,
    const struct prof_site *site, int kind, const struct how *how,
    const struct merge_values_to *to)
{
	bool in_order = v->as_arrived && site->size <= MOST_AS_ARRIVED &&
	    into->size <= MOST_AS_ARRIVED;
	struct merge_site from;
	size_t fresh;

	if (add_few(into, site, how))
		return !v->unnamed || keep_names(site, kind, to);
	arena_reset(to->scratch);
	if (!copy_site(&from, site, how->factor, to->scratch))
		return false;
	if (in_order)
		sort_few(from.pairs, from.size, by_value_only);
	else
		sort_pairs(from.pairs, from.size, by_value);
	fresh = add_known(into, from.pairs, from.size, how->combine);
	if ((fresh != 0 || v->unnamed) && !keep_names(site, kind, to))
		return false;
	if (fresh != 0 && !add_fresh(into, from.pairs, fresh, to->arena))
		return false;
	v->unnamed = v->unnamed || (fresh != 0 && has_unnamed(site, kind, to));
	if (in_order)
		sort_pairs(into->pairs, into->size, by_value);
	return true;
}

bool
merge_values_add(struct merge_values *into,
    const struct prof_sites sites[PROF_VALUE_KINDS],
    const struct merge_factor *w, enum merge_how combine,
    const struct merge_values_to *to)
{
	struct how how = { .factor = w, .combine = combine };

	for (int k = 0; into != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < into->size[k]; i++) {
			const struct prof_site *site = &sites[k].sites[i];

			if (site->size != 0 && !add_site(into,
			    &into->sites[k][i], site, k, &how, to))
				return false;
		}
	}
	return true;
}

bool
merge_values_names(const struct prof_sites sites[PROF_VALUE_KINDS],
    const struct merge_values_to *to)
{
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < sites[k].size; i++) {
			if (!keep_names(&sites[k].sites[i], k, to))
				return false;
		}
	}
	return true;
}

static void
subtract_site(struct merge_site *from, const struct merge_site *less)
{
	size_t kept = 0;

	for (size_t i = 0, k = 0; i < from->size; i++) {
		struct merge_pair p = from->pairs[i];

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
merge_values_subtract(struct merge_values *from,
    const struct merge_values *less)
{
	for (int k = 0; from != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < from->size[k]; i++)
			subtract_site(&from->sites[k][i], &less->sites[k][i]);
	}
}

/* A stable order by count, for sites whose ties keep their order. */
static bool
sort_stable(struct merge_pair *p, size_t n, struct arena *a)
{
	struct merge_pair *from = p, *to = arena_array(a, n, sizeof(*p));

	if (to == NULL)
		return false;
	for (size_t width = 1; width < n; width *= 2) {
		struct merge_pair *swap = from;

		for (size_t start = 0; start < n; start += 2 * width) {
			size_t middle = start + width < n ? start + width : n;
			size_t end = middle + width < n ? middle + width : n;
			size_t i = start, k = middle, o = start;

			while (i < middle || k < end) {
				bool first = k == end || (i < middle &&
				    from[i].count >= from[k].count);

				to[o++] = first ? from[i++] : from[k++];
			}
		}
		from = to;
		to = swap;
	}
	if (from != p)
		memcpy(p, from, n * sizeof(*p));
	return true;
}

static bool
get_site(const struct merge_site *s, bool merged, enum prof_value_kind kind,
    const struct symtab *names, struct arena *a, struct prof_site *out)
{
	struct merge_pair *p = arena_array(a, s->size, sizeof(*p));
	struct prof_value *v = arena_array(a, s->size, sizeof(*v));

	if (p == NULL || v == NULL)
		return false;
	if (s->size != 0)
		memcpy(p, s->pairs, s->size * sizeof(*p));
	if (merged)
		sort_pairs(p, s->size, by_count);
	else if (!sort_stable(p, s->size, a))
		return false;
	for (size_t i = 0; i < s->size; i++) {
		v[i] = (struct prof_value){ p[i].value, p[i].count,
		    { NULL, 0 } };
		if (kind != PROF_MEM_OP_SIZE)
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
			if (!get_site(&v->sites[k][i], merged,
			    (enum prof_value_kind)k, names, a, &sites[i]))
				return false;
		}
		out[k] = (struct prof_sites){ sites, n };
	}
	return true;
}
