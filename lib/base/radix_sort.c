#include "base/radix_sort.h"

#include "base/bytes.h"

/* Eight bytes of a name are compared as one number. */
enum { STEP = 8, FEW = 12 };

/* Items whose names are the same before the depth, and loaded there. */
struct part {
	struct named *items;
	size_t n, depth;
};

struct sort {
	name_tie *tie;
	/* What all names take, and what bad luck with pivots may take. */
	size_t work, limit;
};

/* Of what is left of a name: all that is longer is equally long. */
static size_t
rest(const struct named *i, size_t depth)
{
	size_t left = i->name.size - depth;

	return left > STEP ? STEP + 1 : left;
}

static void
load(const struct part *p)
{
	for (size_t n = 0; n < p->n; n++) {
		struct named *i = &p->items[n];
		const uint8_t *name = i->name.data;
		size_t left = rest(i, p->depth);

		i->bytes = left < STEP ? 0 : load_u64(name + p->depth, true);
		for (size_t k = 0; k < left && left < STEP; k++)
			i->bytes |= (uint64_t)name[p->depth + k] <<
			    (56 - 8 * k);
	}
}

static int
compare_here(const struct named *a, const struct named *b, size_t depth)
{
	size_t x = rest(a, depth), y = rest(b, depth);

	if (a->bytes != b->bytes)
		return a->bytes < b->bytes ? -1 : 1;
	return (x > y) - (x < y);
}

static int
compare(const struct sort *s, const struct named *a, const struct named *b,
    size_t depth)
{
	int order = compare_here(a, b, depth);

	if (order == 0 && rest(a, depth) > STEP)
		order = prof_span_compare((struct prof_span){
		    a->name.data + depth, a->name.size - depth },
		    (struct prof_span){ b->name.data + depth,
		    b->name.size - depth });
	return order != 0 ? order : s->tie(a->thing, b->thing);
}

static void
insert(const struct sort *s, const struct part *p)
{
	for (size_t i = 1; i < p->n; i++) {
		struct named item = p->items[i];
		size_t k = i;

		for (; k > 0 && compare(s, &p->items[k - 1], &item,
		    p->depth) > 0; k--)
			p->items[k] = p->items[k - 1];
		p->items[k] = item;
	}
}

static void
swap(struct named *a, struct named *b)
{
	struct named c = *a;

	*a = *b;
	*b = c;
}

static void
sift(const struct sort *s, const struct part *p, size_t i, size_t n)
{
	struct named *items = p->items;

	for (size_t child; (child = 2 * i + 1) < n; i = child) {
		if (child + 1 < n && compare(s, &items[child],
		    &items[child + 1], p->depth) < 0)
			child++;
		if (compare(s, &items[i], &items[child], p->depth) >= 0)
			break;
		swap(&items[i], &items[child]);
	}
}

/* Takes no longer for any names. */
static void
heap_sort(const struct sort *s, const struct part *p)
{
	for (size_t i = p->n / 2; i-- > 0; )
		sift(s, p, i, p->n);
	for (size_t end = p->n; end-- > 1; ) {
		swap(&p->items[0], &p->items[end]);
		sift(s, p, 0, end);
	}
}

static const struct named *
middle(const struct named *a, const struct named *b, const struct named *c,
    size_t depth)
{
	bool ab = compare_here(a, b, depth) < 0;

	if (ab == (compare_here(b, c, depth) < 0))
		return b;
	return ab == (compare_here(a, c, depth) < 0) ? c : a;
}

/* Those below the pivot here, those like it, and those above. */
static void
divide(const struct part *p, struct part parts[3])
{
	struct named *items = p->items, pivot = *middle(&items[0],
	    &items[p->n / 2], &items[p->n - 1], p->depth);
	size_t i = 0, equal = 0, above = p->n;

	while (i < above) {
		int order = compare_here(&items[i], &pivot, p->depth);

		if (order < 0)
			swap(&items[i++], &items[equal++]);
		else if (order > 0)
			swap(&items[i], &items[--above]);
		else
			i++;
	}
	parts[0] = (struct part){ items, equal, p->depth };
	parts[1] = (struct part){ items + equal, above - equal, p->depth };
	parts[2] = (struct part){ items + above, p->n - above, p->depth };
}

/* Names that are alike here: on to what follows, if anything does. */
static void
go_deeper(const struct sort *s, struct part *p)
{
	if (rest(p->items, p->depth) > STEP) {
		p->depth += STEP;
		load(p);
	} else {
		heap_sort(s, p);
		p->n = 0;
	}
}

/* The largest part is done here, so that calls nest no deeper than log2(n). */
static void
sort(struct sort *s, struct part p)
{
	while (p.n > FEW && s->work < s->limit) {
		struct part parts[3];
		size_t largest = 0;

		divide(&p, parts);
		go_deeper(s, &parts[1]);
		for (size_t i = 1; i < 3; i++)
			largest = parts[i].n > parts[largest].n ? i : largest;
		for (size_t i = 0; i < 3; i++) {
			if (i != largest)
				sort(s, parts[i]);
		}
		if (largest != 1)
			s->work += p.n;
		p = parts[largest];
	}
	if (p.n > FEW)
		heap_sort(s, &p);
	else
		insert(s, &p);
}

void
name_sort(struct named *items, size_t n, name_tie *tie)
{
	struct part all = { items, n, 0 };
	struct sort s = { .tie = tie, .limit = SIZE_MAX };

	if (n < SIZE_MAX / 1024)
		s.limit = 16 * n * (size_t)(64 - __builtin_clzll(n | 1));
	load(&all);
	sort(&s, all);
}
