#include "format/indexed/layout.h"

#include "format/codec.h"
#include "format/indexed/map_order.h"
#include "model/variants.h"

const struct indexed_section_facts indexed_sections[INDEXED_SECTIONS] = {
	[INDEXED_MEMPROF] = { "MemProfOffset", "heap profile",
	    VARIANT_MEMPROF },
	[INDEXED_BINARY_IDS] = { "BinaryIdOffset", "binary ids", 0 },
	[INDEXED_TRACES] = { "TemporalProfTracesOffset", "traces",
	    VARIANT_TEMPORAL },
	[INDEXED_VTABLE_NAMES] = { "VTableNamesOffset", "vtable names", 0 },
};

#define V8_SECTIONS .header = { INDEXED_MEMPROF }, .file = { INDEXED_MEMPROF }
#define V9_SECTIONS \
	.header = { INDEXED_MEMPROF, INDEXED_BINARY_IDS }, \
	.file = { INDEXED_MEMPROF, INDEXED_BINARY_IDS }
#define V10_SECTIONS \
	.header = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_TRACES }, \
	.file = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_TRACES }
#define V12_SECTIONS \
	.header = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_TRACES, \
	    INDEXED_VTABLE_NAMES }, \
	.file = { INDEXED_MEMPROF, INDEXED_BINARY_IDS, INDEXED_VTABLE_NAMES, \
	    INDEXED_TRACES }

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
	{	/* LLVM 3.5 */
		.version = 1,
		.variants = V1_BITS,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.6 and 3.7 */
		.version = 2,
		.num_counts = true,
		.variants = V2_BITS,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.8 */
		.version = 3,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V2_BITS,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 3.9 to 5 */
		.version = 4,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V2_BITS,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 6 to 10 */
		.version = 5,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V2_BITS,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 11 */
		.version = 6,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V6_BITS,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 12 to 14 */
		.version = 7,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V7_BITS,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 15 */
		.version = 8,
		V8_SECTIONS,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V7_BITS,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 16 */
		.version = 9,
		V9_SECTIONS,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V7_BITS,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 17 */
		.version = 10,
		V10_SECTIONS,
		.summary = true,
		.num_counts = true,
		.value_kinds = 2,
		.variants = V10_BITS,
		.shrinks = true,
		.map_hash = dense_map_hash_times_37,
	}, {	/* LLVM 18; 19 to 22 as the previous version */
		.version = 11,
		V10_SECTIONS,
		.summary = true,
		.num_counts = true,
		.bitmap = true,
		.value_kinds = 3,
		.variants = V11_BITS,
		.shrinks = true,
		.sorted_names = true,
		.map_hash = dense_map_hash_mixed,
	}, {	/* LLVM 19 to 21 */
		.version = 12,
		V12_SECTIONS,
		.summary = true,
		.num_counts = true,
		.bitmap = true,
		.value_kinds = 3,
		.variants = V11_BITS,
		.shrinks = true,
		.sorted_names = true,
		.map_hash = dense_map_hash_mixed,
	}, {	/* LLVM 22 */
		.version = 13,
		V12_SECTIONS,
		.summary = true,
		.num_counts = true,
		.bitmap = true,
		.value_kinds = 3,
		.variants = V11_BITS,
		.shrinks = true,
		.sorted_names = true,
		.map_hash = dense_map_hash_mixed,
	},
};

/* Versions are numbered from 1 without a gap. */
const unsigned indexed_oldest = 1;
const unsigned indexed_newest = sizeof(rows) / sizeof(rows[0]);

void
indexed_versions(struct prof_versions *v)
{
	*v = (struct prof_versions){ indexed_oldest, indexed_newest,
	    indexed_newest };
}

const struct indexed_row *
indexed_row(uint64_t version)
{
	if (version < indexed_oldest || version > indexed_newest)
		return NULL;
	return &rows[version - indexed_oldest];
}

/* How many offsets stand before that of a section, or in all. */
static size_t
layout_offsets_before(const struct indexed_row *row, enum indexed_section s)
{
	size_t n = 0;

	while (row->header[n] != s && row->header[n] != INDEXED_NO_SECTION)
		n++;
	return n;
}

bool
indexed_row_has(const struct indexed_row *row, enum indexed_section s)
{
	return row->header[layout_offsets_before(row, s)] == s;
}

unsigned
indexed_first_with(enum indexed_section s)
{
	size_t i = 0;

	while (!indexed_row_has(&rows[i], s))
		i++;
	return rows[i].version;
}

size_t
indexed_offset_at(const struct indexed_row *row, enum indexed_section s)
{
	return INDEXED_HEADER_MIN + 8 * layout_offsets_before(row, s);
}

size_t
indexed_header_size(const struct indexed_row *row)
{
	return indexed_offset_at(row, INDEXED_NO_SECTION);
}
