/*
 * merge/core/weight.h - counts multiplied by a weight
 *
 * A weight is applied here and nowhere else: counters, counts of values,
 * weights of traces, allocation statistics and counts of data accesses all go
 * through merge_weigh.
 */
#ifndef MERGE_CORE_WEIGHT_H
#define MERGE_CORE_WEIGHT_H

#include "base/bytes.h"
#include "merge/merge.h"

/* merge_weigh for a weight whose parts are not 1. */
uint64_t merge_weigh_fraction(const struct merge_factor *, uint64_t count);

/*
 * count * times / parts, rounded half up.  A count that is not 0 does not
 * become 0, and a product that is too large becomes UINT64_MAX.
 */
static inline uint64_t
merge_weigh(const struct merge_factor *w, uint64_t count)
{
	uint64_t product;

	if (w->parts != 1)
		return merge_weigh_fraction(w, count);
	return mul_u64(count, w->times, &product) ? product : UINT64_MAX;
}

/* Whether the weight changes nothing. */
static inline bool
merge_is_unscaled(const struct merge_factor *w)
{
	return w->times == 1 && w->parts == 1;
}

#endif
