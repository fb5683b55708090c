#include "format/raw/layout.h"

#include <string.h>

#include "model/variants.h"

const char *const raw_field_names[RAW_FIELDS] = {
	[RAW_BINARY_IDS_SIZE] = "BinaryIdsSize",
	[RAW_NUM_DATA] = "NumData",
	[RAW_PADDING_BEFORE_COUNTERS] = "PaddingBytesBeforeCounters",
	[RAW_NUM_COUNTERS] = "NumCounters",
	[RAW_PADDING_AFTER_COUNTERS] = "PaddingBytesAfterCounters",
	[RAW_NUM_BITMAP_BYTES] = "NumBitmapBytes",
	[RAW_PADDING_AFTER_BITMAP] = "PaddingBytesAfterBitmapBytes",
	[RAW_NUM_UNIFORM] = "NumUniformCounters",
	[RAW_PADDING_AFTER_UNIFORM] = "PaddingBytesAfterUniformCounters",
	[RAW_UNIFORM_DELTA] = "UniformCountersDelta",
	[RAW_NAMES_SIZE] = "NamesSize",
	[RAW_COUNTERS_DELTA] = "CountersDelta",
	[RAW_BITMAP_DELTA] = "BitmapDelta",
	[RAW_NAMES_DELTA] = "NamesDelta",
	[RAW_NUM_VTABLES] = "NumVTables",
	[RAW_VNAMES_SIZE] = "VNamesSize",
	[RAW_VALUE_KIND_LAST] = "ValueKindLast",
	[RAW_VALUE_DATA_SIZE] = "ValueDataSize",
	[RAW_VALUE_DATA_DELTA] = "ValueDataDelta",
	[RAW_UNUSED_FIELD] = "(unused)",
};

#define IR VARIANT_IR
#define V4_BITS (IR | VARIANT_CONTEXT_SENSITIVE)
#define V5_BITS (V4_BITS | VARIANT_ENTRY_FIRST)
#define V8_BITS (V5_BITS | VARIANT_DEBUG_INFO_CORRELATED | \
    VARIANT_BYTE_COVERAGE | VARIANT_FUNCTION_ENTRY_ONLY | VARIANT_TEMPORAL)
#define V10_BITS (V8_BITS | VARIANT_LOOP_ENTRIES)

#define V3_RECORD { RAW_NAME_REF, RAW_FUNC_HASH, RAW_COUNTER_PTR, \
    RAW_FUNCTION_PTR, RAW_VALUES_PTR, RAW_NUM_COUNTS, RAW_NUM_VALUE_SITES }
#define V9_RECORD { RAW_NAME_REF, RAW_FUNC_HASH, RAW_COUNTER_PTR, \
    RAW_BITMAP_PTR, RAW_FUNCTION_PTR, RAW_VALUES_PTR, RAW_NUM_COUNTS, \
    RAW_NUM_VALUE_SITES, RAW_NUM_BITMAP }
#define V2_HEADER { RAW_NUM_DATA, RAW_NUM_COUNTERS, RAW_NAMES_SIZE, \
    RAW_COUNTERS_DELTA, RAW_NAMES_DELTA, RAW_VALUE_KIND_LAST, \
    RAW_VALUE_DATA_SIZE, RAW_VALUE_DATA_DELTA }
#define V7_HEADER { RAW_BINARY_IDS_SIZE, RAW_NUM_DATA, \
    RAW_PADDING_BEFORE_COUNTERS, RAW_NUM_COUNTERS, \
    RAW_PADDING_AFTER_COUNTERS, RAW_NAMES_SIZE, RAW_COUNTERS_DELTA, \
    RAW_NAMES_DELTA, RAW_VALUE_KIND_LAST }

#define V1_SECTIONS RAW_S_DATA, RAW_S_COUNTERS, RAW_S_NAMES
#define V2_SECTIONS V1_SECTIONS, RAW_S_VALUES
#define V6_SECTIONS RAW_S_IDS, V2_SECTIONS

/*
 * Versions 2, 3, 4, 6 and 11 are from LLVM's sources, as no compiler that
 * writes them was at hand; the others were checked with files of the releases
 * named.
 */
