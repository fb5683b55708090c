#include "merge/functions/class.h"

#include "base/bytes.h"
#include "merge/functions/values.h"
#include "model/function_class.h"
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

	return numbers_are_zero(e->counts, e->counts_size) &&
	    bytes_are_zero(rare->bitmap, rare->bitmap_size);
}

bool
merge_entry_is_empty(const struct merge_entry *e)
{
	const struct merge_rare *rare = merge_entry_rare(e);

	return merge_counts_are_zero(e) &&
	    numbers_are_zero(rare->uniform, rare->uniform_size) &&
	    !merge_has_values(e->values);
}

/*
 * Whether the entry is empty.  The counters of an entry that is not are looked
 * at once, until it is replaced: many small records may follow a large one.
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
	const struct function_class a = merge_class_of_entry(e);
	const struct function_class b = function_class_of(f);
	int order = function_class_compare(&a, &b);

	/*
	 * Whether the entry is empty does not matter to a smaller record that
	 * is empty, nor to a larger one that is not.
	 */
	if (order == 0 || function_is_empty(f) == (order > 0))
		return order;
	return merge_look_empty(e) ? -1 : 1;
}

bool
merge_same_class(const struct merge_entry *x, const struct merge_entry *y)
{
	const struct function_class a = merge_class_of_entry(x);
	const struct function_class b = merge_class_of_entry(y);

	return function_class_compare(&a, &b) == 0;
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
