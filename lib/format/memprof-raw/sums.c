#include "format/memprof-raw/sums.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/mib.h"

/* Counts a block that did not fit, for one warning in all. */
static void
sums_note_saturated(struct mraw_sums *t, const struct mraw_sum *to, bool fits)
{
	if (!fits && t->saturated++ == 0)
		t->first_saturated = to->stack;
}

static bool
sums_add_histogram(struct mraw_sums *t, struct mraw_sum *to,
    const uint64_t *histogram, size_t size)
{
	bool fits = true;

	if (!mib_histogram_add(&to->histogram, histogram, size, &t->histograms,
	    &fits))
		return false;
	sums_note_saturated(t, to, fits);
	to->info.histogram = to->histogram.counts;
	to->info.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = to->histogram.size;
	return true;
}

/* Starts the sum of a stack with its first block; NULL if out of memory. */
static struct mraw_sum *
sums_add_stack(struct mraw_sums *t, uint64_t stack, const struct prof_mib *b)
{
	struct mraw_sum *to;

	if (!ARRAY_ROOM(t->items, t->size, t->room))
		return NULL;
	to = &t->items[t->size++];
	*to = (struct mraw_sum){ .stack = stack, .info = *b };
	return to;
}

bool
mraw_sums_add(struct mraw_sums *t, uint64_t stack, const struct prof_mib *b,
    const uint64_t *histogram)
{
	const size_t size = histogram == NULL ? 0 :
	    (size_t)b->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	uint64_t *place = id_map_add(&t->index, stack, t->size + 1);
	struct mraw_sum *to;
	uint32_t fields;

	if (place == NULL)
		return false;
	if (*place == t->size + 1) {
		to = sums_add_stack(t, stack, b);
		return to != NULL && sums_add_histogram(t, to, histogram, size);
	}
	to = &t->items[*place - 1];
	/* A block without these fields is one of an empty histogram. */
	fields = (to->info.fields | b->fields) & MIB_HISTOGRAM;
	sums_note_saturated(t, to, mib_merge(&to->info, b));
	to->info.fields |= fields;
	return sums_add_histogram(t, to, histogram, size);
}

void
mraw_sums_clear(struct mraw_sums *t)
{
	t->size = 0;
	t->saturated = 0;
	id_map_free(&t->index);
	arena_reset(&t->histograms);
}

void
mraw_sums_free(struct mraw_sums *t)
{
	free(t->items);
	id_map_free(&t->index);
	arena_free(&t->histograms);
	*t = (struct mraw_sums){ 0 };
}
