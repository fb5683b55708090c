/* LPRF version 1: each byte that can be wrong, and where it is told. */
#include "tests/support/images.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "format/codec.h"
#include "format/lprf/v2.h"

/*
 * A file of two functions, f and gg, and places in it.  An index of 13 and 14
 * bytes leaves 5 of padding.
 */
enum {
	INDEX_END = 8, INDEX = 24, NAME_F = INDEX + 4, DATA_F = NAME_F + 1,
	ENTRY_G = DATA_F + 8, NAME_G = ENTRY_G + 4, DATA_G = NAME_G + 2,
	PADDING = DATA_G + 8, AT_F = 56, COUNT_F = AT_F + 8,
	AT_G = AT_F + 16 + 8, COUNT_G = AT_G + 8, SIZE = AT_G + 16 + 2 * 8
};

static const uint8_t sound[SIZE] = {
	'L', 'P', 'R', 'F', 1, 0, 0, 0, AT_F, 0, 0, 0, 0, 0, 0, 0,
	7, 0, 0, 0, 0, 0, 0, 0,
	1, 0, 0, 0, 'f', AT_F, 0, 0, 0, 0, 0, 0, 0,
	2, 0, 0, 0, 'g', 'g', AT_G, 0, 0, 0, 0, 0, 0, 0,
	0, 0, 0, 0, 0,
	0x18, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0,
	5, 0, 0, 0, 0, 0, 0, 0,
	0xEF, 0xCD, 0xAB, 0x89, 0x67, 0x45, 0x23, 0x01,
	2, 0, 0, 0, 0, 0, 0, 0,
	7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80,
};

/* Reads bytes that have nothing behind them; PROF_END or PROF_FAIL. */
static enum prof_status
read_all(const uint8_t *bytes, size_t size, struct buf *out,
    struct prof_error *err)
{
	struct prof_span copy = exact((struct prof_span){ bytes, size });
	enum prof_status status = PROF_FAIL;
	struct prof_reader *r;
	struct prof_record record;

	r = lprf_open(NULL, copy, err);
	while (r != NULL &&
	    (status = prof_next(r, &record, err)) == PROF_OK) {
		const struct prof_function *f = &record.u.function;

		if (record.kind != PROF_REC_FUNCTION)
			continue;
		buf_put(out, f->symbol.name.data, f->symbol.name.size);
		buf_print(out, " %" PRIx64, f->hash);
		for (size_t i = 0; i < f->counts_size; i++)
			buf_print(out, " %" PRIu64, f->counts[i]);
		buf_put(out, "; ", 2);
	}
	buf_u8(out, '\0');
	prof_close(r);
	release(copy);
	return status;
}

#define BAD		PROF_E_CORRUPT
#define ENDS_AT(end)	"index end " end " is not a multiple of 8 between 24 " \
			"and the size 112 of the file"
#define DATA_AT(at)	"index: counter data at " at " is not at a multiple " \
			"of 8 from the index end 0x38 to 24 bytes before the " \
			"end 0x70"
#define COUNTERS(n, left)	"number of counters " n " exceeds the " left \
				" bytes left"

