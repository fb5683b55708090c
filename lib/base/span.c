/* The functions of prof/base.h on spans of bytes. */
#include <stdlib.h>
#include <string.h>

#include "prof/base.h"

static int
prof_span_compare_items(const void *a, const void *b)
{
	return prof_span_compare(*(const struct prof_span *)a,
	    *(const struct prof_span *)b);
}

int
prof_span_compare(struct prof_span a, struct prof_span b)
{
	size_t common = a.size < b.size ? a.size : b.size;
	int order = common == 0 ? 0 : memcmp(a.data, b.data, common);

	if (order != 0)
		return order;
	return (a.size > b.size) - (a.size < b.size);
}

bool
prof_span_equal(struct prof_span a, struct prof_span b)
{
	return a.size == b.size &&
	    (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

void
prof_span_sort(struct prof_span *spans, size_t count)
{
	if (count > 1)
		qsort(spans, count, sizeof(*spans), prof_span_compare_items);
}

size_t
prof_span_unique(struct prof_span *spans, size_t count)
{
	size_t kept = 0;

	prof_span_sort(spans, count);
	for (size_t i = 0; i < count; i++) {
		if (kept == 0 || !prof_span_equal(spans[kept - 1], spans[i]))
			spans[kept++] = spans[i];
	}
	return kept;
}

bool
prof_span_in(struct prof_span span, const struct prof_span *sorted,
    size_t count)
{
	return count > 0 && bsearch(&span, sorted, count, sizeof(span),
	    prof_span_compare_items) != NULL;
}

bool
prof_span_begins_in(struct prof_span s, const struct prof_span *prefixes,
    size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (s.data != NULL && s.size >= prefixes[i].size &&
		    prof_span_equal((struct prof_span){ s.data,
		    prefixes[i].size }, prefixes[i]))
			return true;
	}
	return false;
}
