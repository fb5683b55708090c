#include "model/function_class.h"

#include "base/bytes.h"
#include "model/value_sites.h"

struct function_class
function_class_of(const struct prof_function *f)
{
	struct function_class c = { {
		[CLASS_COUNTERS] = f->counts_size,
		[CLASS_BITMAP] = f->bitmap.size,
		[CLASS_UNIFORM] = f->uniform_size,
		[CLASS_ORDINARY] = !prof_is_pseudo(f),
	} };
	size_t sites[PROF_VALUE_KINDS];

	value_sites_sizes(f->values, sites);
	function_class_set_sites(&c, sites);
	return c;
}

void
function_class_set_sites(struct function_class *c,
    const size_t sites[PROF_VALUE_KINDS])
{
	c->n[CLASS_SITES] = 0;
	for (int k = 0; k < PROF_VALUE_KINDS; k++) {
		c->n[CLASS_KIND_SITES + k] = sites[k];
		c->n[CLASS_SITES] += sites[k];
	}
}

int
function_class_compare(const struct function_class *a,
    const struct function_class *b)
{
	size_t i = 0;

	while (i < CLASS_SIZE && a->n[i] == b->n[i])
		i++;
	return i == CLASS_SIZE ? 0 : a->n[i] > b->n[i] ? 1 : -1;
}

bool
function_is_empty(const struct prof_function *f)
{
	return numbers_are_zero(f->counts, f->counts_size) &&
	    bytes_are_zero(f->bitmap.data, f->bitmap.size) &&
	    numbers_are_zero(f->uniform_counts, f->uniform_size) &&
	    !value_sites_have_values(f->values);
}