/* One change to the sound file: a number of `width` bytes, or a new size. */
static const struct row {
	const char *what;
	size_t at, width;
	uint64_t value;
	size_t size;			/* 0: all of it */
	/* What is said of it; where is 0 if it is as sound as before. */
	enum prof_code code;
	uint64_t where;
	const char *reason;
} rows[] = {
	/* The header. */
	{ "no bytes but the magic", 0, 0, 0, 4, PROF_E_TRUNCATED, 4,
	    "the header needs 24 bytes, but has 4" },
	{ "a cut header", 0, 0, 0, 23, PROF_E_TRUNCATED, 23, "the header needs "
	    "24 bytes, but has 23" },
	{ "version 0", 4, 4, 0, 0, PROF_E_VERSION, 4, "version 0 is unknown: "
	    "LPRF versions 1 and 2 are known" },
	{ "version 3", 4, 4, 3, 0, PROF_E_VERSION, 4, "version 3 is unknown: "
	    "LPRF versions 1 and 2 are known" },
	{ "index end in the header", INDEX_END, 8, 16, 0, BAD, 8, ENDS_AT(
	    "16") },
	{ "index end past the file", INDEX_END, 8, SIZE + 8, 0, BAD, 8, ENDS_AT(
	    "120") },
	{ "index end at an odd place", INDEX_END, 8, AT_F + 4, 0, BAD, 8,
	    ENDS_AT("60") },
	{ "index end of 64 bits", INDEX_END, 8, UINT64_MAX - 7, 0, BAD, 8,
	    ENDS_AT("18446744073709551608") },
	{ "a file that ends in its index", 0, 0, 0, AT_F - 1, BAD, 8, "index "
	    "end 56 is not a multiple of 8 between 24 and the size 55 of the "
	    "file" },
	/* Nobody needs it to read the rest. */
	{ "another largest count", 16, 8, 1234, 0, PROF_E_NONE, 0, NULL },
	{ "nothing but what it has", 0, 0, 0, 0, PROF_E_NONE, 0, NULL },
	/* The index. */
	{ "a name of no bytes", INDEX, 4, 0, 0, BAD, NAME_F, "index: padding "
	    "is not zero" },
	{ "a name up to its end", ENTRY_G, 4, 7, 0, BAD, ENTRY_G, DATA_AT(
	    "0x0") },
	{ "a name past the index", ENTRY_G, 4, 8, 0, BAD, ENTRY_G, "index: an "
	    "entry of name length 8 exceeds the 19 bytes left" },
	{ "a name past the file", ENTRY_G, 4, UINT32_MAX, 0, BAD, ENTRY_G,
	    "index: an entry of name length 4294967295 exceeds the 19 bytes "
	    "left" },
	{ "the last entry cut", INDEX_END, 8, 48, 0, BAD, ENTRY_G, "index: an "
	    "entry of name length 2 exceeds the 11 bytes left" },
	{ "a bit in the padding", PADDING + 4, 1, 0x80, 0, BAD, PADDING + 4,
	    "index: padding is not zero" },
	{ "padding that begins with a length", PADDING, 1, 1, 0, BAD, PADDING,
	    "index: an entry of name length 1 exceeds the 5 bytes left" },
	{ "a file that ends with the index", 0, 0, 0, AT_F, BAD, INDEX,
	    "index: counter data at 0x38 is not at a multiple of 8 from the "
	    "index end 0x38 to 24 bytes before the end 0x38" },
	{ "counter data in the index", DATA_F, 8, AT_F - 8, 0, BAD, INDEX,
	    DATA_AT("0x30") },
	{ "counter data at 0", DATA_G, 8, 0, 0, BAD, ENTRY_G, DATA_AT("0x0") },
	{ "counter data at an odd place", DATA_G, 8, AT_G + 4, 0, BAD, ENTRY_G,
	    DATA_AT("0x54") },
	{ "counter data near the end", DATA_G, 8, SIZE - 16, 0, BAD, ENTRY_G,
	    DATA_AT("0x60") },
	{ "counter data past the end", DATA_G, 8, UINT64_MAX - 7, 0, BAD,
	    ENTRY_G, DATA_AT("0xfffffffffffffff8") },
	/* Counter data. */
	{ "no counters", COUNT_F, 8, 0, 0, BAD, COUNT_F, "number of counters "
	    "is 0" },
	{ "counters past the end", COUNT_G, 8, 3, 0, BAD, COUNT_G, COUNTERS("3",
	    "16") },
	{ "counters of 2^67 bytes", COUNT_G, 8, UINT64_MAX, 0, BAD, COUNT_G,
	    COUNTERS("18446744073709551615", "16") },
	{ "a size that would wrap", COUNT_G, 8, (uint64_t)1 << 61, 0, BAD,
	    COUNT_G, COUNTERS("2305843009213693952", "16") },
	{ "a cut counter", 0, 0, 0, SIZE - 1, BAD, COUNT_G, COUNTERS("2",
	    "15") },
	{ "data of both at one place", DATA_G, 8, AT_F, 0, BAD, ENTRY_G,
	    "index: counter data at 0x38 lies inside that at 0x38" },
	{ "data of one in that of the other", COUNT_F, 8, 2, 0, BAD, ENTRY_G,
	    "index: counter data at 0x50 lies inside that at 0x38" },
	{ "data of one in that of the other, the other way", DATA_F, 8, AT_G +
	    8, 0, BAD, AT_G + 16, COUNTERS("7", "8") },
};

static const char both[] = "f 18 5; gg 123456789abcdef 7 9223372036854775808; ";

static void
test_row(const struct row *row)
{
	uint8_t bytes[SIZE];
	size_t size = row->size == 0 ? SIZE : row->size;
	struct prof_error e = { 0 };
	struct buf out = { 0 };
	enum prof_status status;
	bool ok;

	memcpy(bytes, sound, SIZE);
	for (size_t i = 0; i < row->width; i++)
		bytes[row->at + i] = (uint8_t)(row->value >> 8 * i);
	status = read_all(bytes, size, &out, &e);
	if (row->where == 0)
		ok = status == PROF_END && strcmp((char *)out.data, both) == 0;
	else
		ok = status == PROF_FAIL && e.code == row->code &&
		    e.where == PROF_AT_BYTE && e.offset == row->where &&
		    strcmp(e.reason, row->reason) == 0;
	if (!check(ok, "%s", row->what))
		printf("# %s code %d, 0x%" PRIx64 ": %s\n", (char *)out.data,
		    e.code, e.offset, e.reason);
	buf_free(&out);
}

