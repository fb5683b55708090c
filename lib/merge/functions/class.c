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

int
merge_compare_class(const struct merge_entry *e, const struct prof_function *f)
{
	const struct merge_class a = merge_class_of_entry(e);
	const struct merge_class b = merge_class_of_record(f);

	for (size_t i = 0; i < CLASS_SIZE; i++) {
		if (a.n[i] != b.n[i])
			return a.n[i] < b.n[i] ? -1 : 1;
	}
	return 0;
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
