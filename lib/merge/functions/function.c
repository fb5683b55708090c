/* Records of one function become one entry, or are taken from it. */
#include <string.h>

#include "base/error.h"
#include "merge/merge.h"
#include "merge/engine.h"
#include "merge/worker.h"
#include "merge/heap/heap.h"
#include "merge/spill/spill.h"

static const struct merge_factor unscaled = { 1, 1 };

/* Counts are kept as they are, even above the largest ordinary one. */
static bool
is_one(const struct merge_factor *w)
{
	return w->times == 1 && w->parts == 1;
}

static uint64_t
cap(uint64_t count)
{
	return count < PROF_COUNT_MAX ? count : PROF_COUNT_MAX;
}

static uint64_t *
copy_counts(struct merge_worker *d, const uint64_t *counts, size_t n,
    const struct merge_factor *w, bool *saturated)
{
	bool lent = d->lent.size != 0 && counts >= d->lent.from &&
	    counts < d->lent.from + d->lent.size;
	uint64_t *p = lent ? d->lent.to + (counts - d->lent.from) :
	    arena_array(d->arena, n, sizeof(*p));

	if (p == NULL || n == 0)
		return p;
	if (!lent)
		memcpy(p, counts, n * sizeof(*p));
	for (size_t i = 0; !is_one(w) && i < n; i++) {
		p[i] = merge_weigh(w, p[i]);
		if (p[i] > PROF_COUNT_MAX)
			*saturated = true;
		p[i] = cap(p[i]);
	}
	return p;
}

/* Sums, true if none was too large. */
static bool
add_counts(uint64_t *into, const uint64_t *counts, size_t n,
    const struct merge_factor *w)
{
	uint64_t all = 0;
	bool fit = true;

	if (is_one(w)) {
		for (size_t i = 0; i < n; i++)
			all |= into[i] | counts[i];
		if (all >> 62 == 0) {
			for (size_t i = 0; i < n; i++)
				into[i] += counts[i];
			return true;
		}
	}
	for (size_t i = 0; i < n; i++) {
		uint64_t sum = saturating_add(into[i],
		    merge_weigh(w, counts[i]));

		fit = fit && sum <= PROF_COUNT_MAX;
		into[i] = cap(sum);
	}
	return fit;
}

static void
larger_counts(uint64_t *into, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (counts[i] > into[i])
			into[i] = counts[i];
	}
}

/* What two records must have in common to be added. */
struct class {
	uint64_t counts, bitmap, uniform, sites, kind_sites[PROF_VALUE_KINDS];
	uint64_t normal;
};

static int
compare_numbers(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Above 0 if class a is kept rather than b. */
static int
compare_classes(const struct class *a, const struct class *b)
{
	int order = compare_numbers(a->counts, b->counts);

	if (order == 0)
		order = compare_numbers(a->bitmap, b->bitmap);
	if (order == 0)
		order = compare_numbers(a->uniform, b->uniform);
	if (order == 0)
		order = compare_numbers(a->sites, b->sites);
	for (int k = 0; order == 0 && k < PROF_VALUE_KINDS; k++)
		order = compare_numbers(a->kind_sites[k], b->kind_sites[k]);
	if (order == 0)
		order = compare_numbers(a->normal, b->normal);
	return order;
}

static struct class
class_of_record(const struct prof_function *f)
{
	struct class c = { .counts = f->counts_size,
	    .bitmap = f->bitmap.size, .uniform = f->uniform_size,
	    .normal = !prof_is_pseudo(f) };

	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		c.kind_sites[k] = f->values[k].size;
		c.sites += f->values[k].size;
	}
	return c;
}

static struct class
class_of_entry(const struct merge_entry *e)
{
	struct class c = { .counts = e->counts_size,
	    .bitmap = merge_more(e)->bitmap_size,
	    .uniform = merge_more(e)->uniform_size,
	    .normal = !e->pseudo };

	for (int k = 0; e->values != NULL && k < PROF_VALUE_KINDS; k++) {
		c.kind_sites[k] = e->values->size[k];
		c.sites += e->values->size[k];
	}
	return c;
}

