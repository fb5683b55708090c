#include "merge/heap/mib.h"

#include "model/mib.h"
#include "merge/core/weight.h"

/* Multiplies a histogram, if there is one.  False if out of memory. */
static bool
mheap_weigh_histogram(struct prof_mib *m, const struct merge_factor *w,
    uint32_t *saturated, struct arena *a)
{
	uint64_t size = m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];
	uint64_t *counts;

	if (m->histogram == NULL)
		return true;
	counts = size > SIZE_MAX / sizeof(*counts) ? NULL :
	    arena_array(a, (size_t)size, sizeof(*counts));
	if (counts == NULL)
		return false;
	for (size_t i = 0; i < size; i++) {
		if (!merge_weigh_fits(w, m->histogram[i], &counts[i]))
			*saturated |= MIB_SATURATED_HISTOGRAM;
	}
	m->histogram = counts;
	return true;
}

bool
mheap_mib_add(struct mib_sum *h, const struct prof_mib *m,
    const struct merge_factor *w, struct arena *a)
{
	struct prof_mib weighed = *m;
	uint32_t saturated = 0;

	if (merge_is_unscaled(w))
		return mib_sum_add(h, m, a);
	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++) {
		if ((MIB_SUMMED >> f & 1) != 0 && (!merge_weigh_fits(w,
		    m->value[f], &weighed.value[f]) ||
		    weighed.value[f] > mib_max(f))) {
			weighed.value[f] = mib_max(f);
			saturated |= UINT32_C(1) << f;
		}
	}
	if (!mheap_weigh_histogram(&weighed, w, &saturated, a) ||
	    !mib_sum_add(h, &weighed, a))
		return false;
	h->saturated |= saturated;
	return true;
}
