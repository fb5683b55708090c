#include "merge/state.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "model/record.h"
#include "model/value_sites.h"

static struct function_class
merge_class_of_entry(const struct merge_entry *e)
{
	struct function_class c = { {
		[CLASS_COUNTERS] = e->counts_size,
		[CLASS_BITMAP] = merge_entry_rare(e)->bitmap_size,
		[CLASS_UNIFORM] = merge_entry_rare(e)->uniform_size,
		[CLASS_ORDINARY] = !e->pseudo,
	} };

	if (e->values != NULL)
		function_class_set_sites(&c, e->values->size);
	return c;
}

bool
merge_counts_are_zero(const struct merge_entry *e)
{
	const struct merge_rare *rare = merge_entry_rare(e);

	return numbers_are_zero(e->counts, e->counts_size) &&
	    bytes_are_zero(rare->bitmap, rare->bitmap_size);
}

bool
merge_entry_is_empty(const struct merge_entry *e)
{
	const struct merge_rare *rare = merge_entry_rare(e);
	const struct merge_values *v = e->values;

	if (!merge_counts_are_zero(e) ||
	    !numbers_are_zero(rare->uniform, rare->uniform_size))
		return false;
	for (int k = 0; v != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < v->size[k]; i++) {
			if (v->sites[k][i].size != 0)
				return false;
		}
	}
	return true;
}

/* Above 0 if the entry's class is the higher one, 0 if it is the record's. */
static int
merge_compare_class(struct merge_entry *e, const struct prof_function *f)
{
	const struct function_class a = merge_class_of_entry(e);
	const struct function_class b = function_class_of(f);
	int order = function_class_compare(&a, &b);

	/*
	 * Whether the entry is empty does not matter to a smaller record that
	 * is empty, nor to a larger one that is not.
	 */
	if (order == 0 || function_is_empty(f) == (order > 0))
		return order;
	/*
	 * The counters of an entry that is not empty are looked at once, until
	 * it is replaced: many small records may follow a large one.
	 */
	e->used = e->used || !merge_entry_is_empty(e);
	return e->used ? 1 : -1;
}

static bool
merge_entry_has_shape(const struct merge_entry *e,
    const struct prof_function *f)
{
	static const size_t no_sites[PROF_VALUE_KINDS];

	return e->counts_size == f->counts_size &&
	    merge_entry_rare(e)->bitmap_size == f->bitmap.size &&
	    merge_entry_rare(e)->uniform_size == f->uniform_size &&
	    value_sites_fit(f->values, e->values == NULL ? no_sites :
	    e->values->size);
}

bool
merge_entry_fits(const struct merge_entry *e, const struct prof_function *f)
{
	return e->pseudo == prof_is_pseudo(f) && merge_entry_has_shape(e, f);
}

static uint64_t
merge_limit_count(uint64_t count)
{
	return count < PROF_COUNT_MAX ? count : PROF_COUNT_MAX;
}

/*
 * Where the counters of a record lie in the sum: if the block they are part of
 * was copied as a whole, in that copy, else in an array of their own.
 */
static uint64_t *
merge_copy_counts(struct merge_worker *worker, const uint64_t *counts,
    size_t n, const struct merge_factor *w, bool *saturated)
{
	const struct merge_copied *block = &worker->copied;
	bool copied = block->size != 0 && counts >= block->from &&
	    counts < block->from + block->size;
	uint64_t *p = copied ? block->to + (counts - block->from) :
	    arena_array(worker->arena, n, sizeof(*p));

	if (p == NULL || n == 0)
		return p;
	if (!copied)
		memcpy(p, counts, n * sizeof(*p));
	/* A weight of 1 leaves counts as they are, even above the limit. */
	for (size_t i = 0; !merge_is_unscaled(w) && i < n; i++) {
		p[i] = merge_weigh(w, p[i]);
		if (p[i] > PROF_COUNT_MAX)
			*saturated = true;
		p[i] = merge_limit_count(p[i]);
	}
	return p;
}

/*
 * Adds counters; false if one is at its limit now.  If the upper two bits of
 * all counts are 0, no sum can be too large, and none is compared.
 */
static bool
merge_add_counts(uint64_t *into, const uint64_t *counts, size_t n,
    const struct merge_factor *w)
{
	uint64_t all = 0;
	bool fit = true;

	if (merge_is_unscaled(w)) {
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
		into[i] = merge_limit_count(sum);
	}
	return fit;
}

static void
merge_max_counts(uint64_t *into, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (counts[i] > into[i])
			into[i] = counts[i];
	}
}

/*
 * Gives the entry its rare members, if the record has any of them, and keeps
 * its unknown keys if all records have the same.
 */
static enum prof_status
merge_make_rare(struct merge_worker *worker, struct merge_entry *e,
    const struct prof_function *f, struct prof_error *err)
{
	if (e->rare == NULL) {
		if (f->uniform_size == 0 && f->bitmap.size == 0 &&
		    f->extra.size == 0)
			return PROF_OK;
		e->rare = arena_alloc(worker->arena, sizeof(*e->rare));
		if (e->rare == NULL)
			return err_memory(err);
		*e->rare = (struct merge_rare){ .uniform = NULL };
	}
	if (e->records != 0) {
		if (merge_extra(&e->rare->extra, f->extra))
			__atomic_store_n(&worker->merge->head.extra_dropped,
			    true, __ATOMIC_RELAXED);
		return PROF_OK;
	}
	e->rare->extra = arena_copy(worker->arena, f->extra);
	return e->rare->extra.data == NULL ? err_memory(err) : PROF_OK;
}

