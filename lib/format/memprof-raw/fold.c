#include "format/memprof-raw/fold.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/mib.h"
#include "model/mib_merge.h"

/* The fields that a histogram brings: none is the same as an empty one. */
#define HISTOGRAM (UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM_SIZE | \
    UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM)

/* Sums that do not fit are told of once a stack and dump. */
static void
note(struct mraw_fold *f, const struct mraw_folded *to, bool fits)
{
	if (!fits && f->saturated++ == 0)
		f->first_saturated = to->stack;
}

/* The longer histogram stays, and the shorter is added to its beginning. */
static bool
add_histogram(struct mraw_fold *f, struct mraw_folded *to,
    const uint64_t *histogram, size_t size)
{
	uint64_t *longer;
	bool fits = true;

	if (size > to->histogram_size) {
		longer = arena_array(&f->histograms, size, sizeof(*longer));
		if (longer == NULL)
			return false;
		memset(longer, 0, size * sizeof(*longer));
		if (to->histogram != NULL)
			memcpy(longer, to->histogram,
			    to->histogram_size * sizeof(*longer));
		to->histogram = longer;
		to->histogram_size = size;
	}
	for (size_t i = 0; i < size; i++) {
		if (!add_u64(to->histogram[i], histogram[i],
		    &to->histogram[i])) {
			to->histogram[i] = UINT64_MAX;
			fits = false;
		}
	}
	note(f, to, fits);
	to->info.histogram = to->histogram;
	to->info.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = to->histogram_size;
	return true;
}

/* A place for a stack's first block. */
static struct mraw_folded *
add_first(struct mraw_fold *f, uint64_t stack, const struct prof_mib *b)
{
	struct mraw_folded *to = array_room(f->blocks, f->size, &f->room,
	    sizeof(*to));

	if (to == NULL)
		return NULL;
	f->blocks = to;
	to = &f->blocks[f->size++];
	*to = (struct mraw_folded){ .stack = stack, .info = *b };
	return to;
}

bool
mraw_fold_add(struct mraw_fold *f, uint64_t stack, const struct prof_mib *b,
    const uint64_t *histogram)
{
	const size_t size = histogram == NULL ? 0 :
	    (size_t)b->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	uint64_t *place = id_map_add(&f->index, stack, f->size + 1);
	struct mraw_folded *to;
	uint32_t fields;

	if (place == NULL)
		return false;
	if (*place == f->size + 1) {
		to = add_first(f, stack, b);
		return to != NULL && add_histogram(f, to, histogram, size);
	}
	to = &f->blocks[*place - 1];
	fields = (to->info.fields | b->fields) & HISTOGRAM;
	note(f, to, mib_merge(&to->info, b));
	to->info.fields |= fields;
	return add_histogram(f, to, histogram, size);
}

void
mraw_fold_clear(struct mraw_fold *f)
{
	f->size = 0;
	f->saturated = 0;
	id_map_free(&f->index);
	arena_reset(&f->histograms);
}

void
mraw_fold_free(struct mraw_fold *f)
{
	free(f->blocks);
	id_map_free(&f->index);
	arena_free(&f->histograms);
	*f = (struct mraw_fold){ 0 };
}
