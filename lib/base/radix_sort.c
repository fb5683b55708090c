#include "base/radix_sort.h"

#include "base/bytes.h"
#include "base/hash.h"

/* Eight bytes of a name are compared as one number. */
enum { STEP = 8 };

/* The depth of items whose names are the same: their ties are compared. */
#define BEHIND SIZE_MAX

/* Items whose names are the same before the depth, and loaded there. */
struct radix_sort_part {
	struct radix_sort_item *items;
	size_t n, depth;
};

struct radix_sort_run {
	radix_sort_tie *tie;
	/* For pivots, which no input can foresee. */
	uint64_t random;
};

/* Bytes behind the depth; STEP + 1 stands for any number above STEP. */
static size_t
radix_sort_rest(const struct radix_sort_item *i, size_t depth)
{
	size_t left = i->name.size - depth;

	return left > STEP ? STEP + 1 : left;
}

static void
radix_sort_load(const struct radix_sort_part *p)
{
	for (size_t n = 0; n < p->n; n++) {
		struct radix_sort_item *i = &p->items[n];
		const uint8_t *name = i->name.data;
		size_t left = radix_sort_rest(i, p->depth);

		i->bytes = left < STEP ? 0 : load_u64(name + p->depth, true);
		for (size_t k = 0; k < left && left < STEP; k++)
			i->bytes |= (uint64_t)name[p->depth + k] <<
			    (56 - 8 * k);
	}
}

static int
radix_sort_compare(const struct radix_sort_run *s,
    const struct radix_sort_item *a, const struct radix_sort_item *b,
    size_t depth)
{
	if (depth == BEHIND)
		return s->tie(a->thing, b->thing);
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (int)radix_sort_rest(a, depth) - (int)radix_sort_rest(b, depth);
}

static void
radix_sort_swap(struct radix_sort_item *a, struct radix_sort_item *b)
{
	struct radix_sort_item c = *a;

	*a = *b;
	*b = c;
}

/*
 * Divides a part by the bytes at its depth: below those of a random item, equal
 * to them, and above.
 */
static void
radix_sort_divide(struct radix_sort_run *s, const struct radix_sort_part *p,
    struct radix_sort_part parts[3])
{
	struct radix_sort_item *items = p->items, pivot;
	size_t i = 0, equal = 0, above = p->n;

	s->random = hash_mix(s->random, p->n);
	pivot = items[s->random % p->n];
	while (i < above) {
		int order = radix_sort_compare(s, &items[i], &pivot, p->depth);

		if (order < 0)
			radix_sort_swap(&items[i++], &items[equal++]);
		else if (order > 0)
			radix_sort_swap(&items[i], &items[--above]);
		else
			i++;
	}
	parts[0] = (struct radix_sort_part){ items, equal, p->depth };
	parts[1] =
	    (struct radix_sort_part){ items + equal, above - equal, p->depth };
	parts[2] =
	    (struct radix_sort_part){ items + above, p->n - above, p->depth };
}

/* Loops over the largest part, so that calls nest no deeper than log2(n). */
static void
radix_sort_part(struct radix_sort_run *s, struct radix_sort_part p)
{
	while (p.n > 1) {
		struct radix_sort_part parts[3];
		size_t largest = 0;

		radix_sort_divide(s, &p, parts);
		if (p.depth == BEHIND) {
			parts[1].n = 0;
		} else if (radix_sort_rest(parts[1].items, p.depth) > STEP) {
			parts[1].depth += STEP;
			radix_sort_load(&parts[1]);
		} else {
			parts[1].depth = BEHIND;
		}
		for (size_t i = 1; i < 3; i++)
			largest = parts[i].n > parts[largest].n ? i : largest;
		for (size_t i = 0; i < 3; i++) {
			if (i != largest)
				radix_sort_part(s, parts[i]);
		}
		p = parts[largest];
	}
}

void
radix_sort(struct radix_sort_item *items, size_t n, radix_sort_tie *tie)
{
	struct radix_sort_part all = { items, n, 0 };
	struct radix_sort_run s = { .tie = tie, .random = hash_seed(items) };

	radix_sort_load(&all);
	radix_sort_part(&s, all);
}
