/*
 * LPRF version 2: each byte that can be wrong, and where it is reported;
 * look-up in files of many blocks; forms of one profile.
 */
#include "tests/support/test.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/digests.h"
#include "config.h"
#include "format/codec.h"
#include "format/lprf/v2.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char stream[] =
    "{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\","
    "\"level\":\"ir\"}\n"
    "{\"record\":\"function\",\"guid\":\"0x1122334455667788\","
    "\"hash\":\"0x0000000000000009\",\"counts\":[5]}\n"
    "{\"record\":\"function\",\"name\":\"main\","
    "\"hash\":\"0x000000000000000a\",\"counts\":[1,300],\"bitmap\":\"2a\","
    "\"uniform_counts\":[1,2],\"values\":{\"indirect_call_target\":["
    "[{\"target\":\"a\",\"count\":7},"
    "{\"target_guid\":\"0x1122334455667788\",\"count\":2}],[]],"
    "\"mem_op_size\":[[{\"size\":8,\"count\":4}]]},\"other\":[1]}\n"
    "{\"record\":\"function\",\"name\":\"maximum\","
    "\"hash\":\"0x000000000000000b\",\"counts\":[0,0]}\n"
    "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"main\"]}\n"
    "{\"record\":\"end\",\"last\":true}\n";

/* The blocks of the plain file of that stream, and sizes of sections. */
enum { HEAD, GUIDS, NAMES, TAIL, INDEX, BLOCKS, TRAILER = BLOCKS, WHOLE };
enum { N = LPRF2_BLOCK_HEAD, H = N + 13, C = H + 18, T = C + 5, M = T + 2 };

static int
collect(void *arg, const void *data, size_t size)
{
	struct buf *b = arg;

	buf_put(b, data, size);
	return 0;
}

/* Copies records from a reader to a writer; the first failure ends it. */
static enum prof_status
copy_records(struct prof_reader *r, struct prof_writer *w,
    struct prof_error *err)
{
	enum prof_status status = r == NULL || w == NULL ? PROF_FAIL : PROF_OK;
	struct prof_record record;

	while (status == PROF_OK) {
		status = prof_next(r, &record, err);
		if (status == PROF_END)
			return prof_finish(w, err);
		if (status != PROF_OK)
			break;
		if (record.kind == PROF_REC_PROFILE)
			record.u.profile.source = (struct prof_source){ 0 };
		status = prof_put(w, &record, err);
	}
	return PROF_FAIL;
}

/* Writes an image in a format; names select functions if there are any. */
static enum prof_status
convert(struct prof_context *context, struct prof_span image,
    const struct prof_target *t, const struct prof_span *names, size_t n,
    struct buf *out, struct prof_error *err)
{
	struct prof_reader *r = prof_open(context, image, err);
	struct prof_writer *w = prof_writer_new(NULL, t, collect, out, err);
	enum prof_status status;

	if (r != NULL && n != 0)
		prof_select(r, names, n);
	status = copy_records(r, w, err);
	prof_close(r);
	prof_writer_free(w);
	return status;
}

static struct prof_span
span_of(const struct buf *b)
{
	return (struct prof_span){ b->data, b->size };
}

static void
put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static const struct prof_target to_stream = { .format = "stream" };
static const struct prof_target to_plain = {
	.format = "lprf", .version = 2, .plain = true
};
static struct buf sound;		/* the plain file */
static size_t at[BLOCKS + 1];		/* of its blocks, and the trailer */

static void
make_sound(void)
{
	struct prof_error e = { 0 };
	struct lprf2_block b;
	size_t place = LPRF2_HEADER;

	check(convert(NULL, (struct prof_span){ (const uint8_t *)stream,
	    sizeof(stream) - 1 }, &to_plain, NULL, 0, &sound, &e) == PROF_OK,
	    "a plain file is written");
	for (size_t i = 0; i < BLOCKS; i++) {
		at[i] = place;
		check(lprf2_get_block(span_of(&sound), place, sound.size, &b,
		    NULL) == PROF_OK && (size_t)b.kind == i + 1, "block %zu",
		    i);
		place += b.stored;
	}
	at[TRAILER] = place;
	check(place + LPRF2_TRAILER == sound.size, "its trailer");
}

/* Puts the checksums right behind a change. */
static void
put_sums(uint8_t *p, size_t size)
{
	put_u32(p + 12, crc32c((struct prof_span){ p, 12 }));
	for (size_t i = 0; i < BLOCKS && at[BLOCKS] < size; i++)
		put_u32(p + at[i], crc32c((struct prof_span){ p + at[i] + 4,
		    at[i + 1] - at[i] - 4 }));
	if (at[BLOCKS] + 28 < size)
		put_u32(p + at[BLOCKS] + 28, crc32c((struct prof_span){
		    p + at[BLOCKS], 28 }));
}

