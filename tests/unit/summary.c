/* The figures of a summary, against a table and against a slow way. */
#include "model/summary.h"

#include <stdlib.h>
#include <string.h>

#include "prof.h"
#include "tests/support/images.h"

enum { MAX_COUNTS = 8, MAX_RECORDS = 3 };

static const struct {
	const char *name;
	enum summary_rule rule;
	uint64_t records[MAX_RECORDS][MAX_COUNTS];	/* up to END */
	uint64_t functions, blocks, max_function, max_block, max_internal,
	    total;
} figures[] = {
#define END 77777
	{ "nothing", SUMMARY_SKIP_RECORD, { { END }, { END }, { END } },
	    3, 0, 0, 0, 0, 0 },
	{ "zeros count", SUMMARY_SKIP_RECORD,
	    { { 0, 0, END }, { 0, END }, { 5, END } }, 3, 4, 5, 5, 0, 5 },
	{ "entry is not internal", SUMMARY_SKIP_RECORD,
	    { { 9, 1, 3, END }, { 2, 4, END }, { 0, END } },
	    3, 6, 9, 9, 4, 19 },
	{ "a total wraps", SUMMARY_SKIP_RECORD,
	    { { PROF_COUNT_MAX, 4, END }, { 0, END }, { 0, END } },
	    3, 4, PROF_COUNT_MAX, PROF_COUNT_MAX, 4, 1 },
	{ "hot and warm records are left out", SUMMARY_SKIP_RECORD,
	    { { PROF_COUNT_HOT, 4, END }, { PROF_COUNT_WARM, 5, END },
	    { 1, END } }, 1, 1, 1, 1, 0, 1 },
	{ "a marker inside is a number", SUMMARY_SKIP_RECORD,
	    { { 1, PROF_COUNT_HOT, END }, { 0, END }, { 0, END } },
	    3, 4, 1, PROF_COUNT_HOT, PROF_COUNT_HOT, 0 },
	{ "before LLVM 16 counters are left out", SUMMARY_SKIP_COUNTER,
	    { { PROF_COUNT_HOT, 4, END }, { 3, PROF_COUNT_HOT, END },
	    { 1, END } }, 3, 3, 3, 4, 4, 8 },
	{ "before LLVM 16 warm is a number", SUMMARY_SKIP_COUNTER,
	    { { PROF_COUNT_WARM, 3, END }, { 0, END }, { 0, END } },
	    3, 4, PROF_COUNT_WARM, PROF_COUNT_WARM, 3, 1 },
};

static size_t
count(const uint64_t *counts)
{
	size_t n = 0;

	while (counts[n] != END)
		n++;
	return n;
}

static void
test_figures(bool totals_only)
{
	for (size_t i = 0; i < COUNT(figures); i++) {
		struct summary s = { .totals_only = totals_only };

		for (size_t k = 0; k < MAX_RECORDS; k++)
			summary_add(&s, figures[i].records[k],
			    count(figures[i].records[k]), figures[i].rule);
		check(s.functions == figures[i].functions &&
		    s.blocks == figures[i].blocks &&
		    s.max_function_count == figures[i].max_function &&
		    s.max_block_count == figures[i].max_block &&
		    s.max_internal_block_count == figures[i].max_internal &&
		    s.total_block_count == figures[i].total,
		    "figures: %s%s", figures[i].name,
		    totals_only ? ", totals only" : "");
		summary_free(&s);
	}
}

static const struct {
	const char *name;
	uint64_t counts[MAX_COUNTS];	/* up to END */
	uint32_t cutoff;
	uint64_t min_count, num_counts;
} shares[] = {
	{ "nothing", { END }, 999999, 0, 0 },
	{ "zeros", { 0, 0, END }, 999999, 0, 0 },
	{ "less than one", { 8, 8, END }, 10000, 0, 0 },
	{ "half", { 8, 8, END }, 500000, 8, 2 },
	{ "largest first", { 1, 2, 5000, 3, END }, 900000, 5000, 1 },
	{ "equal ones together", { 7, 7, 7, 1, END }, 100000, 7, 3 },
	{ "all", { 7, 7, 7, 1, END }, 1000000, 1, 4 },
	{ "all but the last", { 1000000, 1, END }, 999999, 1000000, 1 },
	/* 2^64-3 * 999999 has 84 bits. */
	{ "a product of more than 64 bits", { PROF_COUNT_MAX - 1, 1, END },
	    999999, PROF_COUNT_MAX - 1, 1 },
	/* 2^63 + 2^63 + 5 is 5. */
	{ "a wrapped total", { (uint64_t)1 << 63, (uint64_t)1 << 63, 5, END },
	    500000, 5, 3 },
};

