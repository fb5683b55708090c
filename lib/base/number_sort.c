/* A radix sort from the lowest byte to the highest. */
#include "base/number_sort.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES = 8, VALUES = 256 };

static unsigned
number_byte(uint64_t key, unsigned byte)
{
	return (unsigned)(key >> 8 * byte) & (VALUES - 1);
}

/* How many keys have each value of each byte. */
static void
number_count(const struct number_sort_item *items, size_t n,
    size_t counts[BYTES][VALUES])
{
	memset(counts, 0, sizeof(size_t) * BYTES * VALUES);
	for (size_t i = 0; i < n; i++) {
		for (unsigned b = 0; b < BYTES; b++)
			counts[b][number_byte(items[i].key, b)]++;
	}
}

/* Moves the items to `to`, in the order of one byte of their keys. */
static void
number_move(const struct number_sort_item *from, size_t n, unsigned byte,
    const size_t counts[VALUES], struct number_sort_item *to)
{
	size_t places[VALUES], at = 0;

	for (unsigned v = 0; v < VALUES; v++) {
		places[v] = at;
		at += counts[v];
	}
	for (size_t i = 0; i < n; i++)
		to[places[number_byte(from[i].key, byte)]++] = from[i];
}

bool
number_sort(struct number_sort_item *items, size_t n)
{
	size_t counts[BYTES][VALUES];
	struct number_sort_item *other, *from = items, *to;

	if (n < 2)
		return true;
	to = other = calloc(n, sizeof(*other));
	if (other == NULL)
		return false;
	number_count(items, n, counts);
	for (unsigned b = 0; b < BYTES; b++) {
		struct number_sort_item *sorted = to;

		if (counts[b][number_byte(from[0].key, b)] == n)
			continue;
		number_move(from, n, b, counts[b], sorted);
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, n * sizeof(*items));
	free(other);
	return true;
}
