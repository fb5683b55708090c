/*
 * The merge of heap profiles: how each field of a memory info block (MIB) is
 * added, and that sums do not depend on the order of the inputs.
 */
#include "merge/heap.h"

#include <string.h>

#include "base/bytes.h"
#include "model/mib.h"
#include "tests/support/test.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))
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

static uint64_t
next(void)
{
	uint64_t z = state += 0x9E3779B97F4A7C15;	/* splitmix64 */

	z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
	z = (z ^ z >> 27) * 0x94D049BB133111EB;
	return z ^ z >> 31;
}

static unsigned
below(unsigned n)
{
	return (unsigned)(next() >> 33) % n;
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

static bool
same_block(const struct prof_mib *a, const struct prof_mib *b)
{
	size_t size = (size_t)a->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];

	return a->fields == b->fields &&
	    memcmp(a->value, b->value, sizeof(a->value)) == 0 &&
	    (a->histogram == NULL) == (b->histogram == NULL) &&
	    (a->histogram == NULL || size == 0 || memcmp(a->histogram,
	    b->histogram, size * sizeof(*a->histogram)) == 0);
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
			struct prof_mib got = random_tree(blocks, &arena);

			differences += !same_block(&want, &got);
		}
		arena_reset(&arena);
	}
	check(differences == 0, "any tree of sums of blocks gives the same");
	arena_free(&arena);
}

static void __attribute__((format(printf, 2, 3)))
put(struct buf *b, const char *format, ...)
{
	char line[2048];
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	buf_put(b, line, (size_t)n);
}

static void
put_info(struct buf *b)
{
	uint64_t histogram[4];
	struct prof_mib m = random_block(histogram);
	const char *separator = "";

	put(b, "\"info\":{");
	for (unsigned i = 1; i < PROF_MIB_ACCESS_HISTOGRAM; i++) {
		if (!mib_has(&m, i))
			continue;
		put(b, "%s\"%s\":\"%llu\"", separator, mib_fields[i].key,
		    (unsigned long long)m.value[i]);
		separator = ",";
	}
	put(b, "}");
}

/*
 * Small numbers, so that runs have segments, stacks and functions in common.
 * The segments are at another address in each run.
 */
enum { SEGMENTS = 4, STACKS = 8, FUNCTIONS = 3, SYMBOLS = 4 };

static uint64_t
put_segments(struct buf *b)
{
	uint64_t base = (uint64_t)below(3) << 12;

	for (unsigned i = 0; i < SEGMENTS; i++) {
		/* Some overlap the first segment. */
		uint64_t start = base + (below(8) == 0 ? 0 : i << 12);

		put(b, "{\"record\":\"segment\",\"id\":%u,"
		    "\"start\":\"0x%016llx\",\"end\":\"0x%016llx\","
		    "\"offset\":\"0x%016llx\"", i, (unsigned long long)start,
		    (unsigned long long)start + 4096, i < 2 ?
		    (unsigned long long)base : 0);
		if (i < 2)
			put(b, ",\"build_id\":\"0%u\"}\n", i);
		else
			put(b, ",\"file_addresses\":true}\n");
	}
	return base;
}

static void
put_pcs(struct buf *b, uint64_t base, unsigned n)
{
	put(b, "\"pcs\":[");
	for (unsigned i = 0; i < n; i++) {
		uint64_t pc = base + (below(SEGMENTS + 1) << 12) + below(2);

		if (i > 0)
			put(b, ",");
		if (below(4) == 0)
			put(b, "[%u,\"0x%016llx\"]", below(SEGMENTS),
			    (unsigned long long)below(2));
		else
			put(b, "\"0x%016llx\"", (unsigned long long)pc);
	}
	put(b, "]");
}

/* Two frames, of one pc (the first is inlined) or of two. */
static void
put_frames(struct buf *b, uint64_t base)
{
	bool is_inline = below(2);

	if (below(2)) {
		put_pcs(b, base, is_inline ? 1 : 2);
		put(b, ",");
	}
	put(b, "\"frames\":[{\"function\":\"f%u\",\"line\":%u,"
	    "\"start_line\":3%s%s},", below(FUNCTIONS), 4 + below(2),
	    below(2) ? ",\"file\":\"a.c\"" : "",
	    is_inline ? ",\"inline\":true" : "");
	if (below(2))
		put(b, "{\"guid\":\"0x%016x\"}]", below(2) + 1);
	else
		put(b, "{}]");
}

