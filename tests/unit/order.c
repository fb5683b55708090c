/* Orders of functions, and the parts that have to be LLVM's to the bit. */
#include "ops/order/order.h"

#include <string.h>

#include "base/numbers.h"
#include "tests/support/images.h"

/* What C++ says about std::mt19937: the 10000th number of its default seed. */
static void
test_random(void)
{
	struct mt19937 r;
	uint32_t x = 0;

	mt19937_seed(&r, 5489);
	for (int i = 0; i < 10000; i++)
		x = mt19937_next(&r);
	check(x == 4123659995, "random: the 10000th number");
	mt19937_seed(&r, 1);
	check(mt19937_next(&r) == 1791095845, "random: the first of seed 1");
}

/* A small generator of our own, so that the tests need no other. */
static uint32_t state;

static uint32_t
draw(uint32_t below)
{
	state = state * 1664525 + 1013904223;
	return (uint32_t)((uint64_t)(state >> 8) * below >> 24);
}

static uint64_t
add_to_digest(uint64_t digest, uint64_t x)
{
	return (digest ^ x) * 0x100000001b3;
}

enum { MANY = 1000 };

static bool
add(struct order *o, const struct prof_symbol *s, size_t n)
{
	struct prof_record r = { .kind = PROF_REC_TRACE,
	    .u.trace = { 1, s, n } };
	struct prof_error err = { 0 };

	return order_add(o, &r, &err) == PROF_OK;
}

/* A trace as a string of functions: 'a' has the guid 'a', and no name. */
static bool
add_letters(struct order *o, const char *s)
{
	struct prof_symbol f[64] = { 0 };
	size_t n = strlen(s);

	for (size_t i = 0; i < n; i++)
		f[i].guid = s[i] == '-' ? 0 : (uint8_t)s[i];
	return add(o, f, n);
}

static const struct {
	const char *name;
	const char *traces[6];
	size_t test_traces;
	const char *order;
	uint64_t area;
} small[] = {
	{ "nothing", { NULL }, 0, "", 0 },
	{ "an empty trace", { "" }, 0, "", 0 },
	{ "one function", { "a" }, 0, "a", 0 },
	{ "one trace is its own order", { "hgfedcba" }, 0, "hgfedcba", 0 },
	{ "equal places go by guid", { "ba", "ab" }, 0, "ab", 0 },
	{ "the first visit counts", { "abacada" }, 0, "abcd", 0 },
	{ "no function", { "a-b", "-" }, 0, "ab", 0 },
	{ "a test trace is not used", { "abc", "cz" }, 1, "abc", 1 },
	{ "pages are counted anew", { "abc", "abc", "cba" }, 2, "abc", 6 },
	{ "all traces but one", { "ab", "ba", "b" }, 1, "ab", 1 },
};

static void
test_small(void)
{
	for (size_t i = 0; i < COUNT(small); i++) {
		struct order *o = order_new();
		struct prof_error err = { 0 };
		bool same;
		uint64_t area = 0;

		for (size_t k = 0; small[i].traces[k] != NULL; k++)
			add_letters(o, small[i].traces[k]);
		same = order_run(o, small[i].test_traces, 1, &err) ==
		    PROF_OK && order_size(o) == strlen(small[i].order);
		for (size_t k = 0; same && k < order_size(o); k++)
			same = order_get(o, k).symbol.guid ==
			    (uint8_t)small[i].order[k];
		check(same, "small: %s", small[i].name);
		check(order_area(o, &area) && area == small[i].area,
		    "small: %s: area", small[i].name);
		order_free(o);
	}
}

/* Traces that have something in common. */
static void
add_many(struct order *o, uint32_t functions, uint32_t traces)
{
	struct prof_symbol f[MANY];
	char names[MANY][8];

	for (uint32_t i = 0; i < traces; i++) {
		uint32_t n = 1 + draw(functions), start = draw(functions);

		for (uint32_t k = 0; k < n; k++) {
			uint32_t number = (start + k + draw(4)) % functions;
			int size = snprintf(names[k], sizeof(names[k]), "f%u",
			    (unsigned)number);

			f[k] = (struct prof_symbol){ .name = {
			    (const uint8_t *)names[k], (size_t)size } };
		}
		add(o, f, n);
	}
}

/* The digests are of orders that llvm-profdata 22 printed. */
static const struct {
	uint32_t functions, traces;
	uint64_t digest;
} large[] = {
	{ 40, 2, 0x9388374658d472f0 },
	{ 150, 5, 0xd05cf7dc163c44bb },
	{ 400, 9, 0xcee49f867155d2ed },
	{ 900, 30, 0x60ad68ac36350a74 },
};