#define BAD PROF_E_CORRUPT
static const struct row {
	const char *what;
	size_t block;			/* WHOLE: the file */
	size_t place;			/* in the block */
	size_t width;
	uint64_t value;
	bool bare;			/* the checksums stay */
	size_t size;			/* of the file; 0: all of it */
	enum prof_code code;		/* NONE: as sound as before */
	size_t where;			/* in the block */
	const char *reason;
} rows[] = {
	{ "nothing but what it has", WHOLE, 0, 0, 0, 0, 0, 0, 0, NULL },
	/* The header. */
	{ "a cut header", WHOLE, 0, 0, 0, true, 15, PROF_E_TRUNCATED, 15,
	    "the header needs 16 bytes, but has 15" },
	{ "a bit of the header", WHOLE, 12, 1, 0, true, 0, BAD, 12,
	    "header: its checksum does not match its bytes" },
	{ "a feature", WHOLE, 8, 1, 4, 0, 0, PROF_E_VERSION, 8,
	    "header: features 0x4 are unknown" },
	/* The trailer. */
	{ "no trailer", WHOLE, 0, 0, 0, true, 440, PROF_E_TRUNCATED, 440,
	    "the file ends without its trailer" },
	{ "a bit of the trailer", TRAILER, 16, 1, 9, true, 0, BAD, 28,
	    "trailer: its checksum does not match its bytes" },
	{ "a root in the header", TRAILER, 0, 8, 15, 0, 0, BAD, 0, "trailer: "
	    "the root 0xf of the index is not between 0x10 and 0x1f6" },
	{ "a root in the trailer", TRAILER, 0, 8, 0x1f6, 0, 0, BAD, 0,
	    "trailer: the root 0x1f6 of the index is not between 0x10 and "
	    "0x1f6" },
	{ "records in the trailer", TRAILER, 8, 8, 0x1f6, 0, 0, BAD, 8,
	    "trailer: the offset 0x1f6 of the records after the functions is "
	    "not below 0x1f6" },
	{ "another root", TRAILER, 0, 8, 0x1a0, 0, 0, BAD, 0, "trailer: "
	    "the root of the index is not at 0x1a0" },
	{ "other records", TRAILER, 8, 8, 0x10, 0, 0, BAD, 0, "trailer: "
	    "3 functions and records at 0x10, but 3 and at 0x147 were found" },
	{ "another number of functions", TRAILER, 16, 8, 4, 0, 0, BAD, 0,
	    "trailer: 4 functions and records at 0x147, but 3 and at 0x147 "
	    "were found" },
	/* Heads of blocks. */
	{ "a bit of a block", NAMES, C, 1, 3, true, 0, BAD, 0,
	    "block: the checksum of its 128 bytes is not 0x7581cb9a" },
	{ "a kind of 0", NAMES, 4, 1, 0, 0, 0, BAD, 4,
	    "block: kind 0 is unknown" },
	{ "a kind of 127", NAMES, 4, 1, 127, 0, 0, BAD, 4,
	    "block: kind 127 is unknown" },
	{ "a kind that may be skipped", INDEX, 4, 1, 128, 0, 0, BAD, 72,
	    "trailer: the root of the index is not at 0x1ae" },
	{ "nothing in it", NAMES, 8, 4, 0, 0, 0, BAD, 8,
	    "block: it is empty" },
	{ "a section that inflates to less", NAMES, 12, 4, 12, 0, 0, BAD, 12,
	    "block: section N of 12 bytes is stored in 13: it inflates to "
	    "1048576 at most" },
	{ "a section that inflates to more", NAMES, 12, 4, 1048577, 0, 0, BAD,
	    12, "block: section N of 1048577 bytes is stored in 13: it "
	    "inflates to 1048576 at most" },
	{ "a section past the end", NAMES, 48, 4, 0x1f6, 0, 0, BAD, 44,
	    "block: section M of 38 bytes is stored in 502: it inflates to "
	    "1048576 at most" },
	/* Records. */
	{ "a line without end", HEAD, N + 59, 1, ' ', 0, 0, BAD, 0,
	    "block: record 1 of 1: its line has no end" },
	{ "a record too many", HEAD, 8, 4, 2, 0, 0, BAD, 0,
	    "block: record 2 of 2: its line has no end" },
	{ "no record of the profile", HEAD, 4, 1, LPRF2_TAIL, 0, 0, BAD,
	    0, NULL },
	/* Functions. */
	{ "more functions than hashes", NAMES, 8, 4, 3, 0, 0, BAD, 8,
	    "block: 3 functions exceed the 2 that section H holds" },
	{ "fewer functions", NAMES, 8, 4, 1, 0, 0, BAD, 0, "block: section N: "
	    "function 1 of 1: bytes follow its name" },
	{ "a name that shares with none", NAMES, N, 1, 1, 0, 0, BAD, 0,
	    "block: section N: function 1 of 2: its name is empty, or shares "
	    "more than the one before it has" },
	{ "a name past the section", NAMES, N + 7, 1, 6, 0, 0, BAD, 0,
	    "block: section N: function 2 of 2: its name exceeds the section" },
	{ "a name cut short", NAMES, N + 7, 1, 4, 0, 0, BAD, 0,
	    "block: section N: function 2 of 2: bytes follow its name" },
	{ "a name out of order", NAMES, N + 8, 1, 'a', 0, 0, BAD, 0,
	    "block: section N: function 2 of 2: it does not follow the one "
	    "before it" },
	{ "a name that shares more than it says", NAMES, N + 8, 2,
	    'i' | 'o' << 8, 0, 0, BAD, 0, "block: section N: function 2 of 2: "
	    "it does not follow the one before it" },
	{ "a number that leaves no hash", GUIDS, N + 8, 1, 0x81, 0, 0, BAD, 0,
	    "block: section H: function 1 of 1: more counters than the "
	    "section C holds" },
	{ "more counters than bytes", NAMES, H, 1, 3, 0, 0, BAD, 0,
	    "block: section H: function 1 of 2: more counters than the "
	    "section C holds" },
	{ "fewer counters than bytes", NAMES, H, 1, 1, 0, 0, BAD, 0,
	    "block: section C: function 2 of 2: bytes follow its counters" },
	{ "a width of 3", NAMES, C, 1, 3, 0, 0, BAD, 0, "block: section C: "
	    "function 1 of 2: the width of its counters is not one of 0, 1, 2, "
	    "4 and 8" },
	{ "a width of 9", NAMES, C, 1, 0x92, 0, 0, BAD, 0, "block: section C: "
	    "function 2 of 2: the width of its counters is not one of 0, 1, 2, "
	    "4 and 8" },
	{ "a width behind the last", GUIDS, N + 17, 1, 0x11, 0, 0, 0, 0,
	    NULL },
	{ "an empty target", NAMES, T, 1, 0, 0, 0, BAD, 0, "block: section T: "
	    "target 1 is empty, exceeds the section, or does not follow the "
	    "one before it" },
	{ "a target past the section", NAMES, T, 1, 2, 0, 0, BAD, 0,
	    "block: section T: target 1 is empty, exceeds the section, or does "
	    "not follow the one before it" },
	{ "members of no function", NAMES, M, 1, 2, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: the members after it belong to "
	    "no function, or are unknown" },
	{ "unknown members", NAMES, M + 1, 1, 0x40, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: the members after it belong to "
	    "no function, or are unknown" },
	{ "sites past the section", NAMES, M + 2, 1, 0x7f, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: its value sites exceed the "
	    "section" },
	{ "values past the section", NAMES, M + 3, 1, 0x7f, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: the values of a site exceed "
	    "the section" },
	{ "no such target", NAMES, M + 5, 1, 2, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: a value is not a target of "
	    "section T" },
	{ "a bitmap past the section", NAMES, M + 21, 1, 0x7f, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: its bitmap exceeds the "
	    "section" },
	{ "uniform counts past it", NAMES, M + 23, 1, 0x7f, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: its uniform counts exceed "
	    "the section" },
	{ "keys past the section", NAMES, M + 26, 1, 12, 0, 0, BAD, 0,
	    "block: section M: function 1 of 2: its unknown keys exceed the "
	    "section" },
	{ "bytes behind the members", NAMES, M + 26, 1, 10, 0, 0, BAD, 0,
	    "block: section M: function 2 of 2: the members after it belong to "
	    "no function, or are unknown" },
	{ "keys that are none", NAMES, M + 27, 1, 'o', 0, 0, BAD, 0,
	    "block: section M: the unknown keys of a function are not members "
	    "of JSON" },
	{ "functions as records", GUIDS, 4, 1, LPRF2_HEAD, 0, 0, BAD, 0,
	    "block: records have other sections than N" },
};
#undef BAD

