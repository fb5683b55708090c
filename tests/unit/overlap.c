/* Comparing profiles: what bats cannot put into a file, and the sums. */
#include "ops/diff/overlap.h"

#include <string.h>

#include "ops/diff/changes.h"
#include "tests/support/test.h"

#define CS ((uint64_t)1 << 60)

/* Two tables as overlap_compare takes them. */
#define BOTH(a, b) ((struct diff_table *[]){ &(a), &(b) })

static bool
near(double a, double b)
{
	double d = a - b;

	return d < 1e-9 && d > -1e-9;
}

static void
start(struct diff_table *t, enum prof_level level)
{
	const struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile.level = level };

	diff_table_add(t, &r, NULL);
}

static void
put(struct diff_table *t, const char *name, uint64_t hash, uint64_t x,
    uint64_t y)
{
	const uint64_t counts[] = { x, y };
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.name = { (const uint8_t *)name,
	    strlen(name) }, .hash = hash, .counts = counts,
	    .counts_size = 2 } };

	diff_table_add(t, &r, NULL);
}

static void
put_value(struct diff_table *t, uint64_t target, uint64_t count)
{
	const uint64_t counts[] = { 1 };
	const struct prof_value value = { .value = target, .count = count };
	const struct prof_site site = { &value, 1 };
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.guid = 7, .hash = 7, .counts = counts,
	    .counts_size = 1, .values = { { &site, 1 } } } };

	diff_table_add(t, &r, NULL);
}

static void
test_classes(void)
{
	struct diff_table a = { 0 }, b = { 0 };
	struct overlap o;

	start(&a, PROF_LEVEL_IR);
	start(&b, PROF_LEVEL_IR);
	put(&a, "f", 1, 1, 3);
	put(&a, "f", CS | 1, 5, 5);
	put(&b, "f", 1, 3, 1);
	put(&b, "f", CS | 2, 5, 5);
	check(overlap_compare(BOTH(a, b), false, &o, NULL, NULL) &&
	    o.records[OVERLAP_A] == 1 && o.common == 1 &&
	    near(o.counts.overlap, 0.5), "classes: plain with its own sum");
	check(overlap_compare(BOTH(a, b), true, &o, NULL, NULL) &&
	    o.common == 0 && o.stale[OVERLAP_A] == 1 &&
	    o.stale[OVERLAP_B] == 1 && near(o.counts.sum[OVERLAP_A], 10),
	    "classes: context-sensitive with its own");
	diff_table_free(&a);
	diff_table_free(&b);

	/* In front-end profiles the bit says something else. */
	start(&a, PROF_LEVEL_FRONTEND);
	put(&a, "f", CS | 1, 1, 1);
	check(overlap_compare(BOTH(a, b), false, &o, NULL, NULL) &&
	    o.records[OVERLAP_A] == 1 && o.unmatched[OVERLAP_A] == 1,
	    "classes: not of front ends");
	diff_table_free(&a);
}

static void
test_sums(void)
{
	struct diff_table t = { 0 };
	const struct diff_function *f;

	put(&t, "f", 1, PROF_COUNT_MAX - 1, 1);
	put(&t, "f", 1, 5, 1);
	f = &t.functions[0];
	check(t.size == 1 && f->counts[0] == PROF_COUNT_MAX &&
	    f->counts[1] == 2, "sums: counters saturate");
	check(f->count_sum == UINT64_MAX, "sums: and their sum does");
	diff_table_free(&t);

	put_value(&t, 9, 2);
	put_value(&t, 3, 1);
	put_value(&t, 9, 4);
	f = &t.functions[0];
	check(t.size == 1 && f->sites[0][0].size == 2 &&
	    f->sites[0][0].values[0].value == 3 &&
	    f->sites[0][0].values[1].count == 6 && f->value_sums[0] == 7,
	    "sums: values by target");
	diff_table_free(&t);
}

/* 1/7 + 4/7 + 2/7 is not 1 in doubles, but is with the digits of x87. */
static void
test_digits(void)
{
	struct diff_table a = { 0 }, b = { 0 };
	struct overlap o;

	for (int i = 0; i < 2; i++) {
		put_value(i == 0 ? &a : &b, 1, 1);
		put_value(i == 0 ? &a : &b, 2, 4);
		put_value(i == 0 ? &a : &b, 3, 2);
	}
	check(overlap_compare(BOTH(a, b), false, &o, NULL, NULL) &&
	    o.values[0].overlap == 1 - 0x1p-53, "digits: those of doubles");
	diff_table_free(&a);
	diff_table_free(&b);
}

static void
test_zero(void)
{
	struct diff_table a = { 0 }, b = { 0 };
	struct diff_changes l = { 0 };
	struct overlap o;

	put(&a, "f", 1, 0, 0);
	put(&a, "g", 1, 0, 0);
	put(&b, "f", 1, 0, 0);
	put(&b, "g", 2, 0, 0);
	check(overlap_compare(BOTH(a, b), false, &o, diff_changes_add, &l) &&
	    near(o.counts.overlap, 0) && o.common == 1 && o.unused == 1 &&
	    near(o.counts.stale[OVERLAP_B], 0), "zero: no share of nothing");
	check(l.size == 1 && l.items[0].state == OVERLAP_STALE,
	    "zero: stale all the same");
	diff_changes_free(&l);
	diff_table_free(&a);
	diff_table_free(&b);
}

/* A name with very many hashes: time must not grow with its square. */
static void
test_many(void)
{
	struct diff_table a = { 0 }, b = { 0 };
	struct diff_changes l = { 0 };
	struct overlap o;
	enum { MANY = 300000 };

	for (uint64_t i = 0; i < MANY; i++) {
		put(&a, "f", i, 1, 0);
		put(&b, "f", i + MANY / 2, 1, 0);
	}
	check(overlap_compare(BOTH(a, b), false, &o, diff_changes_add, &l) &&
	    o.common == MANY / 2 && o.stale[OVERLAP_A] == MANY / 2 &&
	    o.stale[OVERLAP_B] == MANY / 2 && near(o.counts.overlap, 0.5),
	    "many hashes of one name");
	check(l.size == 1 && l.items[0].count[OVERLAP_A] == MANY / 2,
	    "many hashes: one change");
	diff_changes_free(&l);
	diff_table_free(&a);
	diff_table_free(&b);
}

static void
test_order(void)
{
	struct diff_table a = { 0 }, b = { 0 };
	struct diff_changes l = { 0 };
	struct overlap o;

	put(&a, "less", 1, 50, 0);
	put(&b, "less", 1, 40, 0);
	put(&a, "z", 1, 25, 0);
	put(&b, "z", 1, 30, 0);
	put(&a, "a", 1, 25, 0);
	put(&b, "a", 1, 30, 0);
	overlap_compare(BOTH(a, b), false, &o, diff_changes_add, &l);
	diff_changes_sort(&l);
	check(l.size == 3 && l.items[0].function[0] == &a.functions[0] &&
	    l.items[1].function[0] == &a.functions[2] &&
	    near(l.items[0].share[OVERLAP_B], 0.4),
	    "order: by drift, then by name");
	diff_changes_free(&l);
	diff_table_free(&a);
	diff_table_free(&b);
}

int
main(void)
{
	test_classes();
	test_sums();
	test_digits();
	test_zero();
	test_many();
	test_order();
	return done_testing();
}