static void
test_shares(bool two_passes)
{
	for (size_t i = 0; i < COUNT(shares); i++) {
		struct summary s = { .two_passes = two_passes };
		struct summary_entry e;
		size_t n = count(shares[i].counts);
		bool ok;

		summary_add(&s, shares[i].counts, n, SUMMARY_SKIP_RECORD);
		summary_choose_buckets(&s, &shares[i].cutoff, 1);
		summary_add_again(&s, shares[i].counts, n, SUMMARY_SKIP_RECORD);
		/* Arguments of a call are evaluated in any order. */
		ok = summary_entries(&s, &shares[i].cutoff, 1, &e);
		check(ok && e.cutoff == shares[i].cutoff &&
		    e.min_count == shares[i].min_count &&
		    e.counts == shares[i].num_counts,
		    "cutoff: %s%s: %llu of at least %llu",
		    shares[i].name, two_passes ? ", twice" : "",
		    ull(e.counts),
		    ull(e.min_count));
		summary_free(&s);
	}
}

static uint64_t
random_u64(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int
descending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* One counter after the other, in descending order. */
static void
slow_entries(uint64_t *counts, size_t n, uint64_t total,
    struct summary_entry *out)
{
	uint64_t sum = 0;
	size_t used = 0;

	qsort(counts, n, sizeof(*counts), descending);
	for (size_t i = 0; i < SUMMARY_CUTOFFS; i++) {
		uint64_t want = total / SUMMARY_SCALE * summary_cutoffs[i] +
		    total % SUMMARY_SCALE * summary_cutoffs[i] / SUMMARY_SCALE;

		while (used < n && sum < want)
			sum += counts[used++];
		while (used > 0 && used < n &&
		    counts[used] == counts[used - 1])
			sum += counts[used++];
		out[i] = (struct summary_entry){ summary_cutoffs[i],
		    used == 0 ? 0 : counts[used - 1], used };
	}
}

static bool
agree(const struct summary_entry *a, const struct summary_entry *b)
{
	bool same = true;

	for (size_t i = 0; i < SUMMARY_CUTOFFS; i++)
		same = same && a[i].cutoff == b[i].cutoff &&
		    a[i].min_count == b[i].min_count &&
		    a[i].counts == b[i].counts;
	return same;
}

/* All counters again, the last ones first. */
static bool
agrees_twice(const uint64_t *counts, size_t n,
    const struct summary_entry *slow)
{
	struct summary_entry fast[SUMMARY_CUTOFFS];
	struct summary s = { .two_passes = true };
	bool same;

	for (size_t i = 0; i < n; i += 10)
		summary_add(&s, counts + i, n - i < 10 ? n - i : 10,
		    SUMMARY_SKIP_RECORD);
	summary_choose_buckets(&s, summary_cutoffs, SUMMARY_CUTOFFS);
	for (size_t i = (n + 9) / 10 * 10; i > 0; i -= 10)
		summary_add_again(&s, counts + i - 10, n - i + 10 < 10 ?
		    n - i + 10 : 10, SUMMARY_SKIP_RECORD);
	same = summary_entries(&s, summary_cutoffs, SUMMARY_CUTOFFS, fast) &&
	    agree(fast, slow);
	/* A few buckets, and of these only what is large. */
	if (n >= 1000000)
		check(s.large_size < n / 10, "few are kept: %zu of %zu",
		    s.large_size, n);
	summary_free(&s);
	return same;
}

static void
test_random(size_t n, unsigned bits)
{
	struct summary_entry fast[SUMMARY_CUTOFFS], slow[SUMMARY_CUTOFFS];
	uint64_t *counts = malloc(n * sizeof(*counts)), state = n + bits;
	uint64_t *copy;
	struct summary s = { 0 };
	bool same;

	if (counts == NULL)
		skip_all("out of memory");
	for (size_t i = 0; i < n; i++)
		counts[i] = random_u64(&state) >> (64 - bits) >>
		    random_u64(&state) % bits;
	for (size_t i = 0; i < n; i += 10)
		summary_add(&s, counts + i, n - i < 10 ? n - i : 10,
		    SUMMARY_SKIP_RECORD);
	same = summary_entries(&s, summary_cutoffs, SUMMARY_CUTOFFS, fast);
	/* Before they are sorted. */
	copy = malloc(n * sizeof(*copy));
	if (copy == NULL)
		skip_all("out of memory");
	memcpy(copy, counts, n * sizeof(*copy));
	slow_entries(counts, n, s.total_block_count, slow);
	check(same && agree(fast, slow), "%zu counters of at most %u bits", n,
	    bits);
	check(agrees_twice(copy, n, slow), "that come twice");
	free(copy);
	summary_free(&s);
	free(counts);
}

int
main(void)
{
	test_figures(false);
	test_figures(true);
	test_shares(false);
	test_shares(true);
	test_random(1, 5);
	test_random(1000, 5);
	test_random(5000, 12);
	test_random(200000, 26);
	/* Totals that wrap, and sums on the way to them. */
	for (size_t n = 20; n < 40; n++)
		test_random(n, 64);
	test_random(20000, 60);
	/* So many large ones that they are sorted in three parts. */
	test_random(2000000, 27);
	return done_testing();
}
