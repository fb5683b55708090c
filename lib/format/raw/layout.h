/*
 * format/raw/layout.h - what differs from one raw version to the next
 *
 * One row a version; the reader asks the row and never compares numbers.
 * Facts: InstrProfData.inc (INSTR_PROF_RAW_HEADER, INSTR_PROF_DATA) of the
 * releases named in format/raw/layout.c.
 */
#ifndef FORMAT_RAW_LAYOUT_H
#define FORMAT_RAW_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* InstrProfData.inc, INSTR_PROF_RAW_MAGIC_64 and _32. */
#define RAW_MAGIC_64 UINT64_C(0xFF6C70726F667281)
#define RAW_MAGIC_32 UINT64_C(0xFF6C70726F665281)

/* Header fields behind magic and version; all are 64 bits wide. */
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
	RAW_FIELDS
};

/* Name of a header field as LLVM has it, for messages. */
extern const char *const raw_field_names[RAW_FIELDS];

/* Members of a data record; ptr is as wide as the pointers of the program. */
enum raw_member {
	RAW_M_END,
	RAW_NAME_SIZE,		/* u32 */
	RAW_NUM_COUNTS,		/* u32 */
	RAW_FUNC_HASH,		/* u64 */
	RAW_NAME_PTR,		/* ptr */
	RAW_NAME_REF,		/* u64 */
	RAW_COUNTER_PTR,	/* ptr */
	RAW_UNIFORM_PTR,	/* ptr */
	RAW_BITMAP_PTR,		/* ptr */
	RAW_FUNCTION_PTR,	/* ptr */
	RAW_VALUES_PTR,		/* ptr */
	RAW_NUM_VALUE_SITES,	/* u16, one for each value kind */
	RAW_WAVE_SIZE,		/* u16 */
	RAW_NUM_BITMAP,		/* u32 */
	RAW_MEMBERS
};

/* How CounterPtr and its kin say where their counters are. */
enum raw_pointers {
	RAW_ABSOLUTE,		/* address; the delta is that of the section */
	RAW_RELATIVE,		/* distance from the record itself */
	/* Compilers of summer 2021 wrote relative ones under number 7. */
	RAW_ABSOLUTE_OR_RELATIVE,
};

enum raw_ids { RAW_IDS_NONE, RAW_IDS_LOOSE /* padded or not */, RAW_IDS_PADDED };
enum raw_values { RAW_VALUES_NONE, RAW_VALUES_SIZED, RAW_VALUES_BLOCKS };

struct raw_row {
	uint8_t version;
	uint8_t header[RAW_FIELDS];	/* enum raw_field, to RAW_END */
	uint8_t record[RAW_MEMBERS];	/* enum raw_member, to RAW_M_END */
	enum raw_pointers pointers;
	enum raw_ids ids;
	enum raw_values values;
	bool addressed_names;		/* by NamePtr and NameSize */
	/* NumValueSites has at least so many, whatever ValueKindLast says. */
	uint8_t value_kinds;
	bool aligned;			/* an image ends at a multiple of 8 */
	/* Indexed versions whose front-end hash rule was in use. */
	uint8_t frontend_first, frontend_last;
	/* The same for a profile with MC/DC bitmaps, 0 if not narrower. */
	uint8_t bitmap_first, bitmap_last;
	uint64_t variants;		/* bits 32 to 63 that may be set */
};

/* NULL if the version is unknown. */
const struct raw_row *raw_row(uint64_t version);
extern const unsigned raw_oldest, raw_newest;	/* read */

/* Byte offsets of a record's members for a word size and number of kinds. */
struct raw_record_layout {
	uint16_t offset[RAW_MEMBERS];
	bool has[RAW_MEMBERS];
	uint16_t size;
};

void raw_record_layout(const struct raw_row *, unsigned pointer_bytes,
    unsigned value_kinds, struct raw_record_layout *out);

/* Bytes of the header. */
size_t raw_header_size(const struct raw_row *);

#endif
