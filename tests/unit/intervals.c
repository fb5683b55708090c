/* Ranges that overlap: which one has an address. */
#include "config.h"

#include "base/numbers.h"

#include "tests/support/test.h"

#define SPACE 200

/* The rank that has each address, by painting one after the other. */
static void
paint(const struct intervals *v, int64_t ranks[SPACE])
{
	for (size_t i = 0; i < SPACE; i++)
		ranks[i] = -1;
	for (size_t i = 0; i < v->size; i++) {
		const struct interval *r = &v->items[i];

		for (uint64_t a = r->start; a < r->end; a++) {
			if (ranks[a] < (int64_t)r->rank)
				ranks[a] = r->rank;
		}
	}
}

static bool
is_painted(const struct intervals *v, const int64_t ranks[SPACE])
{
	for (size_t i = 0; i < SPACE; i++) {
		const struct interval *r = intervals_find(v, i);

		if ((r == NULL ? -1 : (int64_t)r->rank) != ranks[i])
			return false;
	}
	return true;
}

static bool
is_cut(const struct intervals *v)
{
	for (size_t i = 0; i < v->size; i++) {
		if (v->items[i].start >= v->items[i].end ||
		    (i > 0 && v->items[i - 1].end > v->items[i].start))
			return false;
	}
	return true;
}

/* The next number below n. */
static uint32_t
random_below(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 69069 + 12345;
	return (*seed >> 16) % n;
}

/* Adds a range of fewer than `size` addresses that begins below `starts`. */
static bool
add_random(struct intervals *v, uint32_t *seed, uint32_t starts, uint32_t size,
    uint32_t rank)
{
	uint64_t start = random_below(seed, starts);

	return intervals_add(v, start, start + random_below(seed, size), rank);
}

/* Nested, side by side, equal, overlapping in any way. */
static void
test_random(void)
{
	static int64_t ranks[SPACE];
	uint32_t seed = 1;
	bool good = true;

	for (int round = 0; round < 2000 && good; round++) {
		struct intervals v = { 0 };
		uint32_t n = (uint32_t)round % 40;

		for (uint32_t i = 0; i < n; i++)
			good = good && add_random(&v, &seed, SPACE - 20, 20,
			    round % 2 == 0 ? i : (seed >> 20) % 5);
		paint(&v, ranks);
		good = good && intervals_build(&v) && is_cut(&v) &&
		    is_painted(&v, ranks);
		/* Once more changes nothing, and one can be added. */
		good = good && intervals_build(&v) &&
		    is_painted(&v, ranks) &&
		    intervals_add(&v, 50, 90, UINT32_MAX);
		paint(&v, ranks);
		good = good && intervals_build(&v) && is_painted(&v, ranks);
		intervals_free(&v);
	}
	check(good, "as if painted one over the other");
}

/* Ranges side by side are sorted about log n times each. */
static void
test_many(void)
{
	enum { MANY = 100000 };
	struct intervals v = { 0 };
	bool good = true;

	for (uint64_t i = 0; i < MANY && good; i++) {
		uint64_t at = i * 7919 % MANY;

		good = intervals_add(&v, at * 10, at * 10 + 5, (uint32_t)i) &&
		    intervals_build(&v) && v.size == i + 1 &&
		    intervals_find(&v, at * 10 + 4)->rank == i &&
		    intervals_find(&v, at * 10 + 5) == NULL;
	}
	check(good && v.batches_size <= 17, "many, each found before the next");
	intervals_free(&v);
}

/* The rank of the range that begins last of those that have an address. */
static int64_t
last_begun(const struct intervals *v, uint64_t address)
{
	const struct interval *last = NULL;

	for (size_t i = 0; i < v->size; i++) {
		const struct interval *r = &v->items[i];

		if (r->start <= address && address < r->end && (last == NULL ||
		    r->start > last->start || (r->start == last->start &&
		    r->rank > last->rank)))
			last = r;
	}
	return last == NULL ? -1 : (int64_t)last->rank;
}

static void
test_nested(void)
{
	static int64_t ranks[SPACE];
	uint32_t seed = 1;
	bool good = true;

	for (int round = 0; round < 2000 && good; round++) {
		struct intervals v = { 0 };
		uint32_t n = (uint32_t)round % 40;

		for (uint32_t i = 0; i < n; i++)
			good = good && add_random(&v, &seed, SPACE / 2,
			    SPACE / 2, n - i);
		for (size_t i = 0; i < SPACE; i++)
			ranks[i] = last_begun(&v, i);
		good = good && intervals_nest(&v) && is_cut(&v) &&
		    is_painted(&v, ranks);
		intervals_free(&v);
	}
	check(good, "of those that begin last");
}

static void
test_edges(void)
{
	struct intervals v = { 0 };

	check(intervals_build(&v) && intervals_find(&v, 0) == NULL,
	    "no ranges");
	check(intervals_add(&v, 5, 5, 0) && intervals_add(&v, 6, 5, 0) &&
	    v.size == 0, "empty ranges are passed over");
	check(intervals_add(&v, UINT64_MAX - 1, UINT64_MAX, 0) &&
	    intervals_add(&v, 0, 1, 1) && intervals_build(&v) &&
	    v.size == 2, "both ends of memory");
	check(intervals_find(&v, UINT64_MAX - 1) == &v.items[1] &&
	    intervals_find(&v, 0) == &v.items[0] &&
	    intervals_find(&v, 1) == NULL &&
	    intervals_find(&v, UINT64_MAX) == NULL, "found there");
	intervals_free(&v);
}

int
main(void)
{
	test_random();
	test_many();
	test_nested();
	test_edges();
	return done_testing();
}