static void
test_row(const struct row *row)
{
	size_t size = row->size == 0 ? sound.size : row->size;
	uint8_t *bytes = malloc(size);
	size_t base = row->block == WHOLE ? 0 : at[row->block];
	struct prof_error e = { 0 };
	struct buf out = { 0 };
	enum prof_status status;
	bool ok;

	memcpy(bytes, sound.data, size);
	for (size_t i = 0; i < row->width; i++)
		bytes[base + row->place + i] = (uint8_t)(row->value >> 8 * i);
	if (!row->bare)
		put_sums(bytes, size);
	status = convert(NULL, (struct prof_span){ bytes, size }, &to_stream,
	    NULL, 0, &out, &e);
	if (row->code == PROF_E_NONE)
		ok = status == PROF_OK && out.size == sizeof(stream) - 1 &&
		    memcmp(out.data, stream, out.size) == 0;
	else
		ok = status == PROF_FAIL && e.code == row->code &&
		    e.where == PROF_AT_BYTE && (row->reason == NULL ||
		    (e.offset == base + row->where &&
		    strcmp(e.reason, row->reason) == 0));
	if (!check(ok, "%s", row->what))
		printf("# status %d, code %d, 0x%" PRIx64 " = block + %zu: "
		    "%s\n", status, e.code, e.offset,
		    (size_t)e.offset - base, e.reason);
	buf_free(&out);
	free(bytes);
}

/* Any bit of the file, and any cut, is noticed by checksums. */
static void
test_bits(void)
{
	uint8_t *bytes = malloc(sound.size);
	size_t missed = 0;

	memcpy(bytes, sound.data, sound.size);
	/* The bytes of the magic and the version lead elsewhere. */
	for (size_t i = 8 * 8; i < sound.size * 8; i++) {
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
		missed += codec_decodes(lprf_open, NULL,
		    (struct prof_span){ bytes, sound.size }, NULL) == PROF_OK;
		bytes[i / 8] ^= (uint8_t)(1u << i % 8);
	}
	for (size_t size = 0; size < sound.size; size++)
		missed += codec_decodes(lprf_open, NULL,
		    (struct prof_span){ bytes, size }, NULL) == PROF_OK;
	check(missed == 0, "all bits and cuts: %zu are not noticed", missed);
	free(bytes);
}

/* No index has a level above 10, for a look-up no more than for a walk. */
static void
test_level_of_index(void)
{
	static const char want[] = "index: there is no block of a level below "
	    "11";
	uint8_t *bytes = malloc(sound.size);
	struct prof_span name = { (const uint8_t *)"f", 1 };
	struct prof_error e = { 0 };
	struct buf out = { 0 };

	memcpy(bytes, sound.data, sound.size);
	bytes[at[INDEX] + 5] = 11;
	put_sums(bytes, sound.size);
	check(convert(NULL, (struct prof_span){ bytes, sound.size },
	    &to_stream, &name, 1, &out, &e) == PROF_FAIL &&
	    e.code == PROF_E_CORRUPT && strcmp(e.reason, want) == 0,
	    "an index of level 11: %s", e.reason);
	buf_free(&out);
	free(bytes);
}

enum { MANY = 20000 };

