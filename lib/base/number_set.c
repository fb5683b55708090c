#include "base/number_set.h"

#include <stdlib.h>
#include <string.h>

static int
number_set_compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void
number_set_sort(struct number_set *s)
{
	size_t kept = 0;

	if (s->size > 1)
		qsort(s->items, s->size, sizeof(*s->items),
		    number_set_compare);
	for (size_t i = 0; i < s->size; i++) {
		if (kept == 0 || s->items[kept - 1] != s->items[i])
			s->items[kept++] = s->items[i];
	}
	s->size = kept;
}

static bool
number_set_grow(struct number_set *s, struct arena *a)
{
	size_t room = s->room == 0 ? 4 : s->room * 2;
	uint64_t *items = arena_array(a, room, sizeof(*items));

	if (items == NULL)
		return false;
	if (s->size != 0)
		memcpy(items, s->items, s->size * sizeof(*items));
	s->items = items;
	s->room = room;
	return true;
}

bool
number_set_add(struct number_set *s, struct arena *a, uint64_t item)
{
	if (s->size != 0 && s->items[s->size - 1] == item)
		return true;
	/* Afterwards half of the room is free, so that sorting stays rare. */
	if (s->size == s->room) {
		number_set_sort(s);
		if (s->size >= s->room / 2 && !number_set_grow(s, a))
			return false;
	}
	s->items[s->size++] = item;
	return true;
}

bool
number_set_has(const struct number_set *s, uint64_t item)
{
	return s->size != 0 && bsearch(&item, s->items, s->size,
	    sizeof(*s->items), number_set_compare) != NULL;
}
