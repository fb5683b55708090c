/* Headers and data records of all raw versions, as raw profiles have them. */
#include "format/raw/raw.h"

#include "model/record.h"
#include "tests/support/images.h"

enum { NONE = -1 };		/* the version has no such member */

/* Offsets of members, by the versions that share them. */
static const struct record {
	unsigned first, last;
	unsigned pointer_bytes, value_kinds;
	int name_ref, name_size, num_counters, func_hash, name_ptr,
	    counter_ptr, uniform_ptr, bitmap_ptr, function_ptr, values_ptr,
	    num_value_sites, wave_size, num_bitmap_bytes;
	unsigned size;
} records[] = {
	{  1,  1, 8, 1, -1,  0,  4, 8, 16, 24, -1, -1, -1, -1, -1, -1, -1, 32 },
	{  2,  2, 8, 1, -1,  0,  4, 8, 16, 24, -1, -1, 32, 40, 48, -1, -1, 56 },
	{  3,  8, 8, 1,  0, -1, 40, 8, -1, 16, -1, -1, 24, 32, 44, -1, -1, 48 },
	{  3,  8, 8, 2,  0, -1, 40, 8, -1, 16, -1, -1, 24, 32, 44, -1, -1, 48 },
	{  9,  9, 8, 2,  0, -1, 48, 8, -1, 16, -1, 24, 32, 40, 52, -1, 56, 64 },
	{ 10, 10, 8, 3,  0, -1, 48, 8, -1, 16, -1, 24, 32, 40, 52, -1, 60, 64 },
	{ 11, 11, 8, 3,  0, -1, 56, 8, -1, 16, 24, 32, 40, 48, 60, 66, 68, 72 },
	{  1,  1, 4, 1, -1,  0,  4, 8, 16, 20, -1, -1, -1, -1, -1, -1, -1, 24 },
	{  2,  2, 4, 1, -1,  0,  4, 8, 16, 20, -1, -1, 24, 28, 32, -1, -1, 40 },
	{  3,  8, 4, 1,  0, -1, 28, 8, -1, 16, -1, -1, 20, 24, 32, -1, -1, 40 },
	{  3,  8, 4, 2,  0, -1, 28, 8, -1, 16, -1, -1, 20, 24, 32, -1, -1, 40 },
	{  9,  9, 4, 2,  0, -1, 32, 8, -1, 16, -1, 20, 24, 28, 36, -1, 40, 48 },
	{ 10, 10, 4, 3,  0, -1, 32, 8, -1, 16, -1, 20, 24, 28, 36, -1, 44, 48 },
	{ 11, 11, 4, 3,  0, -1, 36, 8, -1, 16, 20, 24, 28, 32, 40, 46, 48, 56 },
	/* Other numbers of value kinds, by the rules of C. */
	{  3,  8, 8, 4,  0, -1, 40, 8, -1, 16, -1, -1, 24, 32, 44, -1, -1, 56 },
	{  9, 10, 8, 1,  0, -1, 48, 8, -1, 16, -1, 24, 32, 40, 52, -1, 56, 64 },
	{  9, 10, 8, 5,  0, -1, 48, 8, -1, 16, -1, 24, 32, 40, 52, -1, 64, 72 },
	{ 11, 11, 4, 2,  0, -1, 36, 8, -1, 16, 20, 24, 28, 32, 40, 44, 48, 56 },
	{ 11, 11, 8, 16, 0, -1, 56, 8, -1, 16, 24, 32, 40, 48, 60, 92, 96,
	    104 },
};

static bool
is_at(const struct raw_record_layout *l, enum raw_member m, int offset)
{
	return offset == NONE ? !l->has[m] :
	    l->has[m] && l->offset[m] == offset;
}