const struct raw_row raw_rows[] = {
	{	/* LLVM 3.5 to 3.7 */
		.version = 1,
		.header = { RAW_NUM_DATA, RAW_NUM_COUNTERS, RAW_NAMES_SIZE,
		    RAW_COUNTERS_DELTA, RAW_NAMES_DELTA },
		.sections = { V1_SECTIONS },
		.record = { RAW_NAME_SIZE, RAW_NUM_COUNTS, RAW_FUNC_HASH,
		    RAW_NAME_PTR, RAW_COUNTER_PTR },
		.value_kinds = 1,
		.pointers = RAW_ABSOLUTE,
		.addressed_names = true,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 4,
	}, {	/* LLVM 3.8 */
		.version = 2,
		.header = V2_HEADER,
		.sections = { V2_SECTIONS },
		.record = { RAW_NAME_SIZE, RAW_NUM_COUNTS, RAW_FUNC_HASH,
		    RAW_NAME_PTR, RAW_COUNTER_PTR, RAW_FUNCTION_PTR,
		    RAW_VALUES_PTR, RAW_NUM_VALUE_SITES },
		.value_kinds = 1,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_SIZED,
		.addressed_names = true,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 4,
		.variants = IR,
	}, {	/* trunk, February to May 2016 */
		.version = 3,
		.header = V2_HEADER,
		.sections = { V2_SECTIONS },
		.record = V3_RECORD,
		.value_kinds = 1,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_SIZED,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 4,
		.variants = IR,
	}, {	/* LLVM 3.9 to 9 */
		.version = 4,
		.written = true,
		.header = { RAW_NUM_DATA, RAW_NUM_COUNTERS, RAW_NAMES_SIZE,
		    RAW_COUNTERS_DELTA, RAW_NAMES_DELTA,
		    RAW_VALUE_KIND_LAST },
		.sections = { V2_SECTIONS },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 1, .frontend_last = 5,
		.variants = V4_BITS,
	}, {	/* LLVM 10 to 12 */
		.version = 5,
		.written = true,
		.header = { RAW_NUM_DATA, RAW_PADDING_BEFORE_COUNTERS,
		    RAW_NUM_COUNTERS, RAW_PADDING_AFTER_COUNTERS,
		    RAW_NAMES_SIZE, RAW_COUNTERS_DELTA, RAW_NAMES_DELTA,
		    RAW_VALUE_KIND_LAST },
		.sections = { V2_SECTIONS },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 5, .frontend_last = 7,
		.variants = V5_BITS,
	}, {	/* trunk, June to August 2021 */
		.version = 6,
		.written = true,
		.header = { RAW_NUM_DATA, RAW_PADDING_BEFORE_COUNTERS,
		    RAW_NUM_COUNTERS, RAW_PADDING_AFTER_COUNTERS,
		    RAW_NAMES_SIZE, RAW_COUNTERS_DELTA, RAW_NAMES_DELTA,
		    RAW_VALUE_KIND_LAST, RAW_BINARY_IDS_SIZE },
		.sections = { V6_SECTIONS },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE,
		.ids = RAW_IDS_MAYBE_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.frontend_first = 7, .frontend_last = 12,
		.variants = V5_BITS,
	}, {	/* LLVM 13 */
		.version = 7,
		.written = true,
		.header = V7_HEADER,
		.sections = { V6_SECTIONS },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_ABSOLUTE_OR_RELATIVE,
		.ids = RAW_IDS_MAYBE_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.frontend_first = 7, .frontend_last = 12,
		.variants = V5_BITS,
	}, {	/* LLVM 14 to 17 */
		.version = 8,
		.written = true,
		.header = V7_HEADER,
		.sections = { V6_SECTIONS },
		.record = V3_RECORD,
		.value_kinds = 2,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 7, .frontend_last = 12,
		.variants = V8_BITS,
	}, {	/* LLVM 18 */
		.version = 9,
		.written = true,
		.header = { RAW_BINARY_IDS_SIZE, RAW_NUM_DATA,
		    RAW_PADDING_BEFORE_COUNTERS, RAW_NUM_COUNTERS,
		    RAW_PADDING_AFTER_COUNTERS, RAW_NUM_BITMAP_BYTES,
		    RAW_PADDING_AFTER_BITMAP, RAW_NAMES_SIZE,
		    RAW_COUNTERS_DELTA, RAW_BITMAP_DELTA, RAW_NAMES_DELTA,
		    RAW_VALUE_KIND_LAST },
		.sections = { RAW_S_IDS, RAW_S_DATA, RAW_S_COUNTERS,
		    RAW_S_BITMAP, RAW_S_NAMES, RAW_S_VALUES },
		.record = V9_RECORD,
		.value_kinds = 2,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.frontend_first = 7, .frontend_last = 12,
		.value_kinds_min = 2,
		.bitmap_first = 11, .bitmap_last = 11,
		.variants = V8_BITS,
	}, {	/* LLVM 19 to 22 */
		.version = 10,
		.written = true,
		.header = { RAW_BINARY_IDS_SIZE, RAW_NUM_DATA,
		    RAW_PADDING_BEFORE_COUNTERS, RAW_NUM_COUNTERS,
		    RAW_PADDING_AFTER_COUNTERS, RAW_NUM_BITMAP_BYTES,
		    RAW_PADDING_AFTER_BITMAP, RAW_NAMES_SIZE,
		    RAW_COUNTERS_DELTA, RAW_BITMAP_DELTA, RAW_NAMES_DELTA,
		    RAW_NUM_VTABLES, RAW_VNAMES_SIZE, RAW_VALUE_KIND_LAST },
		.sections = { RAW_S_IDS, RAW_S_DATA, RAW_S_COUNTERS,
		    RAW_S_BITMAP, RAW_S_NAMES, RAW_S_VTABLES, RAW_S_VNAMES,
		    RAW_S_VALUES },
		.record = V9_RECORD,
		.value_kinds = 3,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.value_kinds_min = 3,
		.frontend_first = 12, .frontend_last = 13,
		.variants = V10_BITS,
	}, {	/* LLVM 23 */
		.version = 11,
		.written = true,
		.header = { RAW_BINARY_IDS_SIZE, RAW_NUM_DATA,
		    RAW_PADDING_BEFORE_COUNTERS, RAW_NUM_COUNTERS,
		    RAW_PADDING_AFTER_COUNTERS, RAW_NUM_BITMAP_BYTES,
		    RAW_PADDING_AFTER_BITMAP, RAW_NUM_UNIFORM,
		    RAW_PADDING_AFTER_UNIFORM, RAW_UNIFORM_DELTA,
		    RAW_NAMES_SIZE, RAW_COUNTERS_DELTA, RAW_BITMAP_DELTA,
		    RAW_NAMES_DELTA, RAW_NUM_VTABLES, RAW_VNAMES_SIZE,
		    RAW_VALUE_KIND_LAST },
		.sections = { RAW_S_IDS, RAW_S_DATA, RAW_S_COUNTERS,
		    RAW_S_BITMAP, RAW_S_UNIFORM, RAW_S_NAMES, RAW_S_VTABLES,
		    RAW_S_VNAMES, RAW_S_VALUES },
		.record = { RAW_NAME_REF, RAW_FUNC_HASH, RAW_COUNTER_PTR,
		    RAW_UNIFORM_PTR, RAW_BITMAP_PTR, RAW_FUNCTION_PTR,
		    RAW_VALUES_PTR, RAW_NUM_COUNTS, RAW_NUM_VALUE_SITES,
		    RAW_WAVE_SIZE, RAW_NUM_BITMAP },
		.value_kinds = 3,
		.pointers = RAW_RELATIVE,
		.ids = RAW_IDS_PADDED,
		.values = RAW_VALUES_BLOCKS,
		.aligned = true,
		.value_kinds_min = 3,
		.frontend_first = 13, .frontend_last = 13,
		.variants = V10_BITS,
	},
};

