#include "format/lprf/targets.h"

#include <stdlib.h>

#include "base/array.h"

void
lprf2_use_target(struct lprf2_building *b, struct prof_span name)
{
	const struct lprf2_use use = { .name.size = name.size,
	    .at = b->more.size };

	buf_put(&b->target_names, name.data, name.size);
	if (!ARRAY_ADD(b->uses, b->uses_size, b->uses_room, use))
		b->failed = true;
}

static int
lprf2_compare_uses(const void *a, const void *b)
{
	const struct lprf2_use *const *x = a, *const *y = b;

	return prof_span_compare((*x)->name, (*y)->name);
}

/* Numbers the uses in the order of their names, and puts each name once. */
static void
lprf2_number_uses(struct lprf2_building *b, struct lprf2_use **sorted)
{
	const uint8_t *name = b->target_names.data;
	struct buf *out = &b->sections[LPRF2_T];
	size_t number = 0;

	for (size_t i = 0; i < b->uses_size; i++) {
		b->uses[i].name.data = name;
		name += b->uses[i].name.size;
		sorted[i] = &b->uses[i];
	}
	qsort(sorted, b->uses_size, sizeof(*sorted), lprf2_compare_uses);
	for (size_t i = 0; i < b->uses_size; i++) {
		if (i == 0 || !prof_span_equal(sorted[i]->name,
		    sorted[i - 1]->name)) {
			buf_uleb(out, sorted[i]->name.size);
			buf_put(out, sorted[i]->name.data,
			    sorted[i]->name.size);
			number++;
		}
		sorted[i]->number = number;
	}
}

void
lprf2_put_targets(struct lprf2_building *b)
{
	struct buf *out = &b->sections[LPRF2_M];
	struct lprf2_use **sorted = NULL;
	size_t from = 0;

	if (b->failed || b->target_names.failed || b->more.failed)
		return;
	if (b->uses_size != 0) {
		sorted = malloc(b->uses_size * sizeof(*sorted));
		if (sorted == NULL) {
			b->failed = true;
			return;
		}
		lprf2_number_uses(b, sorted);
		free(sorted);
	}
	for (size_t i = 0; i < b->uses_size; i++) {
		buf_put(out, b->more.data + from, b->uses[i].at - from);
		buf_uleb(out, b->uses[i].number);
		from = b->uses[i].at;
	}
	if (from != b->more.size)
		buf_put(out, b->more.data + from, b->more.size - from);
}