/* A stream of functions in order, in many blocks; every fifth is f000. */
static void
make_many(struct buf *text)
{
	char line[128];

	buf_text(text, "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"instr\",\"level\":\"ir\"}\n");
	for (unsigned i = 0; i < MANY; i++) {
		snprintf(line, sizeof(line), "{\"record\":\"function\","
		    "\"name\":\"f%05u\",\"hash\":\"0x%016x\","
		    "\"counts\":[%u,0]}\n", i / 5 * 5, i % 5, i);
		buf_text(text, line);
	}
	buf_text(text, "{\"record\":\"end\",\"last\":true}\n");
}

/* Each name is found, with all its functions, as in a walk of the file. */
static void
test_look_up(const struct buf *file)
{
	size_t wrong = 0;

	for (unsigned i = 0; i < MANY; i += 97) {
		char name[16], want[32];
		struct prof_span names[1];
		struct prof_error e = { 0 };
		struct buf out = { 0 };

		snprintf(name, sizeof(name), "f%05u", i / 5 * 5);
		snprintf(want, sizeof(want), "\"counts\":[%u,0]}\n",
		    i / 5 * 5 + 4);
		names[0] = (struct prof_span){ (const uint8_t *)name, 6 };
		wrong += convert(NULL, span_of(file), &to_stream, names, 1,
		    &out, &e) != PROF_OK;
		buf_u8(&out, '\0');
		wrong += strstr((const char *)out.data, want) == NULL ||
		    strstr((const char *)out.data, name) == NULL;
		buf_free(&out);
	}
	check(wrong == 0, "%zu names are not found", wrong);
}

/* A look-up does not read, and so not notice, damage of other blocks. */
static void
test_look_up_reads_little(const struct buf *file)
{
	uint8_t *bytes = malloc(file->size);
	size_t noticed = 0, tried = 0;
	struct prof_span names[] = { { (const uint8_t *)"f10000", 6 } };

	memcpy(bytes, file->data, file->size);
	for (size_t i = 1000; i < file->size - LPRF2_TRAILER; i += 1000) {
		struct buf out = { 0 };
		struct prof_error e = { 0 };

		bytes[i] ^= 1;
		noticed += convert(NULL, (struct prof_span){ bytes,
		    file->size }, &to_stream, names, 1, &out, &e) != PROF_OK;
		bytes[i] ^= 1;
		tried++;
		buf_free(&out);
	}
	check(tried > 100 && noticed != 0 && noticed * 8 < tried,
	    "of %zu places %zu are read", tried, noticed);
	free(bytes);
}

/* The functions of a stream, by their number of lines, in the ranges. */
static size_t
count_in_ranges(const struct buf *file, const struct prof_span *prefixes,
    size_t n, const struct prof_span *names, size_t m, bool *ok)
{
	struct prof_error e = { 0 };
	struct prof_reader *r = prof_open(NULL, span_of(file), &e);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;
	size_t functions = 0;

	if (r != NULL && n != 0)
		prof_select_prefixes(r, prefixes, n);
	if (r != NULL && m != 0)
		prof_select(r, names, m);
	while (r != NULL && (status = prof_next(r, &record, &e)) == PROF_OK) {
		const struct prof_span *name =
		    &record.u.function.symbol.name;

		if (record.kind != PROF_REC_FUNCTION)
			continue;
		functions++;
		*ok = *ok && (prof_span_begins_in(*name, prefixes, n) ||
		    prof_span_in(*name, names, m));
	}
	*ok = *ok && status == PROF_END;
	prof_close(r);
	return functions;
}

#define SPAN(text) { (const uint8_t *)(text), sizeof(text) - 1 }

/* Prefixes, in any order, and names: what is in the ranges and nothing else. */
static void
test_ranges(const struct buf *file)
{
	static const struct prof_span prefixes[] = {
		SPAN("f123"), SPAN("f0000"), SPAN("f19995"), SPAN("a"),
		SPAN("f0000"), SPAN("z"), SPAN("f12"),
	}, names[] = { SPAN("f00000"), SPAN("f00007"), SPAN("f10000") };
	static const struct {
		size_t first, n, m, want;
	} ranges[] = {
		{ 0, 1, 0, 100 }, { 1, 1, 0, 10 }, { 2, 1, 0, 5 },
		{ 3, 1, 0, 0 }, { 5, 1, 0, 0 }, { 0, 7, 0, 1015 },
		{ 0, 2, 3, 115 }, { 3, 1, 3, 10 },
	};

	for (size_t i = 0; i < COUNT(ranges); i++) {
		bool ok = true;
		size_t got = count_in_ranges(file, prefixes + ranges[i].first,
		    ranges[i].n, names, ranges[i].m, &ok);

		check(ok && got == ranges[i].want, "ranges %zu: %zu functions",
		    i, got);
	}
}

/* Damage of blocks that a prefix does not need is not noticed. */
static void
test_ranges_read_little(const struct buf *file)
{
	static const struct prof_span prefix[] = { SPAN("f123") };
	struct buf copy = { 0 };
	size_t noticed = 0, tried = 0;

	buf_put(&copy, file->data, file->size);
	for (size_t i = 1000; i < file->size - LPRF2_TRAILER; i += 1000) {
		bool ok = true;

		copy.data[i] ^= 1;
		count_in_ranges(&copy, prefix, 1, NULL, 0, &ok);
		copy.data[i] ^= 1;
		noticed += !ok;
		tried++;
	}
	check(tried > 100 && noticed != 0 && noticed * 8 < tried,
	    "of %zu places a prefix reads %zu", tried, noticed);
	buf_free(&copy);
}

