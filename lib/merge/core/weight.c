#include "merge/core/weight.h"

/*
 * (count * times + parts / 2) / parts by long division in digits of 32 bits:
 * times and parts are at most 2^32-1 here.  False if the result is too large.
 */
static bool
merge_divide_product(const struct merge_factor *w, uint64_t count,
    uint64_t *product)
{
	uint64_t low = (count & UINT32_MAX) * w->times + w->parts / 2;
	uint64_t high = (count >> 32) * w->times + (low >> 32);
	uint64_t rest = high % w->parts, quotient = high / w->parts;

	rest = rest << 32 | (low & UINT32_MAX);
	*product = quotient << 32 | rest / w->parts;
	return quotient <= UINT32_MAX;
}

bool
merge_weigh_fraction(const struct merge_factor *w, uint64_t count,
    uint64_t *product)
{
	bool fits = merge_divide_product(w, count, product);

	if (!fits)
		*product = UINT64_MAX;
	else if (*product == 0 && count != 0)
		*product = 1;
	return fits;
}
