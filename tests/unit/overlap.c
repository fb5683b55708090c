/* Comparing profiles: what bats cannot put into a file, and the sums. */
#include "ops/diff/overlap.h"

#include <string.h>

#include "tests/support/test.h"

#define CS ((uint64_t)1 << 60)

enum { OLD = OVERLAP_OLD, NEW = OVERLAP_NEW };

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

	start(&t, OLD, PROF_LEVEL_IR);
	start(&t, NEW, PROF_LEVEL_IR);
	put(&t, OLD, "f", 1, 1, 3);
	put(&t, OLD, "f", CS | 1, 5, 5);
	put(&t, NEW, "f", 1, 3, 1);
	put(&t, NEW, "f", CS | 2, 5, 5);
	check(overlap_compare(&t, false, &o, NULL) &&
	    o.records[OVERLAP_OLD] == 1 && o.common == 1 &&
	    near(o.counts.overlap.sum, 0.5), "classes: plain with its own sum");
	check(overlap_compare(&t, true, &o, NULL) &&
	    o.common == 0 && o.mismatched == 1 &&
	    o.states[OVERLAP_STALE].changes == 1 &&
	    near(o.counts.sum[OVERLAP_OLD], 10),
	    "classes: context-sensitive with its own");
	diff_table_free(&t);

	/* In front-end profiles the bit says something else. */
	start(&t, OLD, PROF_LEVEL_FRONTEND);
	put(&t, OLD, "f", CS | 1, 1, 1);
	check(overlap_compare(&t, false, &o, NULL) &&
	    o.records[OVERLAP_OLD] == 1 &&
	    o.states[OVERLAP_NO_LONGER_RUN].changes == 1,
	    "classes: not of front ends");
	diff_table_free(&t);
}

static void
test_sums(void)
{
	struct diff_table t = { 0 };
	const struct diff_record *r;
	const struct diff_value *v;

	put(&t, OLD, "f", 1, 4, UINT32_MAX);
	r = t.functions[0].records[OLD];
	check(r->counts[0] == 4 && r->counts[1] == UINT32_MAX &&
	    diff_count_sum(r) == (uint64_t)UINT32_MAX + 4,
	    "sums: counters of 32 bits");
	put(&t, OLD, "f", 1, 0, 1);
	r = t.functions[0].records[OLD];
	check(t.size == 1 && r->counts[0] == 4 &&
	    r->counts[1] == (uint64_t)UINT32_MAX + 1,
	    "sums: above 32 bits");
	diff_table_free(&t);

	put(&t, OLD, "f", 1, PROF_COUNT_MAX - 1, 1);
	put(&t, OLD, "f", 1, 5, 1);
	r = t.functions[0].records[OLD];
	check(t.size == 1 && r->counts[0] == PROF_COUNT_MAX &&
	    r->counts[1] == 2, "sums: counters saturate");
	check(diff_count_sum(r) == UINT64_MAX, "sums: and their sum does");
	diff_table_free(&t);

	put_value(&t, OLD, 9, 2);
	put_value(&t, OLD, 3, 1);
	put_value(&t, OLD, 9, 4);
	r = t.functions[0].records[OLD];
	v = r->sites[0][0].values;
	check(t.size == 1 && r->sites[0][0].size == 2 &&
	    v[0].target == 3 && v[1].count == 6 && diff_value_sum(r, 0) == 7,
	    "sums: values by target");
	diff_table_free(&t);
}

/* The name is that of NEW; a name that only OLD has is none there. */
static void
test_names(void)
{
	struct diff_table t = { 0 };
	const struct prof_symbol *s;
	const uint64_t counts[] = { 1 };
	struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.guid = 0, .hash = 1, .counts = counts,
	    .counts_size = 1 } };

	put(&t, OLD, "f", 1, 1, 1);
	s = &t.functions[0].symbol;
	check(s->name.size == 1, "names: of OLD");
	r.u.function.symbol.guid = s->guid;
	diff_table_add(&t, NEW, &r, NULL);
	check(t.size == 1 && t.functions[0].symbol.name.data == NULL,
	    "names: none on side NEW");
	diff_table_free(&t);
}

static void
test_zero(void)
{
	struct diff_table t = { 0 };
	struct diff_changes l = { .most = 10 };
	struct overlap o;

	put(&t, OLD, "f", 1, 0, 0);
	put(&t, OLD, "g", 1, 0, 0);
	put(&t, NEW, "f", 1, 0, 0);
	put(&t, NEW, "g", 2, 0, 0);
	check(overlap_compare(&t, false, &o, &l) &&
	    near(o.counts.overlap.sum, 0) && o.common == 1 && o.unused == 1 &&
	    near(o.counts.mismatched.sum, 0),
	    "zero: no share of nothing");
	check(l.size == 1 && l.items[0].state == OVERLAP_STALE,
	    "zero: stale all the same");
	diff_changes_free(&l);
	diff_table_free(&t);
}