/* An index may be in any order, and leave gaps in the data behind it. */
static void
test_freedom(void)
{
	uint8_t bytes[SIZE + 16] = { 0 };
	struct prof_error e = { 0 };
	struct buf out = { 0 };

	memcpy(bytes, sound, SIZE);
	memmove(bytes + AT_G + 8, sound + AT_G, SIZE - AT_G);
	bytes[DATA_G] = AT_F;
	bytes[DATA_F] = AT_G + 8;
	memset(bytes + AT_G, 0xaa, 8);
	check(read_all(bytes, sizeof(bytes), &out, &e) == PROF_END &&
	    strcmp((char *)out.data, "f 123456789abcdef 7 "
	    "9223372036854775808; gg 18 5; ") == 0,
	    "any order, gaps, and bytes behind");
	buf_free(&out);
}

static void
test_second_file(void)
{
	uint8_t bytes[2 * SIZE];
	struct prof_error e = { 0 };
	struct buf out = { 0 };

	memcpy(bytes, sound, SIZE);
	memcpy(bytes + SIZE, sound, SIZE);
	check(read_all(bytes, sizeof(bytes), &out, &e) == PROF_FAIL &&
	    e.code == PROF_E_CORRUPT && e.offset == SIZE,
	    "another file behind the first one: %s", e.reason);
	buf_free(&out);
}

static void
test_empty(void)
{
	const uint8_t empty[LPRF_HEADER + 8] = {
		'L', 'P', 'R', 'F', 1, 0, 0, 0, LPRF_HEADER
	};
	uint8_t padded[LPRF_HEADER + 8];
	struct prof_error e = { 0 };
	struct buf out = { 0 };

	memcpy(padded, empty, sizeof(padded));
	padded[INDEX_END] = LPRF_HEADER + 8;
	check(read_all(empty, LPRF_HEADER, &out, &e) == PROF_END &&
	    read_all(empty, sizeof(empty), &out, &e) == PROF_END &&
	    read_all(padded, sizeof(padded), &out, &e) == PROF_END &&
	    out.size == 3, "a file without functions");
	buf_free(&out);
}

static const struct {
	const char *bytes;
	size_t size;
	bool claimed;
} claims[] = {
	{ "LPRF", 4, true }, { "LPRF\1\0\0\0", 8, true },
	{ "LPRF\2\0\0\0", 8, true }, { "LPRF\1", 5, true },
	{ "LPR", 3, false }, { "", 0, false }, { "FRPL\0\0\0\1", 8, false },
	/* A text whose first function is called so. */
	{ "LPRF\n24\n1\n", 10, false }, { "LPRF_init\n24\n", 13, false },
};

static void
test_claims(void)
{
	for (size_t i = 0; i < COUNT(claims); i++)
		check(lprf_sniff((struct prof_span){
		    (const uint8_t *)claims[i].bytes, claims[i].size }) ==
		    claims[i].claimed, "claim %zu", i);
}

static void
test_writer(void)
{
	const struct prof_target target = { .format = "lprf", .version = 1 };
	const uint64_t f[] = { 5 }, g[] = { 7, (uint64_t)1 << 63 };
	const struct prof_record records[] = {
		{ .kind = PROF_REC_PROFILE },
		{ .kind = PROF_REC_FUNCTION, .u.function = {
		    .symbol.name = span("gg"), .hash = 0x0123456789ABCDEF,
		    .counts = g, .counts_size = 2 } },
		{ .kind = PROF_REC_FUNCTION, .u.function = {
		    .symbol.name = span("f"), .hash = 0x18, .counts = f,
		    .counts_size = 1 } },
		{ .kind = PROF_REC_END },
	};
	struct prof_error e = { 0 };
	struct buf out = { 0 };

	check(write_records(&target, buf_sink, &out, records, COUNT(records),
	    &e) == PROF_OK && out.size == SIZE && memcmp(out.data, sound,
	    SIZE) == 0, "the sound file is written");
	check(write_records(&target, sink_of_room, &(size_t){ 0 }, records,
	    COUNT(records), &e) == PROF_FAIL && e.code == PROF_E_SYSTEM,
	    "output that is refused is told");
	e = (struct prof_error){ 0 };
	check(write_records(&target, buf_sink, &out, NULL, 0, &e) ==
	    PROF_FAIL && e.code == PROF_E_FORMAT, "no profile is no file");
	buf_free(&out);
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		test_row(&rows[i]);
	test_freedom();
	test_second_file();
	test_empty();
	test_claims();
	test_writer();
	return done_testing();
}
