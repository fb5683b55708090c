#include "format/memprof-raw/layout.h"

#include "format/codec.h"
#include "model/mib.h"

const struct mraw_section_names mraw_sections[MRAW_SECTIONS] = {
	[MRAW_SEGMENTS] = { "SegmentOffset", "segments" },
	[MRAW_BLOCKS] = { "MIBOffset", "memory info blocks" },
	[MRAW_STACKS] = { "StackOffset", "stacks" },
};

#define FIELDS_UP_TO(field) \
	.fields = MIB_UP_TO(field), \
	.block_size = MIB_SIZE(MIB_UP_TO(field))

/* In versions 1 and 2, the build id has no size, and may be anything. */
#define SEGMENT_WITHOUT_BUILD_ID \
	.segment = { .start = 0, .end = 8, .offset = 16, .size = 56 }
#define SEGMENT \
	.segment = { .start = 0, .end = 8, .offset = 16, \
	    .build_id_size = 24, .build_id = 32, .size = 64 }

static const struct mraw_row rows[] = {
	/* LLVM 14, 15 */
	{ .version = 1, SEGMENT_WITHOUT_BUILD_ID, .file_addresses = true,
	    FIELDS_UP_TO(DATA_TYPE_ID), .unknown = MIB_FALSE_MAXIMA },
	/* LLVM 16 */
	{ .version = 2, SEGMENT_WITHOUT_BUILD_ID, .file_addresses = true,
	    FIELDS_UP_TO(MAX_LIFETIME_ACCESS_DENSITY) },
	/* LLVM 17, 18 */
	{ .version = 3, SEGMENT, FIELDS_UP_TO(MAX_LIFETIME_ACCESS_DENSITY) },
	/* LLVM 19 to 21 */
	{ .version = 4, SEGMENT, FIELDS_UP_TO(ACCESS_HISTOGRAM),
	    .histogram_width = 8 },
	/* LLVM 22 */
	{ .version = 5, SEGMENT, FIELDS_UP_TO(ACCESS_HISTOGRAM),
	    .histogram_width = 2 },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const unsigned mraw_oldest = 1, mraw_newest = ROWS;

/* Versions 1 and 2 need offsets in the files of modules, which nobody has. */
void
memprof_raw_versions(struct prof_versions *v)
{
	*v = (struct prof_versions){ 3, mraw_newest, mraw_newest };
}

const struct mraw_row *
mraw_row(uint64_t version)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].version == version)
			return &rows[i];
	}
	return NULL;
}

uint16_t
mraw_scale(uint64_t count)
{
	const uint64_t mantissa = 0xfff, most = mantissa << 15;
	unsigned exponent = 0;

	if (count > most)
		count = most;
	for (; count > mantissa; exponent++)
		count = (count + 1) >> 1;
	return (uint16_t)(exponent << 12 | count);
}