static void
test_large(unsigned threads)
{
	for (size_t i = 0; i < COUNT(large); i++) {
		struct order *o = order_new();
		struct prof_error err = { 0 };
		uint64_t digest = 0xcbf29ce484222325;

		state = (uint32_t)i;
		add_many(o, large[i].functions, large[i].traces);
		check(order_run(o, 0, threads, &err) == PROF_OK,
		    "large: %u functions", large[i].functions);
		for (size_t k = 0; k < order_size(o); k++)
			digest = add_to_digest(digest,
			    order_get(o, k).symbol.guid);
		if (!check(digest == large[i].digest,
		    "large: %u functions in %u traces, %u threads",
		    large[i].functions, large[i].traces, threads))
			printf("# 0x%llx\n", ull(digest));
		order_free(o);
	}
}

/*
 * Functions and groups enough to be divided among threads, and groups of more
 * functions than the table of gains has.
 */
static uint64_t
digest_of_shared(unsigned threads)
{
	enum { FUNCTIONS = 20000, TRACES = 60, LENGTH = 1500 };
	static struct prof_symbol f[LENGTH];
	struct order *o = order_new();
	struct prof_error err = { 0 };
	uint64_t digest = 0xcbf29ce484222325;

	state = 7;
	for (size_t i = 0; i < TRACES; i++) {
		uint32_t start = draw(FUNCTIONS);

		for (uint32_t k = 0; k < LENGTH; k++)
			f[k] = (struct prof_symbol){ .guid = 1 +
			    (start + 3 * k + draw(9)) % FUNCTIONS };
		add(o, f, LENGTH);
	}
	check(order_run(o, 0, threads, &err) == PROF_OK,
	    "an order with %u threads", threads);
	for (size_t k = 0; k < order_size(o); k++)
		digest = add_to_digest(digest, order_get(o, k).symbol.guid);
	order_free(o);
	return digest;
}

static void
test_shared(void)
{
	uint64_t alone = digest_of_shared(1);

	check(digest_of_shared(2) == alone, "two threads, the same order");
	check(digest_of_shared(9) == alone, "nine threads, the same order");
}

/* Names come from functions, targets and vtables, or from the traces. */
static void
test_names(void)
{
	const char *const names[] = { "f", "target", "vtable", "traced" };
	struct prof_symbol traced[5];
	struct prof_value value = { .name = span("target"), .count = 1 };
	struct prof_site site = { &value, 1 };
	struct prof_record function = { .kind = PROF_REC_FUNCTION, .u.function =
	    { .symbol.name = span("f"), .values[PROF_INDIRECT_CALL_TARGET] = {
	    &site, 1 } } };
	struct prof_record vtable = { .kind = PROF_REC_VTABLE, .u.vtable = {
	    .symbol.name = span("vtable") } };
	struct order *o = order_new();
	struct prof_error err = { 0 };

	value.value = prof_guid(value.name);
	for (size_t i = 0; i < COUNT(names); i++)
		traced[i] = (struct prof_symbol){ .guid =
		    prof_guid(span(names[i])) };
	traced[3].name = span("traced");
	traced[4] = (struct prof_symbol){ .guid = 5 };
	add(o, traced, COUNT(traced));
	check(order_add(o, &function, &err) == PROF_OK &&
	    order_add(o, &vtable, &err) == PROF_OK && order_traces(o) == 1 &&
	    order_run(o, 0, 1, &err) == PROF_OK &&
	    order_size(o) == COUNT(traced), "names: added");
	for (size_t i = 0; i < COUNT(names); i++) {
		struct order_function f = order_get(o, i);

		check(prof_span_equal(f.symbol.name, span(names[i])) &&
		    f.in_profile == (i < 3), "names: %s", names[i]);
	}
	check(order_get(o, 4).symbol.name.data == NULL &&
	    order_get(o, 4).symbol.guid == 5, "names: unknown");
	check(order_run(o, 0, 2, &err) == PROF_OK &&
	    order_size(o) == COUNT(traced), "names: a second run");
	order_free(o);
	order_free(NULL);
}

int
main(void)
{
	test_random();
	test_small();
	test_shared();
	for (unsigned threads = 1; threads <= 5; threads += 2)
		test_large(threads);
	test_names();
	return done_testing();
}
