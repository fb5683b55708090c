/* Two blocks to one, and what is kept once: lists and bytes. */
#include "model/mib.h"

#include "base/hash.h"
#include "tests/support/test.h"

static struct prof_mib
block(uint64_t each)
{
	struct prof_mib m = { 0 };

	for (unsigned f = 1; f < PROF_MIB_FIELDS; f++)
		mib_set(&m, f, each);
	return m;
}

/* What comes of two blocks: 5 in every field, and 3. */
static const struct {
	unsigned field;
	uint64_t sum;
} merged[] = {
	{ PROF_MIB_ALLOC_COUNT, 8 },
	{ PROF_MIB_TOTAL_ACCESS_COUNT, 8 },
	{ PROF_MIB_MIN_ACCESS_COUNT, 3 },
	{ PROF_MIB_MAX_ACCESS_COUNT, 5 },
	{ PROF_MIB_TOTAL_SIZE, 8 },
	{ PROF_MIB_MIN_SIZE, 3 },
	{ PROF_MIB_MAX_SIZE, 5 },
	{ PROF_MIB_ALLOC_TIMESTAMP, 3 },
	{ PROF_MIB_DEALLOC_TIMESTAMP, 3 },
	{ PROF_MIB_TOTAL_LIFETIME, 8 },
	{ PROF_MIB_MIN_LIFETIME, 3 },
	{ PROF_MIB_MAX_LIFETIME, 5 },
	{ PROF_MIB_ALLOC_CPU_ID, 3 },
	{ PROF_MIB_DEALLOC_CPU_ID, 3 },
	{ PROF_MIB_NUM_MIGRATED_CPU, 5 },
	{ PROF_MIB_NUM_LIFETIME_OVERLAPS, 6 },	/* 3 is before 5 */
	{ PROF_MIB_NUM_SAME_ALLOC_CPU, 5 },
	{ PROF_MIB_NUM_SAME_DEALLOC_CPU, 5 },
	{ PROF_MIB_DATA_TYPE_ID, 5 },
	{ PROF_MIB_TOTAL_ACCESS_DENSITY, 8 },
	{ PROF_MIB_MIN_ACCESS_DENSITY, 3 },
	{ PROF_MIB_MAX_ACCESS_DENSITY, 5 },
	{ PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY, 8 },
	{ PROF_MIB_MIN_LIFETIME_ACCESS_DENSITY, 3 },
	{ PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY, 5 },
	{ PROF_MIB_ACCESS_HISTOGRAM_SIZE, 5 },
};

static void
test_rules(void)
{
	struct prof_mib a = block(5), b = block(3);

	check(mib_merge(&a, &b), "small sums fit");
	for (size_t i = 0; i < COUNT(merged); i++)
		check(a.value[merged[i].field] == merged[i].sum, "%s",
		    mib_fields[merged[i].field].name);
	a = block(5);
	b = block(5);
	mib_merge(&a, &b);
	check(a.value[PROF_MIB_NUM_LIFETIME_OVERLAPS] == 5 &&
	    a.value[PROF_MIB_NUM_SAME_ALLOC_CPU] == 6 &&
	    a.value[PROF_MIB_NUM_SAME_DEALLOC_CPU] == 6,
	    "one processor, one after the other");
}

static void
test_edges(void)
{
	struct prof_mib a = block(UINT32_MAX), b = block(1);

	check(!mib_merge(&a, &b) && a.value[PROF_MIB_ALLOC_COUNT] ==
	    UINT32_MAX, "32 bits stay at their largest number");
	check(a.value[PROF_MIB_TOTAL_SIZE] == (uint64_t)UINT32_MAX + 1,
	    "64 bits have room");
	a = block(5);
	b = block(3);
	b.value[PROF_MIB_ALLOC_COUNT] = 0;
	mib_merge(&a, &b);
	check(a.value[PROF_MIB_MIN_SIZE] == 5,
	    "extremes of no allocation say nothing");
	a = block(3);
	a.value[PROF_MIB_ALLOC_COUNT] = 0;
	b = block(5);
	mib_merge(&a, &b);
	check(a.value[PROF_MIB_MIN_SIZE] == 5, "the other way round too");
	a = block(5);
	b = block(3);
	b.fields &= ~(UINT32_C(1) << PROF_MIB_TOTAL_SIZE);
	b.value[PROF_MIB_TOTAL_SIZE] = 0;
	mib_merge(&a, &b);
	check(!mib_has(&a, PROF_MIB_TOTAL_SIZE) &&
	    a.value[PROF_MIB_TOTAL_SIZE] == 0,
	    "a sum with an unknown part is unknown");
}

static void
test_tuples(void)
{
	struct list_pool t = { 0 };
	uint32_t list[3] = { 1, 2, 3 }, wrong = 0;

	check(list_pool_find(&t, list, 3) == INDEX_NONE, "nothing is there");
	check(list_pool_add(&t, list, 3) == 0 &&
		list_pool_add(&t, list, 2) == 1 &&
		list_pool_add(&t, NULL, 0) == 2,
	    "new lists have new numbers");
	list[0] = 9;
	check(list_pool_add(&t, list, 3) == 3 && t.items[0].numbers[0] == 1,
	    "lists are copied");
	check(
	    list_pool_add(&t, NULL, 0) == 2 && list_pool_find(&t, list, 3) == 3,
	    "old lists have their numbers");
	for (uint64_t i = 0; i < 100000; i++)
		wrong += list_pool_add_u64(&t, i << 29) != i + 4;
	for (uint64_t i = 0; i < 100000; i++)
		wrong += list_pool_add_u64(&t, i << 29) != i + 4;
	check(wrong == 0 && t.size == 100004, "many numbers");
	list_pool_free(&t);
}

static void
test_intern(void)
{
	/* Beginnings of each other, and zeros that end or begin them. */
	static const char zeros[64], text[] = "abcdefghijklmnopqrstuvwxyz";
	struct intern t = { .size = 0 };
	uint32_t wrong = 0;

	check(intern_find(&t, text, 1) == INDEX_NONE &&
	    intern_find(&t, NULL, 0) == INDEX_NONE, "no bytes are there");
	check(intern_add(&t, NULL, 0) == 0, "none are some, too");
	for (uint32_t i = 1; i <= 26; i++)
		wrong += intern_add(&t, text, i) != i;
	for (uint32_t i = 1; i <= 64; i++)
		wrong += intern_add(&t, zeros, i) != 26 + i;
	check(wrong == 0 && t.size == 91, "new bytes have new numbers");
	for (uint32_t i = 1; i <= 26; i++)
		wrong += intern_add(&t, text, i) != i ||
		    intern_find(&t, text + 1, i) != INDEX_NONE;
	for (uint32_t i = 1; i <= 64; i++)
		wrong += intern_find(&t, zeros, i) != 26 + i;
	check(wrong == 0 && intern_find(&t, "", 0) == 0 &&
	    t.items[26].size == 26, "old bytes have theirs");
	for (uint64_t i = 1; i <= 100000; i++)
		wrong += intern_add(&t, &i, sizeof(i)) == INDEX_NONE;
	check(wrong == 0 && t.size == 100091, "many bytes");
	intern_free(&t);
}

int
main(void)
{
	test_intern();
	test_rules();
	test_edges();
	test_tuples();
	return done_testing();
}
