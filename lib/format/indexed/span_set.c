#include "format/indexed/span_set.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

enum prof_status
span_set_add(struct span_set *set, struct arena *a, struct prof_span span,
    struct prof_error *err)
{
	return arena_keep(a, &span) &&
	    ARRAY_ADD(set->spans, set->size, set->room, span) ? PROF_OK :
	    err_memory(err);
}

static int
span_set_compare(const void *a, const void *b)
{
	const struct prof_span *x = a, *y = b;

	return prof_span_compare(*x, *y);
}

void
span_set_sort(struct span_set *set)
{
	size_t n = 0;

	if (set->size == 0)
		return;
	qsort(set->spans, set->size, sizeof(*set->spans), span_set_compare);
	for (size_t i = 0; i < set->size; i++) {
		if (n == 0 || !prof_span_equal(set->spans[n - 1],
		    set->spans[i]))
			set->spans[n++] = set->spans[i];
	}
	set->size = n;
}
