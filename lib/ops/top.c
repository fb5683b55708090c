#include <stdlib.h>
#include <string.h>

#include "ops/figures.h"

/* One allocation for each function: its counts and name are behind it. */
struct top_entry {
	uint64_t max;
	struct prof_function function;
};

/*
 * Sorted, the best first.  Entries are inserted by moving those behind: lists
 * are as long as a screen.
 */
struct top {
	size_t size, count;
	struct top_entry *entries[];
};

struct top *
top_new(size_t size)
{
	struct top *t;

	if (size > SIZE_MAX / 2 / sizeof(t->entries[0]))
		return NULL;
	t = calloc(1, sizeof(*t) + size * sizeof(t->entries[0]));
	if (t != NULL)
		t->size = size;
	return t;
}

static bool
top_is_better(uint64_t max, const struct prof_function *f,
    const struct top_entry *p)
{
	int order;

	if (max != p->max)
		return max > p->max;
	order = prof_span_compare(f->symbol.name, p->function.symbol.name);
	return order < 0 || (order == 0 && f->hash < p->function.hash);
}

static struct top_entry *
top_copy(uint64_t max, const struct prof_function *f)
{
	size_t counts = f->counts_size * sizeof(*f->counts);
	struct top_entry *p = malloc(sizeof(*p) + counts + f->symbol.name.size);
	uint8_t *behind = (uint8_t *)(p + 1);

	if (p == NULL)
		return NULL;
	*p = (struct top_entry){ max, { .hash = f->hash, .symbol = f->symbol,
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
	struct top_entry *p;

	if (t->size == 0 || prof_is_pseudo(f) || (t->count == t->size &&
	    !top_is_better(max, f, t->entries[t->count - 1])))
		return true;
	p = top_copy(max, f);
	if (p == NULL)
		return false;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (top_is_better(max, f, t->entries[middle]))
			high = middle;
		else
			low = middle + 1;
	}
	if (t->count == t->size)
		free(t->entries[--t->count]);
	memmove(&t->entries[low + 1], &t->entries[low],
	    (t->count - low) * sizeof(t->entries[0]));
	t->entries[low] = p;
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
	return &t->entries[i]->function;
}

void
top_free(struct top *t)
{
	for (size_t i = 0; t != NULL && i < t->count; i++)
		free(t->entries[i]);
	free(t);
}