static void
test_many(const struct prof_target *t)
{
	struct buf text = { 0 }, file = { 0 }, back = { 0 };
	struct prof_error e = { 0 };

	make_many(&text);
	check(convert(NULL, span_of(&text), t, NULL, 0, &file, &e) == PROF_OK,
	    "many functions are written%s: %s", t->plain ? " plain" : "",
	    e.reason);
	check(convert(NULL, span_of(&file), &to_stream, NULL, 0, &back, &e) ==
	    PROF_OK && back.size == text.size && memcmp(back.data, text.data,
	    text.size) == 0, "and read back: %s", e.reason);
	test_look_up(&file);
	test_ranges(&file);
	if (t->plain) {
		test_look_up_reads_little(&file);
		test_ranges_read_little(&file);
	}
	buf_free(&text);
	buf_free(&file);
	buf_free(&back);
}

/* With functions in order, as promised, the bytes are the same. */
static void
test_in_order(void)
{
	struct prof_target t = to_plain;
	struct buf text = { 0 }, want = { 0 }, got = { 0 };
	struct prof_error e = { 0 };

	make_many(&text);
	t.in_order = true;
	check(convert(NULL, span_of(&text), &to_plain, NULL, 0, &want, &e) ==
	    PROF_OK && convert(NULL, span_of(&text), &t, NULL, 0, &got, &e) ==
	    PROF_OK && want.size == got.size && memcmp(want.data, got.data,
	    got.size) == 0, "functions in order need not be stored");
	buf_free(&text);
	buf_free(&want);
	buf_free(&got);
}

/* Puts a block of one record, which may have a section H as well. */
static void
put_line(struct lprf2_file *f, enum lprf2_kind kind, const char *line,
    const char *hashes)
{
	struct lprf2_building b = { .size = 1, .kind = kind };

	buf_text(&b.sections[LPRF2_N], line);
	buf_text(&b.sections[LPRF2_H], hashes);
	lprf2_file_put_block(f, &b, NULL);
	lprf2_building_free(&b);
}

static const char profile_line[] = "{\"record\":\"profile\",\"stream\":1,"
    "\"kind\":\"instr\",\"level\":\"ir\"}\n";

/* Puts a block of one function. */
static void
put_function(struct lprf2_file *f, const struct prof_function *function)
{
	struct lprf2_building b = { .size = 0 };

	lprf2_encode(&b, function);
	lprf2_file_put_block(f, &b, NULL);
	lprf2_building_free(&b);
}

/* A look-up would find one of two functions whose blocks begin alike. */
static void
test_name_in_two_blocks(void)
{
	struct prof_function function = { .symbol.name = span_of_text("f") };
	struct lprf2_file f = { .packer = NULL };
	struct prof_error e = { 0 };
	struct buf back = { 0 };

	lprf2_put_header(&f.out);
	put_line(&f, LPRF2_HEAD, profile_line, "");
	for (; function.hash < 2; function.hash++)
		put_function(&f, &function);
	lprf2_file_end(&f, NULL);
	check(convert(NULL, span_of(&f.out), &to_stream, NULL, 0, &back, &e) ==
	    PROF_FAIL && strcmp(e.reason, "block: it does not follow the one "
	    "before it") == 0, "functions of one name in two blocks: %s",
	    e.reason);
	lprf2_file_free(&f);
	buf_free(&back);
}

/* Records have no hashes. */
static void
test_records_with_hashes(void)
{
	static const char trace[] =
	    "{\"record\":\"trace\",\"weight\":1,\"functions\":[\"main\"]}\n";
	struct lprf2_file f = { .packer = NULL };
	struct buf back = { 0 };

	lprf2_put_header(&f.out);
	put_line(&f, LPRF2_HEAD, profile_line, "");
	put_line(&f, LPRF2_TAIL, trace, "hash");
	put_line(&f, LPRF2_TAIL, trace, "");
	lprf2_file_end(&f, NULL);
	check(convert(NULL, span_of(&f.out), &to_stream, NULL, 0, &back,
	    NULL) == PROF_FAIL, "records with hashes are refused");
	lprf2_file_free(&f);
	buf_free(&back);
}

/* Raw counters would not be found in a binary once they were read. */
static void
test_raw_counters(void)
{
	struct lprf2_file f = { .packer = NULL };
	struct prof_error e = { 0 };
	struct buf back = { 0 };

	lprf2_put_header(&f.out);
	put_line(&f, LPRF2_HEAD, profile_line, "");
	put_line(&f, LPRF2_TAIL, "{\"record\":\"raw_counters\","
	    "\"counts\":[1]}\n", "");
	lprf2_file_end(&f, NULL);
	check(convert(NULL, span_of(&f.out), &to_stream, NULL, 0, &back, &e) ==
	    PROF_FAIL && strcmp(e.reason, "block: record 1 of 1: a record of "
	    "its kind cannot occur there") == 0, "raw counters are refused: %s",
	    e.reason);
	lprf2_file_free(&f);
	buf_free(&back);
}

/* The first site of the first function with sites, or NULL. */
static const struct prof_site *
first_site(struct prof_reader *r)
{
	struct prof_record record;

	while (r != NULL && prof_next(r, &record, NULL) == PROF_OK) {
		if (record.kind == PROF_REC_FUNCTION &&
		    record.u.function.values[0].size != 0)
			return record.u.function.values[0].sites;
	}
	return NULL;
}