static void
put_function(struct buf *b, unsigned i)
{
	put(b, "{\"record\":\"memprof_function\",\"guid\":\"0x%016x\"", i);
	if (below(2))
		put(b, ",\"name\":\"n%u\"", below(2));
	put(b, ",\"alloc_sites\":[");
	for (unsigned k = below(4); k > 0; k--) {
		put(b, "{\"stack\":\"0x%016x\",", below(STACKS));
		put_info(b);
		put(b, "}%s", k > 1 ? "," : "");
	}
	put(b, "],\"call_sites\":[");
	for (unsigned k = below(4); k > 0; k--)
		put(b, "{\"stack\":\"0x%016x\",\"callee_guids\":["
		    "\"0x%016x\",\"0x%016x\"]}%s", below(STACKS), below(9),
		    below(9), k > 1 ? "," : "");
	put(b, "]}\n");
}

static void
put_data(struct buf *b)
{
	char symbol[64];

	for (unsigned i = 0; i < SYMBOLS; i++) {
		snprintf(symbol, sizeof(symbol), i < 2 ?
		    "\"symbol\":\"s%u\"" : "\"hash\":\"0x%016x\"", i);
		if (below(3) == 0)
			put(b, "{\"record\":\"cold_symbol\",%s}\n", symbol);
		if (below(3) == 0)
			put(b, "{\"record\":\"data_access\",%s,\"count\":%u,"
			    "\"locations\":[{\"file\":\"f%u\",\"line\":%u},"
			    "{\"line\":%u}]}\n", symbol, below(9), below(2),
			    below(2), below(2));
	}
}

/* A random heap profile with records of all kinds. */
static void
put_profile(struct buf *b)
{
	uint64_t base;

	put(b, "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"memprof\"}\n");
	base = put_segments(b);
	for (unsigned i = 0; i < STACKS; i++) {
		put(b, "{\"record\":\"stack\",\"id\":\"0x%016x\",", i);
		if (below(3) == 0)
			put_frames(b, base);
		else
			put_pcs(b, base, below(4));
		put(b, "}\n");
	}
	for (unsigned i = 0; i < STACKS; i++) {
		put(b, "{\"record\":\"allocation\",\"stack\":\"0x%016x\",",
		    below(STACKS));
		put_info(b);
		put(b, "}\n");
	}
	for (unsigned i = 0; i < FUNCTIONS; i++)
		put_function(b, i);
	put_data(b);
	put(b, "{\"record\":\"end\",\"last\":true}\n");
}

static int
collect(void *arg, const void *data, size_t size)
{
	buf_put(arg, data, size);
	return 0;
}

static bool
add_stream(struct merge *m, const struct buf *text)
{
	struct prof_error err = { 0 };
	struct prof_reader *r = prof_open(NULL, (struct prof_span){
	    text->data, text->size }, &err);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;

	while (r != NULL &&
	    (status = prof_next(r, &record, &err)) == PROF_OK) {
		if (merge_add(m, &record, NULL, &err) != PROF_OK)
			break;
	}
	prof_close(r);
	if (status != PROF_END)
		printf("# %s\n", err.reason);
	return status == PROF_END;
}

static struct prof_writer *
writer(struct buf *out)
{
	static const struct prof_target target = { .format = "stream" };

	out->size = 0;
	return prof_writer_new(NULL, &target, collect, out, NULL);
}

/* Merges streams and writes the sum as a stream. */
static bool
sum_up(const struct buf *const *streams, size_t n, bool as_read,
    struct buf *out)
{
	const struct merge_output o = { .heap_as_read = as_read };
	struct prof_writer *w = writer(out);
	struct merge *m = merge_new(NULL, NULL);
	struct prof_error err = { 0 };
	bool done = true;

	for (size_t i = 0; done && i < n; i++)
		done = add_stream(m, streams[i]);
	done = done && merge_write(m, &o, w, &err) == PROF_OK &&
	    prof_finish(w, &err) == PROF_OK;
	merge_free(m);
	prof_writer_free(w);
	return done;
}