const size_t raw_row_count = sizeof(raw_rows) / sizeof(raw_rows[0]);

const struct raw_row *
raw_row(uint64_t version)
{
	for (size_t i = 0; i < raw_row_count; i++) {
		if (raw_rows[i].version == version)
			return &raw_rows[i];
	}
	return NULL;
}

bool
raw_row_has_field(const struct raw_row *row, enum raw_field field)
{
	for (const uint8_t *f = row->header; *f != RAW_END; f++) {
		if (*f == field)
			return true;
	}
	return false;
}

size_t
raw_header_size(const struct raw_row *row)
{
	size_t n = 2;		/* magic and version */

	for (const uint8_t *f = row->header; *f != RAW_END; f++)
		n++;
	return n * RAW_FIELD_SIZE;
}

/*
 * Members have their natural alignment, as in a C structure; the runtime aligns
 * the whole to 8 bytes on every target.
 */
void
raw_record_layout(const struct raw_row *row, unsigned pointer_bytes,
    unsigned value_kinds, struct raw_record_layout *out)
{
	unsigned at = 0;

	memset(out, 0, sizeof(*out));
	for (const uint8_t *m = row->record; *m != RAW_M_END; m++) {
		unsigned width = raw_members[*m].width;
		unsigned count = *m == RAW_NUM_VALUE_SITES ? value_kinds : 1;

		if (width == 0)
			width = pointer_bytes;
		at = (at + width - 1) / width * width;
		out->has[*m] = true;
		out->offset[*m] = (uint16_t)at;
		at += width * count;
	}
	out->size = (uint16_t)((at + 7) / 8 * 8);
}