bool
merge_fits(const struct merge_entry *e, const struct prof_function *f)
{
	bool fits = e->counts_size == f->counts_size &&
	    merge_more(e)->bitmap_size == f->bitmap.size &&
	    merge_more(e)->uniform_size == f->uniform_size &&
	    e->pseudo == prof_is_pseudo(f);

	for (int k = 0; fits && k < PROF_VALUE_KINDS; k++)
		fits = f->values[k].size ==
		    (e->values == NULL ? 0 : e->values->size[k]);
	return fits;
}

/* A place for what few functions have, if this one has any of it. */
static bool
set_more(struct merge_worker *d, struct merge_entry *e,
    const struct prof_function *f)
{
	if (e->more != NULL || (f->uniform_size == 0 && f->bitmap.size == 0 &&
	    f->extra.size == 0))
		return true;
	e->more = arena_alloc(d->arena, sizeof(*e->more));
	if (e->more != NULL)
		*e->more = (struct merge_more){ .uniform = NULL };
	return e->more != NULL;
}

static enum prof_status
set_extra(struct merge_worker *d, struct merge_entry *e, struct prof_span extra,
    struct prof_error *err)
{
	if (e->added != 0) {
		merge_extra(&e->more->extra, extra, &d->head->extra_dropped);
		return PROF_OK;
	}
	e->more->extra = arena_copy(d->arena, extra);
	return e->more->extra.data == NULL ? err_memory(err) : PROF_OK;
}

static enum prof_status
replace_more(struct merge_worker *d, struct merge_entry *e,
    const struct prof_function *f, const struct merge_factor *w,
    struct prof_error *err)
{
	struct merge_more *m = e->more;
	struct prof_span bitmap = arena_copy(d->arena, f->bitmap);

	m->uniform = copy_counts(d, f->uniform_counts, f->uniform_size, w,
	    &e->saturated);
	if (m->uniform == NULL || bitmap.data == NULL)
		return err_memory(err);
	m->uniform_size = f->uniform_size;
	m->bitmap = (uint8_t *)(uintptr_t)bitmap.data;
	m->bitmap_size = f->bitmap.size;
	return PROF_OK;
}

static struct merge_values_to
values_to(const struct merge_worker *d)
{
	return (struct merge_values_to){ .arena = d->arena,
	    .scratch = d->scratch, .names = &d->merge->names,
	    .names_last = d->lent.names };
}

static enum prof_status
replace(struct merge_worker *d, struct merge_entry *e, const struct prof_function *f,
    const struct merge_factor *w, struct prof_error *err)
{
	struct merge_values_to to = values_to(d);

	e->pseudo = prof_is_pseudo(f);
	if (e->pseudo)
		w = &unscaled;
	e->merged = e->saturated = false;
	e->counts = copy_counts(d, f->counts, f->counts_size, w,
	    &e->saturated);
	if (e->counts == NULL ||
	    !merge_values_new(&e->values, f->values, w, &to))
		return err_memory(err);
	if (e->values != NULL)
		e->values->as_arrived = d->merge->values_as_arrived;
	e->counts_size = f->counts_size;
	return e->more == NULL ? PROF_OK : replace_more(d, e, f, w, err);
}

void
merge_sort_values(struct merge_entry *e)
{
	if (!e->merged)
		merge_values_sort(e->values);
	e->merged = true;
}

/* Whether no sum was too large. */
static bool
add_more(struct merge_more *m, const struct prof_function *f,
    const struct merge_factor *w, bool pseudo)
{
	for (size_t i = 0; i < m->bitmap_size; i++)
		m->bitmap[i] |= f->bitmap.data[i];
	if (!pseudo)
		return add_counts(m->uniform, f->uniform_counts,
		    f->uniform_size, w);
	larger_counts(m->uniform, f->uniform_counts, f->uniform_size);
	return true;
}

