/*
 * Raw heap profiles: the tables of their versions, scaled counts, sums of
 * blocks, and ids by which they are found.
 */
#include <string.h>

#include "base/bytes.h"
#include "model/mib.h"
#include "format/codec.h"
#include "format/memprof-raw/layout.h"
#include "tests/support/images.h"

/* The rows agree with the table of fields that all formats share. */
static void
test_rows(void)
{
	for (unsigned v = mraw_oldest; v <= mraw_newest; v++) {
		const struct mraw_row *row = mraw_row(v);
		unsigned size = 0;

		check(row != NULL && row->version == v, "version %u", v);
		for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
			size += (row->fields >> i & 1) * mib_bytes(i);
		check(row->block_size == size, "version %u: %u bytes in a "
		    "block", v, size);
		check(row->segment.size == (row->segment.build_id == 0 ? 56 :
		    64), "version %u: bytes of a segment", v);
	}
	check(mraw_row(0) == NULL && mraw_row(mraw_newest + 1) == NULL &&
	    mraw_row(UINT64_C(0x100000001)) == NULL, "other versions");
}

static const struct {
	uint16_t scaled;
	uint64_t read;
} counts[] = {
	{ 0, 0 }, { 1, 1 }, { 4095, 4095 }, { 0x1800, 4096 },
	{ 0x1801, 4098 }, { 0x1fff, 8190 }, { 0x2800, 8192 },
	/* What LLVM 22 wrote for 76500 and 45900. */
	{ 0x5957, 76512 }, { 0x4b35, 45904 },
	{ 0xffff, UINT64_C(134184960) },
};

static void
test_counts(void)
{
	for (size_t i = 0; i < COUNT(counts); i++)
		check(mraw_unscale(counts[i].scaled) == counts[i].read,
		    "count %#x", counts[i].scaled);
}

static struct prof_mib
block(uint64_t count, uint64_t histogram_size)
{
	struct prof_mib m = { 0 };

	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++)
		mib_set(&m, i, 0);
	m.value[PROF_MIB_ALLOC_COUNT] = count;
	m.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] = histogram_size;
	return m;
}

static bool
has_histogram(const struct mraw_sum *f, const uint64_t *want, size_t size)
{
	return f->info.value[PROF_MIB_ACCESS_HISTOGRAM_SIZE] == size &&
	    (size == 0 ? f->info.histogram == NULL :
	    memcmp(f->info.histogram, want, size * sizeof(*want)) == 0);
}

static void
test_histograms(void)
{
	const uint64_t one[] = { 1, UINT64_MAX - 1 }, two[] = { 10, 1, 30 };
	const uint64_t sum[] = { 11, UINT64_MAX, 30 };
	const uint64_t more[] = { 12, UINT64_MAX, 30 };
	const struct prof_mib none = block(1, 0), of_2 = block(1, 2);
	const struct prof_mib of_3 = block(1, 3);
	struct mraw_sums f = { 0 };

	mraw_sums_add(&f, 7, &none, NULL);
	check(f.size == 1 && has_histogram(&f.items[0], NULL, 0),
	    "no histogram");
	mraw_sums_add(&f, 7, &of_2, one);
	check(has_histogram(&f.items[0], one, 2), "the first histogram");
	mraw_sums_add(&f, 7, &of_3, two);
	check(has_histogram(&f.items[0], sum, 3) && f.saturated == 0,
	    "a longer histogram");
	mraw_sums_add(&f, 7, &of_2, one);
	check(has_histogram(&f.items[0], more, 3) && f.saturated == 1 &&
	    f.first_saturated == 7, "a sum that does not fit");
	mraw_sums_add(&f, 7, &none, NULL);
	check(has_histogram(&f.items[0], more, 3) && f.size == 1 &&
	    f.items[0].info.value[PROF_MIB_ALLOC_COUNT] == 5,
	    "no histogram again");
	mraw_sums_clear(&f);
	check(f.size == 0 && f.saturated == 0 &&
	    mraw_sums_add(&f, 7, &of_2, one) && f.size == 1 &&
	    has_histogram(&f.items[0], one, 2), "cleared");
	mraw_sums_free(&f);
}

int
main(void)
{
	test_rows();
	test_counts();
	test_histograms();
	return done_testing();
}
