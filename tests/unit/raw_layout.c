/*
 * Layouts of raw versions that no vector has (tests/vectors): other numbers of
 * value kinds, variant bits, versions that are unknown.
 */
#include "format/raw/raw.h"

#include "model/record.h"
#include "tests/support/images.h"

/* Offsets of the last members of data records, by the rules of C. */
static const struct record {
	unsigned first, last, pointer_bytes, value_kinds;
	int num_value_sites, wave_size, num_bitmap_bytes;	/* -1: none */
	unsigned size;
} records[] = {
	{  3,  8, 8, 2,  44, -1, -1,  48 },
	{  3,  8, 8, 4,  44, -1, -1,  56 },
	{  9, 10, 8, 1,  52, -1, 56,  64 },
	{  9, 10, 8, 5,  52, -1, 64,  72 },
	{ 11, 11, 4, 2,  40, 44, 48,  56 },
	{ 11, 11, 8, 16, 60, 92, 96, 104 },
};

static bool
is_at(const struct raw_record_layout *l, enum raw_member m, int offset)
{
	return l->has[m] == (offset >= 0) &&
	    (offset < 0 || l->offset[m] == offset);
}

static void
test_record(const struct record *r, unsigned version)
{
	struct raw_record_layout l;

	raw_record_layout(raw_row(version), r->pointer_bytes, r->value_kinds,
	    &l);
	check(is_at(&l, RAW_NUM_VALUE_SITES, r->num_value_sites) &&
	    is_at(&l, RAW_WAVE_SIZE, r->wave_size) &&
	    is_at(&l, RAW_NUM_BITMAP, r->num_bitmap_bytes) &&
	    l.size == r->size, "v%u, %u bits, %u kinds: size %u", version,
	    r->pointer_bytes * 8, r->value_kinds, r->size);
}

/* First version in which a variant bit can stand; MEMPROF never can. */
static const struct {
	int bit;
	unsigned first;
} bits[] = {
	{ 55, 10 }, { 56, 2 }, { 57, 4 }, { 58, 5 }, { 59, 8 }, { 60, 8 },
	{ 61, 8 }, { 62, 12 }, { 63, 8 }, { 54, 12 }, { 32, 12 },
};

static void
test_variants(void)
{
	for (size_t i = 0; i < COUNT(bits); i++) {
		for (unsigned v = 1; v <= 11; v++)
			check((raw_row(v)->variants >> bits[i].bit & 1) ==
			    (v >= bits[i].first), "v%u: variant bit %d", v,
			    bits[i].bit);
	}
	for (unsigned flag = 0; flag < PROF_FLAGS; flag++) {
		unsigned flags = 1u << flag;
		uint64_t bit = variants_from_flags(flags);

		check(bit == 0 || (variants_to_flags(bit) == flags &&
		    (bit & (bit - 1)) == 0 && bit >> 55 != 0),
		    "flag %u is a bit and back", flag);
	}
	check(variants_to_flags(VARIANT_IR | VARIANT_MEMPROF | 11) == 0,
	    "IR is a level, MEMPROF a kind");
}

static void
test_versions(void)
{
	const uint64_t unknown[] = { 0, raw_row_count + 1, raw_row_count + 2,
	    255, 256, 257, UINT32_MAX, (uint64_t)1 << 32 | 1, UINT64_MAX };

	for (size_t i = 0; i < raw_row_count; i++)
		check(raw_rows[i].version == i + 1 &&
		    raw_row(i + 1) == &raw_rows[i], "version %zu is known",
		    i + 1);
	for (size_t i = 0; i < COUNT(unknown); i++)
		check(raw_row(unknown[i]) == NULL, "version 0x%llx is not",
		    ull(unknown[i]));
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(records); i++) {
		for (unsigned v = records[i].first; v <= records[i].last; v++)
			test_record(&records[i], v);
	}
	test_variants();
	test_versions();
	return done_testing();
}
