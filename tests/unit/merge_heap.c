/*
 * The merge of heap profiles: how each field of a memory info block (MIB) is
 * added, and that sums do not depend on the order of the inputs.
 * tests/subjects/merge-plans.bats merges whole profiles in random trees.
 */
#include "merge/heap.h"

#include <string.h>

#include "model/mib.h"
#include "tests/support/heap_records.h"
#include "tests/support/images.h"

#define M32		((uint64_t)UINT32_MAX)
#define M64		UINT64_MAX
#define UNKNOWN		(M64 - 99)

static const struct merge_factor once = { 1, 1 };

/*
 * The values of a field in two blocks, one of three allocations and one of
 * five, and the value in their sum.
 */
static const struct {
	unsigned field;
	uint64_t a, b, sum;
} rules[] = {
	{ PROF_MIB_TOTAL_ACCESS_COUNT, 4, 5, 9 },
	{ PROF_MIB_TOTAL_ACCESS_COUNT, M64 - 4, 5, M64 },
	{ PROF_MIB_MIN_ACCESS_COUNT, 4, 5, 4 },
	{ PROF_MIB_MAX_ACCESS_COUNT, 4, 5, 5 },
	{ PROF_MIB_TOTAL_SIZE, M32, 1, M32 + 1 },
	{ PROF_MIB_MIN_SIZE, 9, 7, 7 },
	{ PROF_MIB_MAX_SIZE, 9, 7, 9 },
	{ PROF_MIB_ALLOC_TIMESTAMP, 20, 10, 10 },
	{ PROF_MIB_DEALLOC_TIMESTAMP, 20, 10, 20 },
	{ PROF_MIB_TOTAL_LIFETIME, 1, 2, 3 },
	{ PROF_MIB_MIN_LIFETIME, 0, 2, 0 },
	{ PROF_MIB_MAX_LIFETIME, 0, 2, 2 },
	{ PROF_MIB_ALLOC_CPU_ID, 3, 3, 3 },
	{ PROF_MIB_ALLOC_CPU_ID, 3, 4, UNKNOWN },
	{ PROF_MIB_DEALLOC_CPU_ID, 0, 0, 0 },
	{ PROF_MIB_DEALLOC_CPU_ID, 0, 1, UNKNOWN },
	{ PROF_MIB_NUM_MIGRATED_CPU, 1, 2, 3 },
	{ PROF_MIB_NUM_MIGRATED_CPU, M32, 2, M32 },
	{ PROF_MIB_NUM_LIFETIME_OVERLAPS, 1, 2, 3 },
	{ PROF_MIB_NUM_SAME_ALLOC_CPU, 1, 2, 3 },
	{ PROF_MIB_NUM_SAME_DEALLOC_CPU, 1, 2, 3 },
	{ PROF_MIB_DATA_TYPE_ID, M64, M64, M64 },
	{ PROF_MIB_DATA_TYPE_ID, 1, 2, UNKNOWN },
	{ PROF_MIB_TOTAL_ACCESS_DENSITY, 1, 2, 3 },
	{ PROF_MIB_MIN_ACCESS_DENSITY, 1, 2, 1 },
	{ PROF_MIB_MAX_ACCESS_DENSITY, 1, 2, 2 },
	{ PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY, 1, 2, 3 },
	{ PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY, 1, 2, 1 },
	{ PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY, 1, 2, 2 },
	{ PROF_MIB_ACCESS_HISTOGRAM_SIZE, 4, 2, 4 },
	/* A field that one of the blocks lacks is missing in the sum. */
	{ PROF_MIB_MAX_SIZE, UNKNOWN, 7, UNKNOWN },
	{ PROF_MIB_TOTAL_SIZE, UNKNOWN, 7, UNKNOWN },
	{ PROF_MIB_DATA_TYPE_ID, UNKNOWN, 0, UNKNOWN },
	{ PROF_MIB_ACCESS_HISTOGRAM_SIZE, UNKNOWN, 7, UNKNOWN },
};

/* A block with AllocCount and, unless its value is UNKNOWN, one field. */
static struct prof_mib
block(uint64_t allocations, unsigned field, uint64_t value)
{
	struct prof_mib m = { .fields = 0 };

	mib_set(&m, PROF_MIB_ALLOC_COUNT, allocations);
	if (value != UNKNOWN)
		mib_set(&m, field, value);
	return m;
}

static struct prof_mib
add(const struct prof_mib *a, const struct prof_mib *b, bool *saturated,
    struct arena *arena)
{
	struct mib_sum sum = { .any = false };

