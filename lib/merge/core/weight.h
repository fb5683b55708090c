/*
 * merge/core/weight.h - counts multiplied by a weight
 *
 * A weight is applied here and nowhere else: counters, counts of values,
 * weights of traces, allocation statistics and counts of data accesses all go
 * through merge_weigh_fits.
 */
#ifndef MERGE_CORE_WEIGHT_H
#define MERGE_CORE_WEIGHT_H

#include "base/bytes.h"
#include "merge/merge.h"

/* merge_weigh_fits for a weight whose parts are not 1. */
bool merge_weigh_fraction(const struct merge_factor *, uint64_t count,
    uint64_t *product);

/*
 * count * times / parts, rounded half up.  A count that is not 0 does not
 * become 0.  False if the product is too large and becomes UINT64_MAX.
 */
static inline bool
merge_weigh_fits(const struct merge_factor *w, uint64_t count,
    uint64_t *product)
{
	if (w->parts != 1)
		return merge_weigh_fraction(w, count, product);
	if (mul_u64(count, w->times, product))
		return true;
	*product = UINT64_MAX;
	return false;
}

/* The product alone, for sums whose limit is below UINT64_MAX. */
static inline uint64_t
merge_weigh(const struct merge_factor *w, uint64_t count)
{
	uint64_t product;

	merge_weigh_fits(w, count, &product);
	return product;
}

/* Whether the weight changes nothing. */
static inline bool
merge_is_unscaled(const struct merge_factor *w)
{
	return w->times == 1 && w->parts == 1;
}

#endif