/* OLD name with very many hashes: time must not grow with its square. */
static void
test_many(void)
{
	struct diff_table t = { 0 };
	struct diff_changes l = { .most = 10 };
	struct overlap o;
	enum { MANY = 300000 };

	for (uint64_t i = 0; i < MANY; i++) {
		put(&t, OLD, "f", i, 1, 0);
		put(&t, NEW, "f", i + MANY / 2, 1, 0);
	}
	check(overlap_compare(&t, false, &o, &l) &&
	    o.common == MANY / 2 && o.mismatched == MANY / 2 &&
	    o.states[OVERLAP_STALE].changes == 1 &&
	    near(o.counts.overlap.sum, 0.5),
	    "many hashes of one name");
	check(l.size == 1 && l.items[0].count[OVERLAP_OLD] == MANY / 2,
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

	put(&t, OLD, "less", 1, 50, 0);
	put(&t, NEW, "less", 1, 40, 0);
	put(&t, OLD, "z", 1, 25, 0);
	put(&t, NEW, "z", 1, 30, 0);
	put(&t, OLD, "a", 1, 25, 0);
	put(&t, NEW, "a", 1, 30, 0);
	overlap_compare(&t, false, &o, &l);
	check(l.size == 3 && l.items[0].function[0] == &t.functions[0] &&
	    l.items[1].function[0] == &t.functions[2] &&
	    near(l.items[0].share[NEW], 0.4), "order: by drift, then by name");
	check(near(overlap_of_function(&t.functions[0]), 1),
	    "order: overlap of a function with one counter that ran");
	diff_changes_free(&l);
	diff_table_free(&t);
}

/* A function of each side beside `main`, and what became of it. */
static void
test_states(void)
{
	static const struct {
		const char *old, *new;
		uint64_t old_hash, new_hash, old_count, new_count;
		enum overlap_state state;
		uint64_t changes;
	} rows[] = {
		{ "f", "f", 1, 2, 1, 1, OVERLAP_STALE, 1 },
		{ "f", "f", 1, 2, 0, 0, OVERLAP_STALE, 1 },
		{ "a.c;f", "b/a.c;f", 1, 1, 1, 9, OVERLAP_MOVED, 1 },
		{ "a.c:f", "a.c;f", 1, 1, 0, 9, OVERLAP_MOVED, 1 },
		{ "a.c;f", "b.c;f", 1, 2, 1, 0, OVERLAP_MOVED, 0 },
		{ "f", "g", 1, 1, 1, 9, OVERLAP_RENAMED, 1 },
		{ "f", "g", 1, 2, 1, 9, OVERLAP_RENAMED, 0 },
		{ "f", "g", 1, 2, 0, 9, OVERLAP_NEWLY_RUN, 1 },
		{ "f", "f", 1, 1, 0, 9, OVERLAP_NEWLY_RUN, 1 },
		{ "f", "g", 1, 2, 9, 9, OVERLAP_NO_LONGER_RUN, 1 },
		{ "f", "f", 1, 1, 9, 0, OVERLAP_NO_LONGER_RUN, 1 },
		{ "f", "g", 1, 2, 0, 0, OVERLAP_NO_LONGER_RUN, 0 },
		{ "f", "f", 1, 1, 9, 1000000, OVERLAP_BECAME_HOT, 1 },
		{ "f", "f", 1, 1, 1000000, 9, OVERLAP_BECAME_COLD, 1 },
		/* The share of main differs, too. */
		{ "f", "f", 1, 1, 500000, 600000, OVERLAP_CHANGED, 2 },
		{ "f", "f", 1, 1, 9, 9, OVERLAP_UNCHANGED, 2 },
		{ "f", "g", 1, 2, 0, 0, OVERLAP_UNCHANGED, 3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct diff_changes l = { .most = 0 };
		struct diff_table t = { 0 };
		struct overlap o;

		for (int s = 0; s < OVERLAP_SIDES; s++)
			put(&t, s, "main", 9, 1000000, 1000000);
		put(&t, OLD, rows[i].old, rows[i].old_hash, rows[i].old_count,
		    0);
		put(&t, NEW, rows[i].new, rows[i].new_hash, rows[i].new_count,
		    0);
		check(overlap_compare(&t, false, &o, &l) &&
		    o.states[rows[i].state].changes == rows[i].changes,
		    "states %zu: %s", i, overlap_words[rows[i].state].word);
		diff_changes_free(&l);
		diff_table_free(&t);
	}
}

static bool
same_functions(const struct diff_changes *x, const struct diff_changes *y,
    size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (x->items[i].function[OLD] != y->items[i].function[OLD])
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
		put(&t, OLD, "f", i, 1000, 0);
		put(&t, NEW, "f", i, 1000 + i * 1117 % MANY, 0);
	}
	for (unsigned most = 0; most < 3000; most = most * 3 + 1) {
		struct diff_changes all = { .most = MANY };
		struct diff_changes l = { .most = most };

		overlap_compare(&t, false, &o, &all);
		overlap_compare(&t, false, &o, &l);
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
	test_states();
	test_largest();
	return done_testing();
}