/* Values have their counts without targets, of which none is read. */
static void
test_without_targets(void)
{
	struct prof_context *context = prof_context_new(NULL, NULL);
	uint8_t *bytes = malloc(sound.size);
	const struct prof_site *site;
	struct prof_reader *r;

	memcpy(bytes, sound.data, sound.size);
	bytes[at[NAMES] + T] = 0;
	put_sums(bytes, sound.size);
	r = prof_open(context, (struct prof_span){ bytes, sound.size }, NULL);
	check(first_site(r) == NULL, "an empty target is refused");
	prof_close(r);
	prof_context_without_targets(context);
	r = prof_open(context, (struct prof_span){ bytes, sound.size }, NULL);
	site = first_site(r);
	check(site != NULL && site->size == 2 && site->values[0].count == 7 &&
	    site->values[0].name.size == 0 && site->values[0].value == 0,
	    "it is not read without targets");
	check(site != NULL && site->size == 2 && site->values[1].count == 2 &&
	    site->values[1].value == UINT64_C(0x1122334455667788),
	    "a guid that is no target of the block is");
	prof_close(r);
	prof_context_free(context);
	free(bytes);
}

/* Six blocks of 100 bytes, each of a function with a million counters of 0. */
static void
make_zeros(struct buf *out)
{
	static const uint64_t zeros[LPRF2_ZEROS_MAX];
	struct lprf2_file f = { .packer = NULL };

	lprf2_put_header(&f.out);
	put_line(&f, LPRF2_HEAD, profile_line, "");
	for (char name[] = "a"; name[0] < 'g'; name[0]++) {
		const struct prof_function function = {
		    .symbol.name = span_of_text(name),
		    .counts = zeros, .counts_size = LPRF2_ZEROS_MAX };

		put_function(&f, &function);
	}
	lprf2_file_end(&f, NULL);
	buf_put(out, f.out.data, f.out.size);
	lprf2_file_free(&f);
}

/* A small file does not take any memory. */
static void
test_memory(void)
{
	struct buf small = { 0 }, back = { 0 };
	const struct prof_span name = span_of_text("f");
	struct prof_error e = { 0 };

	make_zeros(&small);
	check(convert(NULL, span_of(&small), &to_stream, NULL, 0, &back, &e) ==
	    PROF_FAIL && e.code == PROF_E_LIMIT && e.where == PROF_AT_BYTE,
	    "%zu bytes do not hold 48 MB: %s", small.size, e.reason);
	back.size = 0;
	check(convert(NULL, span_of(&small), &to_stream, &name, 1, &back,
	    &e) == PROF_OK, "one function of them is looked up");
	buf_free(&small);
	buf_free(&back);
}

/* Sites without values: a MiB of them is packed in some hundred bytes. */
static const struct prof_site no_values[LPRF2_INFLATED_MAX - 16];

/* Reads a file to its end; PROF_END if nothing is wrong with it. */
static enum prof_status
read_all(const struct buf *file, struct prof_error *err)
{
	struct prof_reader *r = prof_open(NULL, span_of(file), err);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;

	while (r != NULL && (status = prof_next(r, &record, err)) == PROF_OK)
		;
	prof_close(r);
	return status;
}

/* Two packed blocks, each of a function with a million value sites. */
static void
test_memory_of_sites(void)
{
	struct lprf2_file f = { .packer = lprf2_packer_new(NULL) };
	struct prof_error e = { 0 };

	lprf2_put_header(&f.out);
	put_line(&f, LPRF2_HEAD, profile_line, "");
	for (char name[] = "a"; name[0] < 'c'; name[0]++) {
		const struct prof_function function = {
		    .symbol.name = span_of_text(name),
		    .values[PROF_MEM_OP_SIZE] = { no_values,
		    COUNT(no_values) } };

		/* As a writer that counts no memory. */
		f.memory = 0;
		put_function(&f, &function);
	}
	lprf2_file_end(&f, NULL);
	check(read_all(&f.out, &e) == PROF_FAIL && e.code == PROF_E_LIMIT,
	    "%zu bytes do not hold 2 million sites: %s", f.out.size, e.reason);
	lprf2_file_free(&f);
}

/* A writer of functions in order, with the record of the profile. */
static struct prof_writer *
begin_packed(struct buf *out, struct prof_error *err)
{
	const struct prof_target packed = { .format = "lprf", .version = 2,
	    .in_order = true };
	const struct prof_record profile = { .kind = PROF_REC_PROFILE };
	struct prof_writer *w = prof_writer_new(NULL, &packed, collect, out,
	    err);

	check(prof_put(w, &profile, err) == PROF_OK, "a profile begins");
	return w;
}

static enum prof_status
put_one(struct prof_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = *f };

	return prof_put(w, &r, err);
}

/* Long names make each function a block of its own. */
static enum prof_status
put_sites(struct prof_writer *w, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	char name[20000];
	const struct prof_function f = {
	    .symbol.name = { (const uint8_t *)name, sizeof(name) },
	    .values[PROF_MEM_OP_SIZE] = { no_values, COUNT(no_values) } };

	memset(name, 'n', sizeof(name));
	for (name[0] = 'a'; name[0] < 'e' && status == PROF_OK; name[0]++)
		status = put_one(w, &f, err);
	return status;
}

/* The writer packs no more sites than a reader takes. */
static void
test_memory_of_written_sites(void)
{
	struct prof_error e = { 0 };
	struct buf file = { 0 };
	struct prof_writer *w = begin_packed(&file, &e);
	bool read = put_sites(w, &e) == PROF_OK && prof_finish(w, &e) ==
	    PROF_OK && read_all(&file, &e) == PROF_END;

	check(read && (file.size < (size_t)4 << 20 || !lprf2_can_pack),
	    "not all of four million sites are packed, in %zu bytes: %s",
	    file.size, e.reason);
	prof_writer_free(w);
	buf_free(&file);
}

