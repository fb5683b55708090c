/* Comparing profiles: what bats cannot put into a file, and the sums. */
#include "ops/diff/overlap.h"

#include <string.h>

#include "tests/support/test.h"

#define CS ((uint64_t)1 << 60)

enum { A = OVERLAP_A, B = OVERLAP_B };

static bool
near(double a, double b)
{
	double d = a - b;

	return d < 1e-9 && d > -1e-9;
}

static void
start(struct diff_table *t, int side, enum prof_level level)
{
	const struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile.level = level };

	diff_table_add(t, side, &r, NULL);
}

static void
put(struct diff_table *t, int side, const char *name, uint64_t hash,
    uint64_t x, uint64_t y)
{
	const uint64_t counts[] = { x, y };
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.name = { (const uint8_t *)name,
	    strlen(name) }, .hash = hash, .counts = counts,
	    .counts_size = 2 } };

	diff_table_add(t, side, &r, NULL);
}

static void
put_value(struct diff_table *t, int side, uint64_t target, uint64_t count)
{
	const uint64_t counts[] = { 1 };
	const struct prof_value value = { .value = target, .count = count };
	const struct prof_site site = { &value, 1 };
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.guid = 7, .hash = 7, .counts = counts,
	    .counts_size = 1, .values = { { &site, 1 } } } };

	diff_table_add(t, side, &r, NULL);
}

static void
test_classes(void)
{
	struct diff_table t = { 0 };
	struct overlap o;

	start(&t, A, PROF_LEVEL_IR);
	start(&t, B, PROF_LEVEL_IR);
	put(&t, A, "f", 1, 1, 3);
	put(&t, A, "f", CS | 1, 5, 5);
	put(&t, B, "f", 1, 3, 1);
	put(&t, B, "f", CS | 2, 5, 5);
	check(overlap_compare(&t, false, &o, NULL, NULL) &&
	    o.records[OVERLAP_A] == 1 && o.common == 1 &&
	    near(o.counts.overlap.sum, 0.5), "classes: plain with its own sum");
	check(overlap_compare(&t, true, &o, NULL, NULL) &&
	    o.common == 0 && o.stale[OVERLAP_A] == 1 &&
	    o.stale[OVERLAP_B] == 1 && near(o.counts.sum[OVERLAP_A], 10),
	    "classes: context-sensitive with its own");
	diff_table_free(&t);

	/* In front-end profiles the bit says something else. */
	start(&t, A, PROF_LEVEL_FRONTEND);
	put(&t, A, "f", CS | 1, 1, 1);
	check(overlap_compare(&t, false, &o, NULL, NULL) &&
	    o.records[OVERLAP_A] == 1 && o.unmatched[OVERLAP_A] == 1,
	    "classes: not of front ends");
	diff_table_free(&t);
}

static void
test_sums(void)
{
	struct diff_table t = { 0 };
	const struct diff_record *r;
	const struct diff_value *v;

	put(&t, A, "f", 1, 4, UINT32_MAX);
	r = t.functions[0].records[A];
	check(r->counts[0] == 4 && r->counts[1] == UINT32_MAX &&
	    diff_count_sum(r) == (uint64_t)UINT32_MAX + 4,
	    "sums: counters of 32 bits");
	put(&t, A, "f", 1, 0, 1);
	r = t.functions[0].records[A];
	check(t.size == 1 && r->counts[0] == 4 &&
	    r->counts[1] == (uint64_t)UINT32_MAX + 1,
	    "sums: above 32 bits");
	diff_table_free(&t);

	put(&t, A, "f", 1, PROF_COUNT_MAX - 1, 1);
	put(&t, A, "f", 1, 5, 1);
	r = t.functions[0].records[A];
	check(t.size == 1 && r->counts[0] == PROF_COUNT_MAX &&
	    r->counts[1] == 2, "sums: counters saturate");
	check(diff_count_sum(r) == UINT64_MAX, "sums: and their sum does");
	diff_table_free(&t);

	put_value(&t, A, 9, 2);
	put_value(&t, A, 3, 1);
	put_value(&t, A, 9, 4);
	r = t.functions[0].records[A];
	v = r->sites[0][0].values;
	check(t.size == 1 && r->sites[0][0].size == 2 &&
	    v[0].target == 3 && v[1].count == 6 && diff_value_sum(r, 0) == 7,
	    "sums: values by target");
	diff_table_free(&t);
}