static void
test_record(const struct record *r, unsigned version)
{
	const struct {
		const char *name;
		enum raw_member member;
		int offset;
	} members[] = {
		{ "NameRef", RAW_NAME_REF, r->name_ref },
		{ "NameSize", RAW_NAME_SIZE, r->name_size },
		{ "NumCounters", RAW_NUM_COUNTS, r->num_counters },
		{ "FuncHash", RAW_FUNC_HASH, r->func_hash },
		{ "NamePtr", RAW_NAME_PTR, r->name_ptr },
		{ "CounterPtr", RAW_COUNTER_PTR, r->counter_ptr },
		{ "UniformCounterPtr", RAW_UNIFORM_PTR, r->uniform_ptr },
		{ "BitmapPtr", RAW_BITMAP_PTR, r->bitmap_ptr },
		{ "FunctionPointer", RAW_FUNCTION_PTR, r->function_ptr },
		{ "Values", RAW_VALUES_PTR, r->values_ptr },
		{ "NumValueSites", RAW_NUM_VALUE_SITES, r->num_value_sites },
		{ "OffloadDeviceWaveSize", RAW_WAVE_SIZE, r->wave_size },
		{ "NumBitmapBytes", RAW_NUM_BITMAP, r->num_bitmap_bytes },
	};
	struct raw_record_layout l;

	raw_record_layout(raw_row(version), r->pointer_bytes, r->value_kinds,
	    &l);
	for (size_t i = 0; i < COUNT(members); i++)
		check(is_at(&l, members[i].member, members[i].offset),
		    "v%u, %u bits, %u kinds: %s at %d", version,
		    r->pointer_bytes * 8, r->value_kinds, members[i].name,
		    members[i].offset);
	check(l.size == r->size, "v%u, %u bits, %u kinds: size %u", version,
	    r->pointer_bytes * 8, r->value_kinds, r->size);
}

/* Numbers of fields in the header, by 8 bytes from its start; 0 for none. */
static const struct header {
	unsigned first, last, size;
	uint8_t ids, data, before, counters, after, bitmap, after_bitmap,
	    uniform, after_uniform, uniform_delta, names, counters_delta,
	    bitmap_delta, names_delta, vtables, vnames, kind_last,
	    values, values_delta;
} headers[] = {
	{  1,  1,  56, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4, 5, 0, 6, 0, 0, 0, 0,
	    0 },
	{  2,  3,  80, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4, 5, 0, 6, 0, 0, 7, 8,
	    9 },
	{  4,  4,  64, 0, 2, 0, 3, 0, 0, 0, 0, 0, 0, 4, 5, 0, 6, 0, 0, 7, 0,
	    0 },
	{  5,  5,  80, 0, 2, 3, 4, 5, 0, 0, 0, 0, 0, 6, 7, 0, 8, 0, 0, 9, 0,
	    0 },
	{  6,  6,  88, 10, 2, 3, 4, 5, 0, 0, 0, 0, 0, 6, 7, 0, 8, 0, 0, 9, 0,
	    0 },
	{  7,  8,  88, 2, 3, 4, 5, 6, 0, 0, 0, 0, 0, 7, 8, 0, 9, 0, 0, 10, 0,
	    0 },
	{  9,  9, 112, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 10, 11, 12, 0, 0, 13,
	    0, 0 },
	{ 10, 10, 128, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 9, 10, 11, 12, 13, 14,
	    15, 0, 0 },
	{ 11, 11, 152, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
	    18, 0, 0 },
};

static unsigned
place_of(const struct raw_row *row, enum raw_field field)
{
	for (unsigned i = 0; row->header[i] != RAW_END; i++) {
		if (row->header[i] == field)
			return i + 2;
	}
	return 0;
}

