/*
 * Raw heap profiles: the tables of their versions, scaled counts, sums of
 * blocks, ids by which they are found, and stacks that come with their blocks.
 */
#include <string.h>

#include "base/bytes.h"
#include "model/mib.h"
#include "format/codec.h"
#include "format/memprof-raw/layout.h"
#include "tests/support/images.h"
#include "tests/support/raw_write.h"

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

enum { STACKS = 40 };

/* A dump of 40 stacks; their blocks may come in another order, or be large. */
static bool
write_dump(struct buf *b, bool big, bool backwards, bool histogram)
{
	static const uint64_t ones[2] = { 1, 1 };
	const struct raw_target t = { .version = RAW_HEAP_USUAL, .big = big };
	struct prof_error err = { 0 };
	struct prof_writer *w = raw_heap_writer_new(&t, buf_sink, b, &err);
	struct prof_record r = { .kind = PROF_REC_PROFILE,
	    .u.profile = { .kind = PROF_MEMPROF } };
	bool ok = w != NULL && prof_put(w, &r, &err) == PROF_OK;

	r = (struct prof_record){ .kind = PROF_REC_SEGMENT, .u.segment = {
	    .has_range = true, .start = 4096, .end = 1 << 20 } };
	ok = ok && prof_put(w, &r, &err) == PROF_OK;
	for (uint64_t i = 0; ok && i < STACKS; i++) {
		const uint64_t pcs[] = { 5000 + i, 6000 };

		r = (struct prof_record){ .kind = PROF_REC_STACK, .u.stack = {
		    .id = i + 1, .pcs = pcs, .pcs_size = 2 } };
		ok = prof_put(w, &r, &err) == PROF_OK;
	}
	for (uint64_t i = 0; ok && i < STACKS; i++) {
		r = (struct prof_record){ .kind = PROF_REC_ALLOCATION,
		    .u.allocation.stack = backwards ? STACKS - i : i + 1 };
		for (unsigned f = 1; f < PROF_MIB_FIELDS; f++)
			mib_set(&r.u.allocation.info, f, f <
			    PROF_MIB_ACCESS_HISTOGRAM_SIZE ? i + 1 : 0);
		if (histogram) {
			mib_set(&r.u.allocation.info,
			    PROF_MIB_ACCESS_HISTOGRAM_SIZE, 2);
			r.u.allocation.info.histogram = ones;
		}
		ok = prof_put(w, &r, &err) == PROF_OK;
	}
	r = (struct prof_record){ .kind = PROF_REC_END };
	ok = ok && prof_put(w, &r, &err) == PROF_OK &&
	    prof_finish(w, &err) == PROF_OK;
	prof_writer_free(w);
	return ok;
}

/* How many pairs there are; 1000 more for each that is not as it was put. */
static size_t
count_pairs(struct buf *b, bool ask)
{
	struct prof_context *c = prof_context_new(NULL, NULL);
	struct prof_error err = { 0 };
	struct prof_reader *reader;
	struct prof_record r;
	size_t n = 0;

	if (ask)
		prof_context_pairs(c);
	reader = prof_open(c, buf_span(b), &err);
	while (reader != NULL && prof_next(reader, &r, &err) == PROF_OK) {
		if (r.kind != PROF_REC_PAIRS)
			continue;
		for (size_t i = 0; i < r.u.pairs.size; i++, n++) {
			const struct prof_stack *s = &r.u.pairs.stacks[i];
			const struct prof_allocation *a =
			    &r.u.pairs.allocations[i];

			if (s->id != n % 1000 + 1 || s->pcs_size != 2 ||
			    s->pcs[0] != 5000 + n % 1000 ||
			    a->stack != s->id || a->info.histogram != NULL ||
			    a->info.value[PROF_MIB_ALLOC_COUNT] != s->id)
				n += 1000;
		}
	}
	prof_close(reader);
	prof_context_free(c);
	return err.code == PROF_E_NONE ? n : SIZE_MAX;
}

static void
test_pairs(void)
{
	const bool little = host_order(false);
	const struct {
		bool big, backwards, histogram;
		size_t dumps, pairs;
		const char *what;
	} rows[] = {
		{ !little, false, false, 1, STACKS, "stacks in order" },
		{ little, false, false, 1, 0, "of the other byte order" },
		{ !little, true, false, 1, 0, "blocks in another order" },
		{ !little, false, true, 1, 0, "with histograms" },
		{ !little, false, false, 2, 0, "of two dumps" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = { 0 };
		bool written = true;

		for (size_t k = 0; k < rows[i].dumps; k++)
			written = write_dump(&b, rows[i].big,
			    rows[i].backwards, rows[i].histogram) && written;
		check(written && count_pairs(&b, true) == rows[i].pairs &&
		    count_pairs(&b, false) == 0, "pairs: %s", rows[i].what);
		buf_free(&b);
	}
}

int
main(void)
{
	test_pairs();
	test_rows();
	test_counts();
	test_histograms();
	return done_testing();
}
