#include "format/indexed/layout.h"

#include "format/codec.h"
#include "format/indexed/map_order.h"
#include "model/variants.h"

const unsigned indexed_oldest = 1, indexed_newest = 13;

const char *const indexed_offset_names[INDEXED_SECTIONS] = {
	[INDEXED_MEMPROF] = "MemProfOffset",
	[INDEXED_BINARY_IDS] = "BinaryIdOffset",
	[INDEXED_TRACES] = "TemporalProfTracesOffset",
	[INDEXED_VTABLE_NAMES] = "VTableNamesOffset",
};

const uint8_t indexed_file_order[INDEXED_SECTIONS] = {
	INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_VTABLE_NAMES,
	INDEXED_TRACES,
};

/*
 * A bit goes into a version if a release that wrote the version knew it.  But
 * what makes the profile another kind (IR, context-sensitive) goes into all
 * that can hold such records, as it would else be taken for what it is not.
 * And LLVM 22 keeps loop entries where it writes v11, which does no harm:
 * LLVM 18 passes over bits that it does not know.
 */
#define V1_BITS VARIANT_IR
#define V2_BITS (V1_BITS | VARIANT_CONTEXT_SENSITIVE)
#define V6_BITS (V2_BITS | VARIANT_ENTRY_FIRST)
#define V7_BITS (V6_BITS | VARIANT_BYTE_COVERAGE | VARIANT_FUNCTION_ENTRY_ONLY)
#define V10_BITS (V7_BITS | VARIANT_TEMPORAL)
#define V11_BITS (V10_BITS | VARIANT_LOOP_ENTRIES)

/*
 * Versions 7, 8, 9, 11, 12 and 13 were checked with the llvm-profdata of the
 * releases named, 1 to 4 and 10 with files of their time, 5 and 6 only with
 * later readers.
 */
static const struct indexed_row rows[] = {
	{	/* LLVM 3.4 and 3.5 */
		.version = 1,
		.variants = V1_BITS,
		.frontend_first = 1, .frontend_last = 4,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.6 and 3.7 */
		.version = 2,
		.num_counts = true,
		.variants = V2_BITS,
		.frontend_first = 1, .frontend_last = 4,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.8 */
		.version = 3,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V2_BITS,
		.frontend_first = 1, .frontend_last = 4,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.9 to 5 */
		.version = 4,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V2_BITS,
		.frontend_first = 1, .frontend_last = 4,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 6 to 10 */
		.version = 5,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V2_BITS,
		.frontend_first = 5, .frontend_last = 5,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 11 */
		.version = 6,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V6_BITS,
		.frontend_first = 6, .frontend_last = 6,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 12 to 14 */
		.version = 7,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V7_BITS,
		.frontend_first = 7, .frontend_last = 12,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 15 */
		.version = 8,
		.sections = 1,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V7_BITS,
		.memprof_first = 0, .memprof_last = 0,
		.memprof_field = 19,
		.frontend_first = 7, .frontend_last = 12,
		.summary_rule = SUMMARY_SKIP_COUNTER,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 16 */
		.version = 9,
		.sections = 2,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V7_BITS,
		.memprof_first = 0, .memprof_last = 0,
		.memprof_field = 25,
		.frontend_first = 7, .frontend_last = 12,
		.summary_rule = SUMMARY_SKIP_RECORD,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 17 */
		.version = 10,
		.sections = 3,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V10_BITS,
		.memprof_first = 0, .memprof_last = 0,
		.memprof_field = 25,
		.frontend_first = 7, .frontend_last = 12,
		.summary_rule = SUMMARY_SKIP_RECORD,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 18; 19 to 22 as the previous version */
		.version = 11,
		.sections = 3,
		.summary = true,
		.num_counts = true,
		.bitmap = true,
		.value_kinds = 3, .refuses_vtables = "LLVM 18",
		.variants = V11_BITS,
		.memprof_first = 0, .memprof_last = 0,
		.memprof_field = 25,
		.frontend_first = 7, .frontend_last = 12,
		.bitmap_first = 11, .bitmap_last = 11,
		.summary_rule = SUMMARY_SKIP_RECORD,
		.shrinks = true,
		.sorted_names = true,
		.map_hash = dense_map_hash_mixed,
	}, {	/* LLVM 19 to 21 */
		.version = 12,
		.sections = 4,
		.summary = true,
		.num_counts = true,
		.bitmap = true,
		.value_kinds = 3,
		.variants = V11_BITS,
		.memprof_first = 0, .memprof_last = 3,
		.memprof_field = 27,
		.frontend_first = 7, .frontend_last = 12,
		.bitmap_first = 12, .bitmap_last = 13,
		.summary_rule = SUMMARY_SKIP_RECORD,
		.shrinks = true,
		.sorted_names = true,
		.map_hash = dense_map_hash_mixed,
	}, {	/* LLVM 22 */
		.version = 13,
		.sections = 4,
		.summary = true,
		.num_counts = true,
		.bitmap = true,
		.value_kinds = 3,
		.variants = V11_BITS,
		.memprof_first = 2, .memprof_last = 4,
		.memprof_field = 27,
		.frontend_first = 13, .frontend_last = 13,
		.bitmap_first = 12, .bitmap_last = 13,
		.masked_hashes = true,
		.summary_rule = SUMMARY_SKIP_RECORD,
		.shrinks = true,
		.sorted_names = true,
		.map_hash = dense_map_hash_mixed,
	},
};

const struct indexed_row *
indexed_row(uint64_t version)
{
	if (version < indexed_oldest || version > indexed_newest)
		return NULL;
	return &rows[version - indexed_oldest];
}

size_t
indexed_header_size(const struct indexed_row *row)
{
	return indexed_offset_at(row->sections);
}

size_t
indexed_offset_at(enum indexed_section s)
{
	return INDEXED_HEADER_MIN + (size_t)8 * s;
}