/* A block that takes 17 MB in memory and almost nothing in the file. */
static enum prof_status
put_counters(struct prof_writer *w, struct prof_error *err)
{
	static uint64_t ones[LPRF2_INFLATED_MAX - 1024];
	static const uint64_t zeros[LPRF2_ZEROS_MAX];
	const struct prof_function a = { .symbol.name = span_of_text("a"),
	    .counts = zeros, .counts_size = COUNT(zeros) };
	const struct prof_function b = { .symbol.name = span_of_text("b"),
	    .counts = ones, .counts_size = COUNT(ones) };

	for (size_t i = 0; i < COUNT(ones); i++)
		ones[i] = 1;
	return put_one(w, &a, err) == PROF_OK ? put_one(w, &b, err) : PROF_FAIL;
}

/* Names of 3761 bytes: a MiB of them takes 7.6 kB, the fewest that it may. */
static enum prof_status
put_long_names(struct prof_writer *w, struct prof_error *err)
{
	char name[3762];
	const struct prof_function f = { .symbol.name = {
	    (const uint8_t *)name, sizeof(name) - 1 } };
	enum prof_status status = PROF_OK;

	memset(name, 'n', sizeof(name));
	for (unsigned i = 0; i < 17000 && status == PROF_OK; i++) {
		snprintf(name + sizeof(name) - 6, 6, "%05u", i);
		status = put_one(w, &f, err);
	}
	return status;
}

/* The writer stores names that share their beginnings in smaller blocks. */
static void
test_memory_of_written_names(void)
{
	struct prof_error e = { 0 };
	struct buf file = { 0 };
	struct prof_writer *w = begin_packed(&file, &e);

	check(put_counters(w, &e) == PROF_OK && put_long_names(w, &e) ==
	    PROF_OK && prof_finish(w, &e) == PROF_OK && read_all(&file, &e) ==
	    PROF_END, "64 MB of names are read: %s", e.reason);
	prof_writer_free(w);
	buf_free(&file);
}

/* Long names make each function a block of its own. */
static void
make_zeros_text(struct buf *out, int name_size, unsigned zeros)
{
	buf_text(out, "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"instr\",\"level\":\"ir\"}\n");
	for (unsigned i = 10; i < 16; i++) {
		buf_print(out, "{\"record\":\"function\",\"name\":\"%u%0*u"
		    "\",\"hash\":\"0x0000000000000001\",\"counts\":[", i,
		    name_size, 0);
		for (unsigned k = 1; k < zeros; k++)
			buf_text(out, "0,");
		buf_text(out, "0]}\n");
	}
	buf_text(out, "{\"record\":\"end\",\"last\":true}\n");
}

/* The writer makes no file that takes more than a reader allows. */
static void
test_memory_of_written(int name_size, unsigned zeros)
{
	struct buf text = { 0 }, file = { 0 }, back = { 0 };
	struct prof_error e = { 0 };
	bool read;

	make_zeros_text(&text, name_size, zeros);
	read = convert(NULL, span_of(&text), &to_plain, NULL, 0, &file, &e) ==
	    PROF_OK && convert(NULL, span_of(&file), &to_stream, NULL, 0,
	    &back, &e) == PROF_OK;
	check(read && file.size > zeros && file.size < (size_t)6 * zeros &&
	    back.size == text.size,
	    "zeros beyond what readers take are written out, in %zu bytes: %s",
	    file.size, e.reason);
	buf_free(&text);
	buf_free(&file);
	buf_free(&back);
}

static size_t
count_blocks(const struct buf *file, enum lprf2_kind kind)
{
	size_t blocks = 0, place = LPRF2_HEADER;
	struct lprf2_block b;

	while (place + LPRF2_TRAILER < file->size && lprf2_get_block(
	    span_of(file), place, file->size, &b, NULL) == PROF_OK) {
		blocks += b.kind == kind;
		place += b.stored;
	}
	return blocks;
}

/* Names are short in a block, where all but a few bytes are shared. */
static void
test_shared_names(unsigned names, size_t blocks)
{
	const struct prof_target packed = { .format = "lprf", .version = 2 };
	struct buf text = { 0 }, file = { 0 }, back = { 0 };
	struct prof_error e = { 0 };
	size_t got;

	buf_text(&text, "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"instr\",\"level\":\"ir\"}\n");
	for (unsigned i = 0; i < names; i++)
		buf_print(&text, "{\"record\":\"function\",\"name\":\"%0*u\","
		    "\"hash\":\"0x0000000000000001\",\"counts\":[1]}\n",
		    LPRF2_NAMES_MAX / 256, i);
	buf_text(&text, "{\"record\":\"end\",\"last\":true}\n");
	check(convert(NULL, span_of(&text), &packed, NULL, 0, &file, &e) ==
	    PROF_OK && convert(NULL, span_of(&file), &to_stream, NULL, 0,
	    &back, &e) == PROF_OK && back.size == text.size &&
	    memcmp(back.data, text.data, text.size) == 0,
	    "%u names of 4096 bytes come back: %s", names, e.reason);
	got = count_blocks(&file, LPRF2_NAMES);
	check(got == blocks || !lprf2_can_pack, "of %zu blocks", got);
	buf_free(&text);
	buf_free(&file);
	buf_free(&back);
}

enum { SHORT_NAMES = 126 };

/* All names of one to six letters, of which there are two, in order. */
static void
make_short_names(char names[SHORT_NAMES][8])
{
	size_t n = 0, length = 1;
	char name[8] = "a";

	while (n < SHORT_NAMES) {
		strcpy(names[n++], name);
		if (length < 6) {
			name[length++] = 'a';
			continue;
		}
		while (length > 0 && name[length - 1] == 'b')
			name[--length] = '\0';
		if (length > 0)
			name[length - 1] = 'b';
	}
}

