#include <stdlib.h>
#include <string.h>

#include "ops/figures.h"

/* One allocation a function: name and counts stand behind it. */
struct place {
	uint64_t max;
	struct prof_function function;
};

/* Sorted, the best first; N is what fits a screen, so insertion will do. */
struct top {
	size_t size, count;
	struct place *places[];
};

struct top *
top_new(size_t size)
{
	struct top *t;

	if (size > SIZE_MAX / 2 / sizeof(t->places[0]))
		return NULL;
	t = calloc(1, sizeof(*t) + size * sizeof(t->places[0]));
	if (t != NULL)
		t->size = size;
	return t;
}

static bool
top_is_better(uint64_t max, const struct prof_function *f,
    const struct place *p)
{
	int order;

	if (max != p->max)
		return max > p->max;
	order = prof_span_compare(f->symbol.name, p->function.symbol.name);
	return order < 0 || (order == 0 && f->hash < p->function.hash);
}

static struct place *
top_copy(uint64_t max, const struct prof_function *f)
{
	size_t counts = f->counts_size * sizeof(*f->counts);
	struct place *p = malloc(sizeof(*p) + counts + f->symbol.name.size);
	uint8_t *behind = (uint8_t *)(p + 1);

	if (p == NULL)
		return NULL;
	*p = (struct place){ max, { .hash = f->hash, .symbol = f->symbol,
	    .counts_size = f->counts_size } };
	if (counts != 0)
		p->function.counts = memcpy(behind, f->counts, counts);
	if (f->symbol.name.data != NULL)
		p->function.symbol.name.data = memcpy(behind + counts,
		    f->symbol.name.data, f->symbol.name.size);
	return p;
}

bool
top_add(struct top *t, const struct prof_function *f)
{
	uint64_t max = figures_max_count(f);
	size_t low = 0, high = t->count;
	struct place *p;

	if (t->size == 0 || prof_is_pseudo(f) || (t->count == t->size &&
	    !top_is_better(max, f, t->places[t->count - 1])))
		return true;
	p = top_copy(max, f);
	if (p == NULL)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (top_is_better(max, f, t->places[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	if (t->count == t->size)
		free(t->places[--t->count]);
	memmove(&t->places[low + 1], &t->places[low],
	    (t->count - low) * sizeof(t->places[0]));
	t->places[low] = p;
	t->count++;
	return true;
}

size_t
top_count(const struct top *t)
{
	return t->count;
}

const struct prof_function *
top_get(const struct top *t, size_t i)
{
	return &t->places[i]->function;
}

void
top_free(struct top *t)
{
	for (size_t i = 0; t != NULL && i < t->count; i++)
		free(t->places[i]);
	free(t);
}
