#include "cmd/profdata/duplicate_sizes.h"

#include <stdlib.h>

static int
compare_memop_sizes(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

bool
duplicate_sizes_check(struct duplicate_sizes *t, const struct prof_sites *all)
{
	for (size_t i = 0; i < all->size && !t->any; i++) {
		const struct prof_site *s = &all->sites[i];
		uint64_t *sizes;

		if (s->size < 2)
			continue;
		arena_reset(&t->scratch);
		sizes = arena_array(&t->scratch, s->size, sizeof(*sizes));
		if (sizes == NULL)
			return false;
		for (size_t k = 0; k < s->size; k++)
			sizes[k] = s->values[k].value;
		qsort(sizes, s->size, sizeof(*sizes), compare_memop_sizes);
		for (size_t k = 1; k < s->size; k++)
			t->any = t->any || sizes[k] == sizes[k - 1];
	}
	return true;
}
