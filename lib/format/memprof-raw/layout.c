#include "format/memprof-raw/layout.h"

/* Fields are numbered from 1; the pointer behind a histogram's size is dead. */
#define UP_TO(field) \
	.fields = (UINT32_C(2) << (field)) - 2, \
	.last_field = (field) == PROF_MIB_ACCESS_HISTOGRAM ? (field) - 1 : (field)

/*
 * The headers of LLVM 14 and 15 (v1) keep the smaller of two maxima, so that
 * these maxima are minima.
 */
#define NO_MAXIMA (UINT32_C(1) << PROF_MIB_MAX_ACCESS_COUNT | \
    UINT32_C(1) << PROF_MIB_MAX_SIZE)

static const struct mraw_row rows[] = {
	/* LLVM 14, 15 */
	{ .version = 1, .segment_size = 56, .file_addresses = true,
	    UP_TO(PROF_MIB_DATA_TYPE_ID), .unknown = NO_MAXIMA,
	    .block_size = 100 },
	/* LLVM 16 */
	{ .version = 2, .segment_size = 56, .file_addresses = true,
	    UP_TO(PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY),
	    .block_size = 132 },
	/* LLVM 17, 18 */
	{ .version = 3, .segment_size = 64, .has_build_id = true,
	    UP_TO(PROF_MIB_MAX_LIFETIME_ACCESS_DENSITY),
	    .block_size = 132 },
	/* LLVM 19 to 21 */
	{ .version = 4, .segment_size = 64, .has_build_id = true,
	    UP_TO(PROF_MIB_ACCESS_HISTOGRAM),
	    .block_size = 144, .histogram_width = 8 },
	/* LLVM 22 */
	{ .version = 5, .segment_size = 64, .has_build_id = true,
	    UP_TO(PROF_MIB_ACCESS_HISTOGRAM),
	    .block_size = 144, .histogram_width = 2 },
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

const unsigned mraw_oldest = 1, mraw_newest = ROWS;

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
