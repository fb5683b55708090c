/* base/introsort.c - pairs in the order that std::sort gives them */
#include "config.h"

#include "base/introsort.h"

/*
 * Introsort as libstdc++ has it since GCC 4.9: quicksort with the median of
 * three as pivot, until parts are small; heap sort of a part that was divided
 * too often; then one insertion sort of the whole.  No step may be replaced by
 * another that sorts as well: it would leave equal values in another order.
 */

/* Parts of so many pairs are left to the insertion sort. */
enum { PART_SMALL = 16 };

static void
introsort_swap(struct value_pair *a, struct value_pair *b)
{
	struct value_pair x = *a;

	*a = *b;
	*b = x;
}

/* Exchanges the first pair with the median of three others. */
static void
introsort_choose_pivot(struct value_pair *p, size_t n)
{
	size_t middle = n / 2, last = n - 1, median;
	uint64_t a = p[1].value, b = p[middle].value, c = p[last].value;

	if (a < b)
		median = b < c ? middle : a < c ? last : 1;
	else
		median = a < c ? 1 : b < c ? last : middle;
	introsort_swap(&p[0], &p[median]);
}

/*
 * Returns where the upper part begins.  The loops need no bounds: two of the
 * three candidates are still in the array, one on each side of the pivot.
 */
static size_t
introsort_divide(struct value_pair *p, size_t n)
{
	uint64_t pivot = p[0].value;
	size_t i = 1, k = n;

	for (;;) {
		while (p[i].value < pivot)
			i++;
		do
			k--;
		while (p[k].value > pivot);
		if (i >= k)
			return i;
		introsort_swap(&p[i++], &p[k]);
	}
}

/* Moves the hole down to a leaf, and x from there up to its place. */
static void
introsort_fill_hole(struct value_pair *p, size_t hole, size_t n,
    struct value_pair x)
{
	size_t top = hole, parent;

	while (2 * hole + 1 < n) {
		size_t child = 2 * hole + 2;

		if (child == n || p[child].value < p[child - 1].value)
			child--;
		p[hole] = p[child];
		hole = child;
	}
	for (; hole > top; hole = parent) {
		parent = (hole - 1) / 2;
		if (p[parent].value >= x.value)
			break;
		p[hole] = p[parent];
	}
	p[hole] = x;
}

static void
introsort_by_heap(struct value_pair *p, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		introsort_fill_hole(p, i, n, p[i]);
	for (size_t i = n; i-- > 1;) {
		struct value_pair x = p[i];

		p[i] = p[0];
		introsort_fill_hole(p, 0, i, x);
	}
}

static void
introsort_part(struct value_pair *p, size_t n, unsigned divisions)
{
	while (n > PART_SMALL) {
		size_t lower;

		if (divisions-- == 0) {
			introsort_by_heap(p, n);
			return;
		}
		introsort_choose_pivot(p, n);
		lower = introsort_divide(p, n);
		introsort_part(p + lower, n - lower, divisions);
		n = lower;
	}
}

void
introsort(struct value_pair *p, size_t n)
{
	unsigned divisions = 0;

	for (size_t m = n; m > 1; m /= 2)
		divisions += 2;
	introsort_part(p, n, divisions);
	for (size_t i = 1; i < n; i++) {
		struct value_pair x = p[i];
		size_t k = i;

		for (; k > 0 && p[k - 1].value > x.value; k--)
			p[k] = p[k - 1];
		p[k] = x;
	}
}
