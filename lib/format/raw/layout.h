/*
 * format/raw/layout.h - the versions of raw profiles, one row each
 *
 * A row says all that differs from one version to the next; no code compares
 * version numbers.  A new version is a new row in format/raw/layout.c.  Facts:
 * InstrProfData.inc (INSTR_PROF_RAW_HEADER, INSTR_PROF_DATA) of the releases
 * named there.
 */
#ifndef FORMAT_RAW_LAYOUT_H
#define FORMAT_RAW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* InstrProfData.inc, INSTR_PROF_RAW_MAGIC_64 and _32. */
#define RAW_MAGIC_64 UINT64_C(0xFF6C70726F667281)
#define RAW_MAGIC_32 UINT64_C(0xFF6C70726F665281)

/* Header fields behind magic and version, each of RAW_FIELD_SIZE bytes. */
enum { RAW_FIELD_SIZE = 8 };

enum raw_field {
	RAW_END,		/* of a list of fields */
	RAW_BINARY_IDS_SIZE,	/* bytes */
	RAW_NUM_DATA,		/* records */
	RAW_PADDING_BEFORE_COUNTERS,
	RAW_NUM_COUNTERS,	/* counters; bytes with byte coverage */
	RAW_PADDING_AFTER_COUNTERS,
	RAW_NUM_BITMAP_BYTES,
	RAW_PADDING_AFTER_BITMAP,
	RAW_NUM_UNIFORM,	/* counters of 8 bytes */
	RAW_PADDING_AFTER_UNIFORM,
	RAW_UNIFORM_DELTA,
	RAW_NAMES_SIZE,		/* bytes, as stored */
	RAW_COUNTERS_DELTA,
	RAW_BITMAP_DELTA,
	RAW_NAMES_DELTA,
	RAW_NUM_VTABLES,	/* records */
	RAW_VNAMES_SIZE,	/* bytes, as stored */
	RAW_VALUE_KIND_LAST,
	RAW_VALUE_DATA_SIZE,	/* bytes */
	RAW_VALUE_DATA_DELTA,
	/* Skipped by the reader, 0 from the writer; at most one in a row. */
	RAW_UNUSED_FIELD,
	RAW_FIELDS
};

/* Name of a header field as LLVM has it, for messages. */
extern const char *const raw_field_names[RAW_FIELDS];

/* Members of a data record; their widths are in raw_members. */
enum raw_member {
	RAW_M_END,		/* of a list of members */
	RAW_NAME_SIZE,
	RAW_NUM_COUNTS,
	RAW_FUNC_HASH,
	RAW_NAME_PTR,
	RAW_NAME_REF,
	RAW_COUNTER_PTR,
	RAW_UNIFORM_PTR,
	RAW_BITMAP_PTR,
	RAW_FUNCTION_PTR,
	RAW_VALUES_PTR,
	RAW_NUM_VALUE_SITES,	/* an array: one for each value kind */
	RAW_WAVE_SIZE,
	RAW_NUM_BITMAP,
	/* Skipped by the reader, 0 from the writer. */
	RAW_UNUSED_U16, RAW_UNUSED_U32, RAW_UNUSED_U64, RAW_UNUSED_PTR,
	RAW_MEMBERS
};

static const struct raw_member_info {
	uint8_t width;		/* bytes; 0: those of the program's pointers */
	bool address;		/* depends on where the program is loaded */
	bool section_pointer;	/* into a section, see enum raw_pointers */
} raw_members[RAW_MEMBERS] = {
	[RAW_NAME_SIZE] = { .width = 4 },
	[RAW_NUM_COUNTS] = { .width = 4 },
	[RAW_FUNC_HASH] = { .width = 8 },
	[RAW_NAME_PTR] = { .address = true },
	[RAW_NAME_REF] = { .width = 8 },
	[RAW_COUNTER_PTR] = { .section_pointer = true },
	[RAW_UNIFORM_PTR] = { .section_pointer = true },
	[RAW_BITMAP_PTR] = { .section_pointer = true },
	[RAW_FUNCTION_PTR] = { .address = true },
	[RAW_VALUES_PTR] = { .address = true },
	[RAW_NUM_VALUE_SITES] = { .width = 2 },
	[RAW_WAVE_SIZE] = { .width = 2 },
	[RAW_NUM_BITMAP] = { .width = 4 },
	[RAW_UNUSED_U16] = { .width = 2 },
	[RAW_UNUSED_U32] = { .width = 4 },
	[RAW_UNUSED_U64] = { .width = 8 },
};

enum raw_section {
	RAW_S_END,		/* of a list of sections */
	RAW_S_IDS, RAW_S_DATA, RAW_S_COUNTERS, RAW_S_BITMAP, RAW_S_UNIFORM,
	RAW_S_NAMES, RAW_S_VTABLES, RAW_S_VNAMES, RAW_S_VALUES, RAW_SECTIONS
};