static void
test_header(const struct header *h, unsigned version)
{
	const struct {
		enum raw_field field;
		unsigned place;
	} fields[] = {
		{ RAW_BINARY_IDS_SIZE, h->ids }, { RAW_NUM_DATA, h->data },
		{ RAW_PADDING_BEFORE_COUNTERS, h->before },
		{ RAW_NUM_COUNTERS, h->counters },
		{ RAW_PADDING_AFTER_COUNTERS, h->after },
		{ RAW_NUM_BITMAP_BYTES, h->bitmap },
		{ RAW_PADDING_AFTER_BITMAP, h->after_bitmap },
		{ RAW_NUM_UNIFORM, h->uniform },
		{ RAW_PADDING_AFTER_UNIFORM, h->after_uniform },
		{ RAW_UNIFORM_DELTA, h->uniform_delta },
		{ RAW_NAMES_SIZE, h->names },
		{ RAW_COUNTERS_DELTA, h->counters_delta },
		{ RAW_BITMAP_DELTA, h->bitmap_delta },
		{ RAW_NAMES_DELTA, h->names_delta },
		{ RAW_NUM_VTABLES, h->vtables },
		{ RAW_VNAMES_SIZE, h->vnames },
		{ RAW_VALUE_KIND_LAST, h->kind_last },
		{ RAW_VALUE_DATA_SIZE, h->values },
		{ RAW_VALUE_DATA_DELTA, h->values_delta },
	};
	const struct raw_row *row = raw_row(version);

	check(raw_header_size(row) == h->size, "v%u: header of %u bytes",
	    version, h->size);
	for (size_t i = 0; i < COUNT(fields); i++)
		check(place_of(row, fields[i].field) == fields[i].place,
		    "v%u: %s is number %u", version,
		    raw_field_names[fields[i].field], fields[i].place);
}

static const struct {
	unsigned first, last;
	enum raw_pointers pointers;
	enum raw_ids ids;
	enum raw_values values;
	bool addressed_names;
	unsigned frontend_first, frontend_last;
} rules[] = {
	{ 1, 1, RAW_ABSOLUTE, RAW_IDS_NONE, RAW_VALUES_NONE, true, 1, 4 },
	{ 2, 2, RAW_ABSOLUTE, RAW_IDS_NONE, RAW_VALUES_SIZED, true, 1, 4 },
	{ 3, 3, RAW_ABSOLUTE, RAW_IDS_NONE, RAW_VALUES_SIZED, false, 1, 4 },
	{ 4, 4, RAW_ABSOLUTE, RAW_IDS_NONE, RAW_VALUES_BLOCKS, false, 1, 5 },
	{ 5, 5, RAW_ABSOLUTE, RAW_IDS_NONE, RAW_VALUES_BLOCKS, false, 5, 7 },
	{ 6, 6, RAW_ABSOLUTE, RAW_IDS_MAYBE_PADDED, RAW_VALUES_BLOCKS, false, 7,
	    12 },
	{ 7, 7, RAW_ABSOLUTE_OR_RELATIVE, RAW_IDS_MAYBE_PADDED,
	    RAW_VALUES_BLOCKS, false, 7, 12 },
	{ 8, 9, RAW_RELATIVE, RAW_IDS_PADDED, RAW_VALUES_BLOCKS, false, 7,
	    12 },
	{ 10, 10, RAW_RELATIVE, RAW_IDS_PADDED, RAW_VALUES_BLOCKS, false, 12,
	    13 },
	{ 11, 11, RAW_RELATIVE, RAW_IDS_PADDED, RAW_VALUES_BLOCKS, false, 13,
	    13 },
};

static void
test_rules(void)
{
	for (size_t i = 0; i < COUNT(rules); i++) {
		for (unsigned v = rules[i].first; v <= rules[i].last; v++) {
			const struct raw_row *row = raw_row(v);

			check(row->pointers == rules[i].pointers,
			    "v%u: meaning of pointers", v);
			check(row->ids == rules[i].ids, "v%u: binary ids", v);
			check(row->values == rules[i].values,
			    "v%u: value data", v);
			check(row->addressed_names ==
			    rules[i].addressed_names, "v%u: names", v);
			check(row->frontend_first == rules[i].frontend_first &&
			    row->frontend_last == rules[i].frontend_last,
			    "v%u: rule of front-end hashes", v);
		}
	}
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
	for (size_t i = 0; i < COUNT(headers); i++) {
		for (unsigned v = headers[i].first; v <= headers[i].last; v++)
			test_header(&headers[i], v);
	}
	test_rules();
	test_variants();
	test_versions();
	return done_testing();
}