/* The entry gets the counts of this record, whatever it had before. */
static enum prof_status
merge_replace_entry(struct merge_worker *worker, struct merge_entry *e,
    const struct prof_function *f, const struct merge_factor *w,
    struct prof_error *err)
{
	struct merge_rare *rare = e->rare;
	struct prof_span bitmap;

	e->pseudo = prof_is_pseudo(f);
	if (e->pseudo)
		w = &merge_unscaled;
	e->merged = e->saturated = e->used = false;
	e->counts = merge_copy_counts(worker, f->counts, f->counts_size, w,
	    &e->saturated);
	if (e->counts == NULL ||
	    !merge_values_new(&e->values, f->values, w, worker))
		return err_memory(err);
	if (e->values != NULL)
		e->values->sort = worker->merge->value_sort;
	e->counts_size = f->counts_size;
	if (rare == NULL)
		return PROF_OK;
	bitmap = arena_copy(worker->arena, f->bitmap);
	rare->uniform = merge_copy_counts(worker, f->uniform_counts,
	    f->uniform_size, w, &e->saturated);
	if (rare->uniform == NULL || bitmap.data == NULL)
		return err_memory(err);
	rare->uniform_size = f->uniform_size;
	rare->bitmap = (uint8_t *)(uintptr_t)bitmap.data;
	rare->bitmap_size = f->bitmap.size;
	return PROF_OK;
}

void
merge_sort_values(struct merge_entry *e)
{
	if (!e->merged)
		merge_values_sort(e->values);
	e->merged = true;
}

static bool
merge_limit_counts(uint64_t *counts, size_t n)
{
	bool fit = true;

	for (size_t i = 0; i < n; i++) {
		fit = fit && counts[i] <= PROF_COUNT_MAX;
		counts[i] = merge_limit_count(counts[i]);
	}
	return fit;
}

void
merge_settle_entry(struct merge_entry *e)
{
	merge_sort_values(e);
	if (e->pseudo)
		return;
	if (!merge_limit_counts(e->counts, e->counts_size))
		e->saturated = true;
	if (e->rare != NULL && !merge_limit_counts(e->rare->uniform,
	    e->rare->uniform_size))
		e->saturated = true;
}

/* Adds a record of the entry's class. */
static enum prof_status
merge_add_to_entry(struct merge_worker *worker, struct merge_entry *e,
    const struct prof_function *f, const struct merge_factor *w,
    struct prof_error *err)
{
	struct merge_rare *rare = e->rare;

	merge_sort_values(e);
	for (size_t i = 0; rare != NULL && i < rare->bitmap_size; i++)
		rare->bitmap[i] |= f->bitmap.data[i];
	if (e->pseudo) {
		merge_max_counts(e->counts, f->counts, f->counts_size);
		if (rare != NULL)
			merge_max_counts(rare->uniform, f->uniform_counts,
			    f->uniform_size);
		return merge_values_add(e->values, f->values, &merge_unscaled,
		    MERGE_LARGER, worker) ? PROF_OK : err_memory(err);
	}
	if (!merge_add_counts(e->counts, f->counts, f->counts_size, w))
		e->saturated = true;
	if (rare != NULL && !merge_add_counts(rare->uniform, f->uniform_counts,
	    f->uniform_size, w))
		e->saturated = true;
	return merge_values_add(e->values, f->values, w, MERGE_ADD, worker) ?
	    PROF_OK : err_memory(err);
}

enum prof_status
merge_add_function(struct merge_worker *worker, const struct prof_function *f,
    const struct merge_factor *w, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	struct merge *m = worker->merge;
	struct merge_entry *e = NULL;
	int order = -1;			/* of the entry and the record */
	bool settle = false;

	if (merge_note_function(worker, err) != PROF_OK ||
	    merge_table_entry(worker, f, &e, err) != PROF_OK ||
	    merge_make_rare(worker, e, f, err) != PROF_OK)
		return PROF_FAIL;
	if (e->records++ > 0 && merge_entry_fits(e, f)) {
		order = 0;
	} else if (e->records > 1) {
		order = merge_compare_class(e, f);
		/* An entry stays settled when records are added to it. */
		settle = order < 0 || !e->conflict;
		e->conflict = true;
		e->other_shape = e->other_shape ||
		    !merge_entry_has_shape(e, f);
		if (order < 0)
			__atomic_add_fetch(&m->replaced, 1, __ATOMIC_RELEASE);
	}
	if (order < 0)
		status = merge_replace_entry(worker, e, f, w, err);
	else if (order == 0)
		status = merge_add_to_entry(worker, e, f, w, err);
	else if (!merge_values_names(f->values, worker))
		status = err_memory(err);
	if (settle && status == PROF_OK && m->value_sort == VALUE_SORT_NONE)
		merge_settle_entry(e);
	return status;
}

static void
merge_subtract_counts(uint64_t *from, const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		from[i] -= from[i] < counts[i] ? from[i] : counts[i];
}

void
merge_subtract_entry(struct merge_entry *e, struct merge *less)
{
	struct merge_entry *l = merge_table_find(less, e->guid, e->hash);
	struct function_class a, b;

	if (l == NULL)
		return;
	a = merge_class_of_entry(e);
	b = merge_class_of_entry(l);
	if (function_class_compare(&a, &b) != 0)
		e->not_subtracted = true;
	if (e->not_subtracted || e->pseudo)
		return;
	merge_sort_values(e);
	merge_sort_values(l);
	merge_subtract_counts(e->counts, l->counts, e->counts_size);
	if (e->rare != NULL)
		merge_subtract_counts(e->rare->uniform,
		    merge_entry_rare(l)->uniform, e->rare->uniform_size);
	merge_values_subtract(e->values, l->values);
}