/*
 * What is the same in all versions that have a section: `count` is the field
 * with the number of its units (raw_unit_size), `padding` the field with the
 * number of zeros behind it, RAW_END for none, or RAW_PAD8 for as many as lead
 * to a multiple of 8.  Of a section that records point into, `pointer` is the
 * record's member and `delta` the field that is taken off the pointer.
 */
enum { RAW_PAD8 = RAW_FIELDS };

static const struct raw_section_info {
	uint8_t count, padding;	/* enum raw_field */
	uint8_t delta;		/* enum raw_field */
	uint8_t pointer;	/* enum raw_member */
	const char *units;	/* for messages */
	bool fixed;		/* same number of units in all profiles */
} raw_sections[RAW_SECTIONS] = {
	[RAW_S_IDS] = { .count = RAW_BINARY_IDS_SIZE },
	[RAW_S_DATA] = { .count = RAW_NUM_DATA,
	    .padding = RAW_PADDING_BEFORE_COUNTERS, .fixed = true },
	[RAW_S_COUNTERS] = { .count = RAW_NUM_COUNTERS,
	    .padding = RAW_PADDING_AFTER_COUNTERS,
	    .delta = RAW_COUNTERS_DELTA, .pointer = RAW_COUNTER_PTR,
	    .units = "counters", .fixed = true },
	[RAW_S_BITMAP] = { .count = RAW_NUM_BITMAP_BYTES,
	    .padding = RAW_PADDING_AFTER_BITMAP,
	    .delta = RAW_BITMAP_DELTA, .pointer = RAW_BITMAP_PTR,
	    .units = "bitmap bytes", .fixed = true },
	[RAW_S_UNIFORM] = { .count = RAW_NUM_UNIFORM,
	    .padding = RAW_PADDING_AFTER_UNIFORM,
	    .delta = RAW_UNIFORM_DELTA, .pointer = RAW_UNIFORM_PTR,
	    .units = "uniform counters", .fixed = true },
	[RAW_S_NAMES] = { .count = RAW_NAMES_SIZE, .padding = RAW_PAD8 },
	[RAW_S_VTABLES] = { .count = RAW_NUM_VTABLES, .padding = RAW_PAD8,
	    .fixed = true },
	[RAW_S_VNAMES] = { .count = RAW_VNAMES_SIZE, .padding = RAW_PAD8 },
	[RAW_S_VALUES] = { .count = RAW_VALUE_DATA_SIZE },
};

/* What CounterPtr, BitmapPtr and UniformCounterPtr are. */
enum raw_pointers {
	RAW_ABSOLUTE,		/* addresses; the delta is the section's */
	RAW_RELATIVE,		/* distances from the record itself */
	/* Compilers of summer 2021 wrote relative ones under number 7. */
	RAW_ABSOLUTE_OR_RELATIVE,
};

/* Whether each binary id is padded to 8 bytes. */
enum raw_ids { RAW_IDS_NONE, RAW_IDS_MAYBE_PADDED, RAW_IDS_PADDED };

enum raw_values {
	RAW_VALUES_NONE,
	RAW_VALUES_SIZED,	/* ValueDataSize says where they end */
	RAW_VALUES_BLOCKS	/* the sizes of their blocks do */
};

struct raw_row {
	uint8_t version;
	bool written;			/* format/raw/write.c can write it */
	uint8_t header[RAW_FIELDS];	/* enum raw_field, to RAW_END */
	uint8_t sections[RAW_SECTIONS];	/* enum raw_section, to RAW_S_END */
	uint8_t record[RAW_MEMBERS];	/* enum raw_member, to RAW_M_END */
	enum raw_pointers pointers;
	enum raw_ids ids;
	enum raw_values values;
	bool addressed_names;		/* by NamePtr and NameSize */
	/* Kinds of values that the compilers of the version know. */
	uint8_t value_kinds;
	/* NumValueSites has at least so many, whatever ValueKindLast says. */
	uint8_t value_kinds_min;
	bool aligned;			/* an image ends at a multiple of 8 */
	/* Indexed versions whose front-end hash rule was in use. */
	uint8_t frontend_first, frontend_last;
	/* The same for a profile with MC/DC bitmaps, 0 if not narrower. */
	uint8_t bitmap_first, bitmap_last;
	uint64_t variants;		/* bits 32 to 63 that may be set */
};

/* All versions, oldest first. */
extern const struct raw_row raw_rows[];
extern const size_t raw_row_count;

/* NULL if the version is unknown. */
const struct raw_row *raw_row(uint64_t version);

/* Whether the header has a field. */
bool raw_row_has_field(const struct raw_row *, enum raw_field);

/* Byte offsets of a record's members. */
struct raw_record_layout {
	uint16_t offset[RAW_MEMBERS];
	bool has[RAW_MEMBERS];
	uint16_t size;
};

void raw_record_layout(const struct raw_row *, unsigned pointer_bytes,
    unsigned value_kinds, struct raw_record_layout *out);

/* Bytes of the header, with magic and version. */
size_t raw_header_size(const struct raw_row *);

#endif