	mheap_mib_add(&sum, a, &once, arena);
	mheap_mib_add(&sum, b, &once, arena);
	*saturated = mib_sum_is_saturated(&sum);
	return mib_sum_result(&sum);
}

static bool
has_value(const struct prof_mib *m, unsigned field, uint64_t value)
{
	return value == UNKNOWN ? !mib_has(m, field) && m->value[field] == 0 :
	    mib_has(m, field) && m->value[field] == value;
}

static void
test_rules(void)
{
	struct arena arena = { 0 };
	uint32_t seen = UINT32_C(1) << PROF_MIB_ALLOC_COUNT |
	    UINT32_C(1) << PROF_MIB_ACCESS_HISTOGRAM | 1;

	for (size_t i = 0; i < COUNT(rules); i++) {
		unsigned f = rules[i].field;
		struct prof_mib a = block(3, f, rules[i].a);
		struct prof_mib b = block(5, f, rules[i].b);
		bool saturated, other;
		struct prof_mib x = add(&a, &b, &saturated, &arena);
		struct prof_mib y = add(&b, &a, &other, &arena);

		seen |= UINT32_C(1) << f;
		check(has_value(&x, f, rules[i].sum) &&
		    has_value(&y, f, rules[i].sum) &&
		    x.value[PROF_MIB_ALLOC_COUNT] == 8 && saturated == other &&
		    saturated == (rules[i].sum == mib_max(f) &&
		    mib_fields[f].rule != MIB_MIN && rules[i].a !=
		    rules[i].b), "%s, row %zu", mib_fields[f].key, i);
	}
	check(seen == (UINT32_C(1) << PROF_MIB_FIELDS) - 1,
	    "every field has a row");
	arena_free(&arena);
}

/* A sum is at its limit only in fields that it still knows. */
static void
test_forgotten_limit(void)
{
	struct arena arena = { 0 };
	struct mib_sum sum = { .any = false };
	struct prof_mib large = block(1, PROF_MIB_TOTAL_SIZE, UINT64_MAX);
	struct prof_mib without = block(1, PROF_MIB_TOTAL_SIZE, UNKNOWN);

	mheap_mib_add(&sum, &large, &once, &arena);
	mheap_mib_add(&sum, &large, &once, &arena);
	check(mib_sum_is_saturated(&sum), "a total at its limit");
	mheap_mib_add(&sum, &without, &once, &arena);
	check(!mib_sum_is_saturated(&sum),
	    "no limit in a total that is not known any more");
	arena_free(&arena);
}

/*
 * Minimum and maximum of a block without allocations mean nothing: those of the
 * other block are taken.
 */
static void
test_empty(void)
{
	static const struct {
		uint64_t counts[2], sizes[2], least, most;
	} rows[] = {
		{ { 0, 1 }, { 5, 7 }, 7, 7 },
		{ { 1, 0 }, { 7, 9 }, 7, 7 },
		{ { 0, 0 }, { 5, 9 }, 5, 9 },
		{ { 1, 1 }, { 9, 5 }, 5, 9 },
	};
	struct arena arena = { 0 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct prof_mib m[2], sum;
		bool saturated;

		for (size_t k = 0; k < 2; k++) {
			m[k] = block(rows[i].counts[k], PROF_MIB_MIN_SIZE,
			    rows[i].sizes[k]);
			mib_set(&m[k], PROF_MIB_MAX_SIZE, rows[i].sizes[k]);
		}
		sum = add(&m[0], &m[1], &saturated, &arena);
		check(has_value(&sum, PROF_MIB_MIN_SIZE, rows[i].least) &&
		    has_value(&sum, PROF_MIB_MAX_SIZE, rows[i].most),
		    "extremes of empty blocks, row %zu", i);
	}
	arena_free(&arena);
}

