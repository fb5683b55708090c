/* Sorting by names, against sorting by comparisons. */
#include "base/radix_sort.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

enum { MOST = 3000, LONGEST = 64 };

static uint64_t state = 7;

static size_t
any_below(size_t n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (size_t)((state >> 33) % n);
}

static int
by_place(const void *a, const void *b)
{
	return (a > b) - (a < b);
}

static int
by_name(const void *a, const void *b)
{
	const struct radix_sort_item *x = a, *y = b;
	int order = prof_span_compare(x->name, y->name);

	return order != 0 ? order : by_place(x->thing, y->thing);
}

/* Names of some letters that begin alike; with zeros, and the empty one. */
static void
sorts(const char *what, size_t n, size_t prefix, size_t letters, size_t length)
{
	static struct radix_sort_item items[MOST], expected[MOST];
	static uint8_t bytes[MOST][LONGEST];
	bool same = true;

	for (size_t i = 0; i < n; i++) {
		size_t more = any_below(length + 1);

		memset(bytes[i], 'p', prefix);
		for (size_t k = 0; k < more; k++)
			bytes[i][prefix + k] = (uint8_t)any_below(letters);
		items[i] =
		    (struct radix_sort_item){ { bytes[i], prefix + more },
			    bytes[i], 0 };
		if (prefix + more == 0 && any_below(2) == 0)
			items[i].name.data = NULL;
	}
	memcpy(expected, items, n * sizeof(*items));
	qsort(expected, n, sizeof(*expected), by_name);
	radix_sort(items, n, by_place);
	for (size_t i = 0; i < n; i++)
		same = same && items[i].thing == expected[i].thing;
	check(same, "%s", what);
}

/* All names are one: it is the others of the things that decide. */
static void
sorts_ties(void)
{
	static struct radix_sort_item items[MOST];
	static char things[MOST];
	bool same = true;

	for (size_t i = 0; i < MOST; i++)
		items[i] = (struct radix_sort_item){
			{ (const uint8_t *)"one name", 8 },
			&things[(i * 7) % MOST], 0
		};
	radix_sort(items, MOST, by_place);
	for (size_t i = 1; i < MOST; i++)
		same = same && (char *)items[i - 1].thing <
		    (char *)items[i].thing;
	check(same, "ties");
}

/* Nothing takes a step for each byte and each call. */
static void
sorts_long(void)
{
	enum { SIZE = 1 << 20, COUNT = 40 };
	struct radix_sort_item items[COUNT];
	uint8_t *p = malloc(SIZE + COUNT);
	bool same = true;

	if (p == NULL)
		exit(1);
	memset(p, 'x', SIZE + COUNT);
	for (size_t i = 0; i < COUNT; i++)
		items[i] =
		    (struct radix_sort_item){ { p, SIZE + (i * 7) % COUNT }, p,
			    0 };
	radix_sort(items, COUNT, by_place);
	for (size_t i = 0; i < COUNT; i++)
		same = same && items[i].name.size == SIZE + i;
	check(same, "long names that begin alike");
	free(p);
}

int
main(void)
{
	radix_sort(NULL, 0, by_place);
	check(true, "nothing");
	sorts("one", 1, 0, 26, 8);
	sorts("few", 10, 3, 3, 8);
	sorts("many of few letters", MOST, 0, 3, 40);
	sorts("with zeros", MOST, 0, 2, 20);
	sorts("short ones", MOST, 0, 4, 3);
	sorts("behind a prefix", MOST, 23, 5, 20);
	sorts("behind one of eight", MOST, 8, 250, 20);
	sorts("of all letters", MOST, 0, 256, 60);
	for (size_t i = 0; i < 200; i++)
		sorts("any", 1 + any_below(MOST), any_below(20),
		    1 + any_below(256), any_below(40));
	sorts_ties();
	sorts_long();
	return done_testing();
}
