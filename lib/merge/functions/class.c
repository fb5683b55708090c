#include "merge/functions/class.h"

#include <string.h>

#include "merge/functions/values.h"
#include "model/value_sites.h"

/* The numbers of a class in the order in which they are compared. */
enum { CLASS_COUNTERS, CLASS_BITMAP, CLASS_UNIFORM, CLASS_SITES,
	CLASS_KIND_SITES, CLASS_ORDINARY = CLASS_KIND_SITES + PROF_VALUE_KINDS,
	CLASS_SIZE };

struct merge_class {
	uint64_t n[CLASS_SIZE];
};

static struct merge_class
merge_class_of_record(const struct prof_function *f)
{
	struct merge_class c = { {
		[CLASS_COUNTERS] = f->counts_size,
		[CLASS_BITMAP] = f->bitmap.size,
		[CLASS_UNIFORM] = f->uniform_size,
		[CLASS_SITES] = value_sites_count(f->values),
		[CLASS_ORDINARY] = !prof_is_pseudo(f),
	} };

	for (int k = 0; k < PROF_VALUE_KINDS; k++)
		c.n[CLASS_KIND_SITES + k] = f->values[k].size;
	return c;
}

static struct merge_class
merge_class_of_entry(const struct merge_entry *e)
{
	struct merge_class c = { {
		[CLASS_COUNTERS] = e->counts_size,
		[CLASS_BITMAP] = merge_entry_rare(e)->bitmap_size,
		[CLASS_UNIFORM] = merge_entry_rare(e)->uniform_size,
		[CLASS_ORDINARY] = !e->pseudo,
	} };

	for (int k = 0; e->values != NULL && k < PROF_VALUE_KINDS; k++) {
		c.n[CLASS_KIND_SITES + k] = e->values->size[k];
		c.n[CLASS_SITES] += e->values->size[k];
	}
	return c;
}

static bool
merge_are_zero(const uint64_t *counts, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (counts[i] != 0)
			return false;
	}
	return true;
}

static bool
merge_bits_are_zero(const uint8_t *bitmap, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (bitmap[i] != 0)
			return false;
	}
	return true;
}

static bool
merge_has_values(const struct merge_values *v)
{
	for (int k = 0; v != NULL && k < PROF_VALUE_KINDS; k++) {
		for (size_t i = 0; i < v->size[k]; i++) {
			if (v->sites[k][i].size != 0)
				return true;
		}
	}
	return false;
}

bool
merge_counts_are_zero(const struct merge_entry *e)
{
	const struct merge_rare *rare = merge_entry_rare(e);

	return merge_are_zero(e->counts, e->counts_size) &&
	    merge_bits_are_zero(rare->bitmap, rare->bitmap_size);
}

bool
merge_entry_is_empty(const struct merge_entry *e)
{
	const struct merge_rare *rare = merge_entry_rare(e);

	return merge_counts_are_zero(e) &&
	    merge_are_zero(rare->uniform, rare->uniform_size) &&
	    !merge_has_values(e->values);
}

static bool
merge_record_is_empty(const struct prof_function *f)
{
	return merge_are_zero(f->counts, f->counts_size) &&
	    merge_bits_are_zero(f->bitmap.data, f->bitmap.size) &&
	    merge_are_zero(f->uniform_counts, f->uniform_size) &&
	    !value_sites_have_values(f->values);
}

/*
 * Whether the entry is empty.  One that is not, and is no longer replaced, has
 * its counters looked at once only: many small records may follow it.
 */
static bool
merge_look_empty(struct merge_entry *e)
{
	e->used = e->used || !merge_entry_is_empty(e);
	return !e->used;
}

int
merge_compare_class(struct merge_entry *e, const struct prof_function *f)
{
	const struct merge_class a = merge_class_of_entry(e);
	const struct merge_class b = merge_class_of_record(f);
	size_t i = 0;
	bool larger;			/* the entry */

	while (i < CLASS_SIZE && a.n[i] == b.n[i])
		i++;
	if (i == CLASS_SIZE)
		return 0;
	larger = a.n[i] > b.n[i];
	/* Of these two, the larger one is the higher one in any case. */
	if (merge_record_is_empty(f) == larger)
		return larger ? 1 : -1;
	return merge_look_empty(e) ? -1 : 1;
}

bool
merge_same_class(const struct merge_entry *x, const struct merge_entry *y)
{
	const struct merge_class a = merge_class_of_entry(x);
	const struct merge_class b = merge_class_of_entry(y);

	return memcmp(&a, &b, sizeof(a)) == 0;
}

bool
merge_entry_fits(const struct merge_entry *e, const struct prof_function *f)
{
	static const size_t no_sites[PROF_VALUE_KINDS];

	return e->counts_size == f->counts_size &&
	    merge_entry_rare(e)->bitmap_size == f->bitmap.size &&
	    merge_entry_rare(e)->uniform_size == f->uniform_size &&
	    e->pseudo == prof_is_pseudo(f) &&
	    value_sites_fit(f->values, e->values == NULL ? no_sites :
	    e->values->size);
}