static void
test_weights(void)
{
	static const struct merge_factor ten = { 10, 1 }, half = { 1, 2 };
	static const uint64_t histogram[] = { 1, M64 / 2, 0, 3 };
	static const uint64_t tenfold[] = { 10, M64, 0, 30 };
	static const uint64_t halved[] = { 1, M64 / 4 + 1, 0, 2 };
	struct prof_mib m = block(7, PROF_MIB_MIN_SIZE, 40), sum;
	struct mib_sum x = { .any = false }, y = { .any = false };
	struct arena arena = { 0 };

	mib_set(&m, PROF_MIB_TOTAL_SIZE, 1);
	mib_set(&m, PROF_MIB_NUM_MIGRATED_CPU, M32 / 2);
	mib_set(&m, PROF_MIB_ALLOC_TIMESTAMP, 3);
	mib_set(&m, PROF_MIB_ACCESS_HISTOGRAM_SIZE, 4);
	m.histogram = histogram;
	mheap_mib_add(&x, &m, &ten, &arena);
	sum = mib_sum_result(&x);
	check(sum.value[PROF_MIB_ALLOC_COUNT] == 70 &&
	    sum.value[PROF_MIB_TOTAL_SIZE] == 10 &&
	    sum.value[PROF_MIB_NUM_MIGRATED_CPU] == M32 && x.saturated,
	    "a weight multiplies counts, up to the limit of their fields");
	check(sum.value[PROF_MIB_MIN_SIZE] == 40 &&
	    sum.value[PROF_MIB_ALLOC_TIMESTAMP] == 3 &&
	    sum.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] == 4,
	    "and nothing else");
	check(memcmp(sum.histogram, tenfold, sizeof(tenfold)) == 0,
	    "and histograms");
	mheap_mib_add(&y, &m, &half, &arena);
	sum = mib_sum_result(&y);
	check(sum.value[PROF_MIB_ALLOC_COUNT] == 4 &&
	    sum.value[PROF_MIB_TOTAL_SIZE] == 1 && !y.saturated &&
	    memcmp(sum.histogram, halved, sizeof(halved)) == 0,
	    "a fraction is rounded half up, and nothing becomes nothing");
	arena_free(&arena);
}

static uint64_t state;

static unsigned
below(unsigned n)
{
	return random_below(&state, n);
}

/*
 * A block whose values are from a small range, so that two blocks often have
 * equal ones; some are near the limit of the field.
 */
static struct prof_mib
random_block(uint64_t *histogram)
{
	struct prof_mib m = { .fields = 0 };

	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM_SIZE; i++) {
		uint64_t value = below(3);

		if (below(12) == 0)
			continue;
		mib_set(&m, i, below(8) == 0 ? mib_max(i) - value : value);
	}
	if (below(6) == 0)
		return m;
	mib_set(&m, PROF_MIB_ACCESS_HISTOGRAM_SIZE, below(4));
	mib_set(&m, PROF_MIB_ACCESS_HISTOGRAM, 0);
	for (size_t i = 0; i < m.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE]; i++) {
		histogram[i] = below(9) == 0 ? M64 - 1 : below(5);
		m.histogram = below(9) == 0 ? NULL : histogram;
	}
	return m;
}

enum { BLOCKS = 6 };

/* Replaces two random blocks by their sum until one block is left. */
static struct prof_mib
random_tree(const struct prof_mib *blocks, struct arena *arena)
{
	struct prof_mib left[BLOCKS];
	bool saturated;

	memcpy(left, blocks, sizeof(left));
	for (unsigned n = BLOCKS; n > 1; n--) {
		unsigned a = below(n), b = below(n - 1);
		struct prof_mib sum;

		b += b >= a;
		sum = add(&left[a], &left[b], &saturated, arena);
		left[a] = sum;
		left[b] = left[n - 1];
	}
	return left[0];
}

static void
test_block_trees(void)
{
	struct arena arena = { 0 };
	size_t differences = 0;

	for (unsigned round = 0; round < 300; round++) {
		uint64_t histograms[BLOCKS][4];
		struct prof_mib blocks[BLOCKS], want;

		for (size_t i = 0; i < BLOCKS; i++)
			blocks[i] = random_block(histograms[i]);
		want = random_tree(blocks, &arena);
		for (unsigned i = 0; i < 20; i++) {
			struct prof_allocation x = { .info = want }, y = {
			    .info = random_tree(blocks, &arena) };

			differences += !same_allocation(&x, &y);
		}
		arena_reset(&arena);
	}
	check(differences == 0, "any tree of sums of blocks gives the same");
	arena_free(&arena);
}

static void
test_ids(void)
{
	static const uint64_t hashes[] = { 0, 0, 1, 1, 7, 7, 7, 20 };
	static const uint64_t ids[] = { 0, 1, 2, 3, 7, 8, 9, 20 };
	uint64_t last = 0, id;
	bool right = true;

	for (size_t i = 0; i < COUNT(hashes); i++) {
		id = hashes[i];
		right = right && mheap_next_id(&last, i == 0, &id) &&
		    id == ids[i];
	}
	check(right, "stacks of one hash get the next free ids");
	id = last = M64;
	check(!mheap_next_id(&last, false, &id), "as long as there are any");
}

int
main(void)
{
	test_rules();
	test_forgotten_limit();
	test_empty();
	test_weights();
	test_block_trees();
	test_ids();
	return done_testing();
}