static enum prof_status
add(struct merge_worker *d, struct merge_entry *e, const struct prof_function *f,
    const struct merge_factor *w, struct prof_error *err)
{
	struct merge_values_to to = values_to(d);

	merge_sort_values(e);
	if (e->pseudo)
		larger_counts(e->counts, f->counts, f->counts_size);
	else if (!add_counts(e->counts, f->counts, f->counts_size, w))
		e->saturated = true;
	if (e->more != NULL && !add_more(e->more, f, w, e->pseudo))
		e->saturated = true;
	if (!merge_values_add(e->values, f->values, e->pseudo ? &unscaled : w,
	    e->pseudo ? MERGE_LARGER : MERGE_ADD, &to))
		return err_memory(err);
	return PROF_OK;
}

bool
merge_function_values(struct merge_worker *d, struct merge_entry *e,
    const struct prof_sites values[PROF_VALUE_KINDS],
    const struct prof_block *from)
{
	struct merge_values_to to = values_to(d);

	to.block = from;
	return merge_values_add(e->values, values, &unscaled, MERGE_ADD, &to);
}

enum prof_status
merge_function(struct merge_worker *d, const struct prof_function *f,
    const struct merge_factor *w, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct merge *m = d->merge;
	struct merge_entry *e = NULL;
	struct merge_values_to to = values_to(d);
	struct class old, new;
	int order = -1;

	if (merge_worker_header(d, err) != PROF_OK ||
	    merge_entry_of(d, f, &e, err) != PROF_OK)
		return PROF_FAIL;
	if (!set_more(d, e, f))
		return err_memory(err);
	if (e->more != NULL && set_extra(d, e, f->extra, err) != PROF_OK)
		return PROF_FAIL;
	if (e->last_input != m->input) {
		e->last_input = m->input;
		e->inputs++;
	}
	if (e->added++ > 0 && merge_fits(e, f)) {
		order = 0;
	} else if (e->added > 1) {
		old = class_of_entry(e);
		new = class_of_record(f);
		order = compare_classes(&old, &new);
		e->misfit = true;
		if (order < 0)
			__atomic_add_fetch(&m->replaced, 1, __ATOMIC_RELEASE);
	}
	if (order < 0)
		status = replace(d, e, f, w, err);
	else if (order == 0)
		status = add(d, e, f, w, err);
	else if (!merge_values_names(f->values, &to))
		status = err_memory(err);
	return status;
}

static void
subtract_counts(uint64_t *from, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		from[i] -= from[i] < counts[i] ? from[i] : counts[i];
}

void
merge_subtract_from(struct merge_entry *e, struct merge *less)
{
	struct merge_entry *l = merge_find(less, e->guid, e->hash);
	struct class a, b;

	if (l == NULL)
		return;
	a = class_of_entry(e);
	b = class_of_entry(l);
	if (compare_classes(&a, &b) != 0)
		e->unsubtracted = true;
	if (e->unsubtracted || e->pseudo)
		return;
	merge_sort_values(e);
	merge_sort_values(l);
	subtract_counts(e->counts, l->counts, e->counts_size);
	if (e->more != NULL)
		subtract_counts(e->more->uniform, merge_more(l)->uniform,
		    e->more->uniform_size);
	merge_values_subtract(e->values, l->values);
}

enum prof_status
merge_subtract(struct merge *m, struct merge *less, struct prof_error *err)
{
	if (merge_head_subtract(&m->head, &less->head, err) != PROF_OK)
		return PROF_FAIL;
	if (merge_heap_profiles(less->heap) != 0)
		return err_set(err, PROF_E_UNSUPPORTED, "heap data cannot be "
		    "subtracted: its minima and maxima would stay");
	if (merge_has_spilled(m)) {
		merge_spill_subtract(m, less);
		return PROF_OK;
	}
	for (size_t i = 0; i < m->size; i++)
		merge_subtract_from(merge_entry_at(m, i), less);
	return PROF_OK;
}