/* The name is that of B; a name that only A has is none there. */
static void
test_names(void)
{
	struct diff_table t = { 0 };
	const struct prof_symbol *s;
	const uint64_t counts[] = { 1 };
	struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.guid = 0, .hash = 1, .counts = counts,
	    .counts_size = 1 } };

	put(&t, A, "f", 1, 1, 1);
	s = &t.functions[0].symbol;
	check(s->name.size == 1, "names: of A");
	r.u.function.symbol.guid = s->guid;
	diff_table_add(&t, B, &r, NULL);
	check(t.size == 1 && t.functions[0].symbol.name.data == NULL,
	    "names: none on side B");
	diff_table_free(&t);
}

static void
test_zero(void)
{
	struct diff_table t = { 0 };
	struct diff_changes l = { .most = 10 };
	struct overlap o;

	put(&t, A, "f", 1, 0, 0);
	put(&t, A, "g", 1, 0, 0);
	put(&t, B, "f", 1, 0, 0);
	put(&t, B, "g", 2, 0, 0);
	check(overlap_compare(&t, false, &o, diff_changes_add, &l) &&
	    near(o.counts.overlap.sum, 0) && o.common == 1 && o.unused == 1 &&
	    near(o.counts.stale[OVERLAP_B].sum, 0),
	    "zero: no share of nothing");
	check(l.size == 1 && l.items[0].state == OVERLAP_STALE,
	    "zero: stale all the same");
	diff_changes_free(&l);
	diff_table_free(&t);
}

/* A name with very many hashes: time must not grow with its square. */
static void
test_many(void)
{
	struct diff_table t = { 0 };
	struct diff_changes l = { .most = 10 };
	struct overlap o;
	enum { MANY = 300000 };

	for (uint64_t i = 0; i < MANY; i++) {
		put(&t, A, "f", i, 1, 0);
		put(&t, B, "f", i + MANY / 2, 1, 0);
	}
	check(overlap_compare(&t, false, &o, diff_changes_add, &l) &&
	    o.common == MANY / 2 && o.stale[OVERLAP_A] == MANY / 2 &&
	    o.stale[OVERLAP_B] == MANY / 2 && near(o.counts.overlap.sum, 0.5),
	    "many hashes of one name");
	check(l.size == 1 && l.items[0].count[OVERLAP_A] == MANY / 2,
	    "many hashes: one change");
	diff_changes_free(&l);
	diff_table_free(&t);
}

static void
test_order(void)
{
	struct diff_table t = { 0 };
	struct diff_changes l = { .most = 10 };
	struct overlap o;

	put(&t, A, "less", 1, 50, 0);
	put(&t, B, "less", 1, 40, 0);
	put(&t, A, "z", 1, 25, 0);
	put(&t, B, "z", 1, 30, 0);
	put(&t, A, "a", 1, 25, 0);
	put(&t, B, "a", 1, 30, 0);
	overlap_compare(&t, false, &o, diff_changes_add, &l);
	diff_changes_sort(&l);
	check(l.size == 3 && l.items[0].function[0] == &t.functions[0] &&
	    l.items[1].function[0] == &t.functions[2] &&
	    near(l.items[0].share[B], 0.4), "order: by drift, then by name");
	check(near(overlap_of_function(&t.functions[0]), 1),
	    "order: overlap of a function with one counter that ran");
	diff_changes_free(&l);
	diff_table_free(&t);
}

static bool
same_functions(const struct diff_changes *x, const struct diff_changes *y,
    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (x->items[i].function[A] != y->items[i].function[A])
			return false;
	}
	return true;
}

/* Of many changes the largest stay, wherever they come. */
static void
test_largest(void)
{
	struct diff_table t = { 0 };
	struct overlap o;
	enum { MANY = 5000 };

	for (unsigned i = 0; i < MANY; i++) {
		put(&t, A, "f", i, 1000, 0);
		put(&t, B, "f", i, 1000 + i * 1117 % MANY, 0);
	}
	for (unsigned most = 0; most < 3000; most = most * 3 + 1) {
		struct diff_changes all = { .most = MANY };
		struct diff_changes l = { .most = most };

		overlap_compare(&t, false, &o, diff_changes_add, &all);
		overlap_compare(&t, false, &o, diff_changes_add, &l);
		diff_changes_sort(&all);
		diff_changes_sort(&l);
		check(l.size == most && same_functions(&l, &all, most),
		    "largest %u", most);
		diff_changes_free(&all);
		diff_changes_free(&l);
	}
	diff_table_free(&t);
}

int
main(void)
{
	test_classes();
	test_sums();
	test_names();
	test_zero();
	test_many();
	test_order();
	test_largest();
	return done_testing();
}
