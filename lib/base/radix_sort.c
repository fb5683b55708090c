#include "base/radix_sort.h"

#include "base/bytes.h"

/* Eight bytes of a name are compared as one number. */
enum { STEP = 8, FEW = 12 };

/* Items whose names are the same before the depth, and loaded there. */
struct radix_sort_part {
	struct radix_sort_item *items;
	size_t n, depth;
};

struct radix_sort_run {
	radix_sort_tie *tie;
	/* Items moved by partitions that did not go deeper, and their limit. */
	size_t work, limit;
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
radix_sort_compare_here(const struct radix_sort_item *a,
    const struct radix_sort_item *b, size_t depth)
{
	size_t x = radix_sort_rest(a, depth), y = radix_sort_rest(b, depth);

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (x > y) - (x < y);
}

static int
radix_sort_compare(const struct radix_sort_run *s,
    const struct radix_sort_item *a, const struct radix_sort_item *b,
    size_t depth)
{
	int order = radix_sort_compare_here(a, b, depth);

	if (order == 0 && radix_sort_rest(a, depth) > STEP)
		order = prof_span_compare((struct prof_span){
		    a->name.data + depth, a->name.size - depth },
		    (struct prof_span){ b->name.data + depth,
		    b->name.size - depth });
	return order != 0 ? order : s->tie(a->thing, b->thing);
}

static void
radix_sort_insert(const struct radix_sort_run *s,
    const struct radix_sort_part *p)
{
	for (size_t i = 1; i < p->n; i++) {
		struct radix_sort_item item = p->items[i];
		size_t k = i;

		for (; k > 0 && radix_sort_compare(s, &p->items[k - 1], &item,
		    p->depth) > 0; k--)
			p->items[k] = p->items[k - 1];
		p->items[k] = item;
	}
}

static void
radix_sort_swap(struct radix_sort_item *a, struct radix_sort_item *b)
{
	struct radix_sort_item c = *a;

	*a = *b;
	*b = c;
}

static void
radix_sort_sift(const struct radix_sort_run *s, const struct radix_sort_part *p,
    size_t i, size_t n)
{
	struct radix_sort_item *items = p->items;

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && radix_sort_compare(s, &items[child],
		    &items[child + 1], p->depth) < 0)
			child++;
		if (radix_sort_compare(s, &items[i], &items[child], p->depth) >=
		    0)
			break;
		radix_sort_swap(&items[i], &items[child]);
	}
}

/* O(n log n) comparisons for any names. */
static void
radix_sort_heap(const struct radix_sort_run *s, const struct radix_sort_part *p)
{
	for (size_t i = p->n / 2; i-- > 0; )
		radix_sort_sift(s, p, i, p->n);
	for (size_t end = p->n; end-- > 1; ) {
		radix_sort_swap(&p->items[0], &p->items[end]);
		radix_sort_sift(s, p, 0, end);
	}
}

static const struct radix_sort_item *
radix_sort_median(const struct radix_sort_item *a,
    const struct radix_sort_item *b, const struct radix_sort_item *c,
    size_t depth)
{
	bool ab = radix_sort_compare_here(a, b, depth) < 0;

	if (ab == (radix_sort_compare_here(b, c, depth) < 0))
		return b;
	return ab == (radix_sort_compare_here(a, c, depth) < 0) ? c : a;
}

/* Items whose bytes here are below the pivot, equal, and above. */
static void
radix_sort_divide(const struct radix_sort_part *p,
    struct radix_sort_part parts[3])
{
	struct radix_sort_item *items = p->items,
			       pivot = *radix_sort_median(&items[0],
				   &items[p->n / 2], &items[p->n - 1],
				   p->depth);
	size_t i = 0, equal = 0, above = p->n;

	while (i < above) {
		int order =
		    radix_sort_compare_here(&items[i], &pivot, p->depth);

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
	while (p.n > FEW && s->work < s->limit) {
		struct radix_sort_part parts[3];
		size_t largest = 0;

		radix_sort_divide(&p, parts);
		/* Names that are equal so far go on to their next bytes. */
		if (radix_sort_rest(parts[1].items, p.depth) > STEP) {
			parts[1].depth += STEP;
			radix_sort_load(&parts[1]);
		} else {
			radix_sort_heap(s, &parts[1]);
			parts[1].n = 0;
		}
		for (size_t i = 1; i < 3; i++)
			largest = parts[i].n > parts[largest].n ? i : largest;
		for (size_t i = 0; i < 3; i++) {
			if (i != largest)
				radix_sort_part(s, parts[i]);
		}
		if (largest != 1)
			s->work += p.n;
		p = parts[largest];
	}
	if (p.n > FEW)
		radix_sort_heap(s, &p);
	else
		radix_sort_insert(s, &p);
}

void
radix_sort(struct radix_sort_item *items, size_t n, radix_sort_tie *tie)
{
	struct radix_sort_part all = { items, n, 0 };
	struct radix_sort_run s = { .tie = tie, .limit = SIZE_MAX };

	if (n < SIZE_MAX / 1024)
		s.limit = 16 * n * (size_t)(64 - __builtin_clzll(n | 1));
	radix_sort_load(&all);
	radix_sort_part(&s, all);
}