enum { RUNS = 5 };

/*
 * Merges the runs by way of random partial merges: some of what is left is
 * replaced by its sum until one stream is left.
 */
static bool
random_sum(const struct buf *runs, struct buf *partial, struct buf *out)
{
	const struct buf *left[RUNS];
	size_t n = RUNS, used = 0;

	for (size_t i = 0; i < RUNS; i++)
		left[i] = &runs[i];
	while (n > 1) {
		const struct buf *taken[RUNS];
		size_t want = 1 + below((unsigned)n), got = 0;

		while (got < want) {
			unsigned i = below((unsigned)n);

			taken[got++] = left[i];
			left[i] = left[--n];
		}
		if (!sum_up(taken, got, below(2), &partial[used]))
			return false;
		left[n++] = &partial[used++];
		if (used == 4 * RUNS)
			break;
	}
	return sum_up(left, n, false, out);
}

static void
test_profile_trees(void)
{
	struct buf runs[RUNS] = { { .size = 0 } }, want = { .size = 0 };
	struct buf partial[4 * RUNS] = { { .size = 0 } }, got = { .size = 0 };
	size_t differences = 0, failures = 0;

	for (unsigned round = 0; round < 40; round++) {
		for (size_t i = 0; i < RUNS; i++) {
			runs[i].size = 0;
			/* One run in four is equal to the one before. */
			if (i > 0 && below(4) == 0)
				buf_put(&runs[i], runs[i - 1].data,
				    runs[i - 1].size);
			else
				put_profile(&runs[i]);
		}
		failures += !random_sum(runs, partial, &want);
		for (unsigned i = 0; i < 6; i++) {
			failures += !random_sum(runs, partial, &got);
			differences += got.size != want.size ||
			    memcmp(got.data, want.data, got.size) != 0;
		}
	}
	check(failures == 0 && want.size != 0, "all profiles are merged");
	check(differences == 0, "any tree of sums of profiles gives the same");
	for (size_t i = 0; i < RUNS; i++)
		buf_free(&runs[i]);
	for (size_t i = 0; i < 4 * RUNS; i++)
		buf_free(&partial[i]);
	buf_free(&want);
	buf_free(&got);
}

/* Reads a stream and writes it again, in the canonical form. */
static bool
copy(const struct buf *text, struct buf *out)
{
	struct prof_error err = { 0 };
	struct prof_reader *r = prof_open(NULL, (struct prof_span){
	    text->data, text->size }, &err);
	struct prof_writer *w = writer(out);
	enum prof_status status;
	struct prof_record record;

	while ((status = prof_next(r, &record, &err)) == PROF_OK &&
	    prof_put(w, &record, &err) == PROF_OK)
		;
	status = status == PROF_END ? prof_finish(w, &err) : PROF_FAIL;
	prof_close(r);
	prof_writer_free(w);
	return status == PROF_OK;
}

static bool
is_same(const struct buf *a, const struct buf *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static void
test_as_read(void)
{
	static const char counters[] = "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"memprof\"}\n{\"record\":\"end\",\"last\":true}\n";
	struct buf run = { .size = 0 }, other = { .size = 0 };
	struct buf want = { .size = 0 }, got = { .size = 0 };
	const struct buf *both[] = { &run, &other };

	put_profile(&run);
	buf_put(&other, counters, strlen(counters));
	check(copy(&run, &want) && sum_up(both, 1, true, &got) &&
	    is_same(&want, &got), "a single heap profile stays as it came");
	check(sum_up(both, 1, false, &got) && !is_same(&want, &got),
	    "if that is wanted");
	check(sum_up(both, 2, true, &got) && got.size == want.size +
	    strlen(",\"inputs\":2"), "also beside profiles without heap data");
	other.size = 0;
	put_profile(&other);
	check(sum_up(both, 2, false, &want) && sum_up(both, 2, true, &got) &&
	    is_same(&want, &got), "two are a sum");
	buf_free(&run);
	buf_free(&other);
	buf_free(&want);
	buf_free(&got);
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
	test_as_read();
	test_profile_trees();
	return done_testing();
}