/* Whether a look-up of two names finds those of them that are in the file. */
static bool
finds_names(const struct buf *file, char names[SHORT_NAMES][8], size_t i,
    size_t k)
{
	const struct prof_span wanted[] = {
		{ (const uint8_t *)names[i], strlen(names[i]) },
		{ (const uint8_t *)names[k], strlen(names[k]) } };
	struct prof_reader *r = prof_open(NULL, span_of(file), NULL);
	struct prof_record record;
	bool found[] = { false, false };

	if (r == NULL)
		return false;
	prof_select(r, wanted, i == k ? 1 : 2);
	while (prof_next(r, &record, NULL) == PROF_OK) {
		for (size_t w = 0; w < 2; w++)
			found[w] |= record.kind == PROF_REC_FUNCTION &&
			    prof_span_equal(record.u.function.symbol.name,
			    wanted[w]);
	}
	prof_close(r);
	return found[0] == (i % 3 != 1) && found[1] == (k % 3 != 1);
}

/* Names that begin alike, and those between them that are not there. */
static void
test_short_names(const struct prof_target *t)
{
	static char names[SHORT_NAMES][8];
	struct buf text = { 0 }, file = { 0 };
	struct prof_error e = { 0 };
	size_t wrong = 0;
	char line[128];

	make_short_names(names);
	buf_text(&text, "{\"record\":\"profile\",\"stream\":1,"
	    "\"kind\":\"instr\",\"level\":\"ir\"}\n");
	for (size_t i = 0; i < SHORT_NAMES; i++) {
		snprintf(line, sizeof(line), "{\"record\":\"function\","
		    "\"name\":\"%.7s\",\"hash\":\"0x0000000000000001\","
		    "\"counts\":[%zu]}\n", names[i], i);
		if (i % 3 != 1)
			buf_text(&text, line);
	}
	buf_text(&text, "{\"record\":\"end\",\"last\":true}\n");
	check(convert(NULL, span_of(&text), t, NULL, 0, &file, &e) == PROF_OK,
	    "short names are written");
	for (size_t i = 0; i < SHORT_NAMES; i++) {
		for (size_t k = i; k < SHORT_NAMES; k++)
			wrong += !finds_names(&file, names, i, k);
	}
	check(wrong == 0, "%zu pairs of short names are not found", wrong);
	buf_free(&text);
	buf_free(&file);
}

/* What a context has of a file before does not get into another one. */
static void
test_one_context(void)
{
	static const char level[] = "\"level\":\"ir\"";
	const char *head = strstr(stream, level);
	struct prof_context *context = prof_context_new(NULL, NULL);
	struct buf text = { 0 }, other = { 0 };
	size_t wrong = 0;

	buf_put(&text, stream, (size_t)(head - stream));
	buf_text(&text, "\"level\":\"frontend\"");
	buf_text(&text, head + sizeof(level) - 1);
	check(convert(NULL, span_of(&text), &to_plain, NULL, 0, &other,
	    NULL) == PROF_OK, "a file of another level");
	for (size_t i = 0; i < 6; i++) {
		const struct buf *want = &text, *file = &other;
		const struct buf first = { .data = (uint8_t *)(uintptr_t)stream,
		    .size = sizeof(stream) - 1 };
		struct buf out = { 0 };

		if (i % 3 != 2) {
			want = &first;
			file = &sound;
		}
		wrong += convert(context, span_of(file), &to_stream, NULL, 0,
		    &out, NULL) != PROF_OK || out.size != want->size ||
		    memcmp(out.data, want->data, out.size) != 0;
		buf_free(&out);
	}
	check(wrong == 0, "files that begin alike or not: %zu are wrong",
	    wrong);
	prof_context_free(context);
	buf_free(&text);
	buf_free(&other);
}

#ifndef HAVE_ZSTD
/* A block whose section N is a frame, which this build cannot inflate. */
static void
test_no_zstd(void)
{
	uint8_t *bytes = malloc(sound.size);
	struct prof_error e = { 0 };

	memcpy(bytes, sound.data, sound.size);
	bytes[at[NAMES] + 12]++;
	put_sums(bytes, sound.size);
	check(codec_decodes(lprf_open, NULL, (struct prof_span){ bytes,
	    sound.size }, &e) == PROF_END, "a packed block is refused");
	free(bytes);
}
#endif

int
main(void)
{
	const struct prof_target packed = { .format = "lprf", .version = 2 };

	make_sound();
	for (size_t i = 0; i < COUNT(rows); i++)
		test_row(&rows[i]);
	test_bits();
	test_level_of_index();
	test_many(&to_plain);
	test_many(&packed);
	test_in_order();
	/* The names after the first need a MiB, and a name more than that. */
	test_shared_names(257, 1);
	test_shared_names(258, 2);
	test_short_names(&to_plain);
	test_short_names(&packed);
	test_one_context();
	test_records_with_hashes();
	test_raw_counters();
	test_name_in_two_blocks();
	test_without_targets();
	test_memory();
	if (lprf2_can_pack)
		test_memory_of_sites();
	test_memory_of_written_sites();
	test_memory_of_written_names();
	test_memory_of_written(20000, LPRF2_ZEROS_MAX);
	/* Of one block, too. */
	test_memory_of_written(1, LPRF2_ZEROS_MAX / 2);
#ifndef HAVE_ZSTD
	test_no_zstd();
#endif
	buf_free(&sound);
	return done_testing();
}
