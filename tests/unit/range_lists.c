/* Lists of address ranges that are made here: how many entries they have. */
#include "config.h"

#include "sym/sym.h"
#include "tests/support/test.h"

static const struct {
	const char *name;
	uint8_t address_size;
	bool rnglists;
	uint8_t bytes[24];
	size_t size;
	uint64_t entries;
} rows[] = {
	{ "nothing", 8, true, { 0 }, 0, 0 },
	{ "an end", 8, true, { 0, 5 }, 2, 0 },
	{ "kinds with numbers", 8, true, { DW_RLE_base_addressx, 0x81, 1,
	    DW_RLE_startx_endx, 1, 0x82, 1, DW_RLE_startx_length, 1, 2,
	    DW_RLE_offset_pair, 3, 4, 0 }, 14, 4 },
	{ "kinds with addresses", 4, true, { DW_RLE_base_address, 0, 0, 0, 0,
	    DW_RLE_start_end, 1, 0, 0, 0, 2, 0, 0, 0,
	    DW_RLE_start_length, 1, 0, 0, 0, 5, 0 }, 21, 3 },
	{ "a kind that is unknown", 8, true, { DW_RLE_offset_pair, 3, 4, 8, 1,
	    0 }, 6, 1 },
	{ "a truncated list", 4, true, { DW_RLE_offset_pair, 3, 4,
	    DW_RLE_start_end, 1, 0, 0, 0, 2 }, 9, 1 },
	{ "pairs", 4, false, { 255, 255, 255, 255, 0, 0, 0, 0,
	    1, 0, 0, 0, 1, 0, 0, 0 }, 24, 2 },
	{ "pairs without an end", 2, false, { 1, 0, 2, 0, 3, 0, 4 }, 7, 1 }
};

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cursor c = { .data = rows[i].bytes,
		    .size = rows[i].size };
		uint64_t n = range_list_count(&c, rows[i].rnglists,
		    rows[i].address_size);

		check(n == rows[i].entries, "%s: %llu", rows[i].name, ull(n));
	}
	return done_testing();
}
