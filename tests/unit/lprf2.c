/*
 * LPRF version 2: each byte that can be wrong, and where it is reported;
 * look-up in files of many blocks; forms of one profile.
 */
#include "config.h"

#include "format/lprf/v2.h"

#include "base/digests.h"
#include "format/codec.h"
#include "tests/support/images.h"

#define PROFILE	"{\"record\":\"profile\",\"stream\":1,\"kind\":\"instr\"," \
		"\"level\":\"ir\"}\n"
#define TRACE	"{\"record\":\"trace\",\"weight\":1,\"functions\":[\"main\"]}\n"
#define LAST	"{\"record\":\"end\",\"last\":true}\n"

static const char stream[] = PROFILE
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
    TRACE LAST;

/* The blocks of the plain file of that stream, and sizes of sections. */
enum { HEAD, GUIDS, NAMES, TAIL, INDEX, BLOCKS, TRAILER = BLOCKS, WHOLE };
enum { N = LPRF2_BLOCK_HEAD, H = N + 13, C = H + 18, T = C + 5, M = T + 2 };

static const struct prof_target to_stream = { .format = "stream" };
static const struct prof_target to_plain = {
	.format = "lprf", .version = 2, .plain = true
};
static const struct prof_target to_packed = { .format = "lprf", .version = 2 };
static struct buf sound;		/* the plain file */
static size_t at[BLOCKS + 1];		/* of its blocks, and the trailer */

static void
put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

static void
make_sound(void)
{
	struct lprf2_block b;
	size_t place = LPRF2_HEADER;

	check(convert(NULL, span(stream), &to_plain, &sound, NULL) == PROF_OK,
	    "a plain file is written");
	for (size_t i = 0; i < BLOCKS; i++) {
		at[i] = place;
		check(lprf2_get_block(buf_span(&sound), place, &b, NULL) ==
		    PROF_OK && (size_t)b.kind == i + 1, "block %zu", i);
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

#define OF(section, i, n) "block: section " section ": function " #i " of " #n \
	": "
#define OF_M(i)		OF("M", i, 2)
#define NO_WIDTH	"the width of its counters is not one of 0, 1, 2, 4 " \
			"and 8"
#define NOT_BEFORE	"it does not follow the one before it"
#define STRAY_MEMBERS	"the members after it belong to no function, or are " \
			"unknown"
#define STRAY_TARGET	"block: section T: target 1 is empty, exceeds the " \
			"section, or does not follow the one before it"

static const struct row {
	size_t block;			/* WHOLE: the file */
	size_t place, width;		/* of the value, in the block */
	uint64_t value;
	size_t where;			/* of the error, in the block */
	const char *reason;		/* NULL: as sound as before */
	enum prof_code code;		/* 0: PROF_E_CORRUPT */
	bool bare;			/* the checksums stay */
	size_t size;			/* of the file; 0: all of it */
} rows[] = {
	{ .block = WHOLE },
	/* The header. */
	{ WHOLE, 0, 0, 0, 15, "the header needs 16 bytes, but has 15",
	    PROF_E_TRUNCATED, true, 15 },
	{ WHOLE, 4, 4, 1, 4, "version 1 is unknown: LPRF version 2 is known",
	    .code = PROF_E_VERSION },
	{ WHOLE, 12, 1, 0, 12, "header: its checksum does not match its bytes",
	    .bare = true },
	{ WHOLE, 8, 1, 4, 8, "header: features 0x4 are unknown",
	    .code = PROF_E_VERSION },
	/* The trailer. */
	{ WHOLE, 0, 0, 0, 440, "the file ends without its trailer",
	    PROF_E_TRUNCATED, true, 440 },
	{ TRAILER, 16, 1, 9, 28, "trailer: its checksum does not match its "
	    "bytes", .bare = true },
	{ TRAILER, 0, 8, 15, 0, .reason = "trailer: the root 0xf of the index "
	    "is not between 0x10 and 0x1f6" },
	{ TRAILER, 0, 8, 0x1f6, 0, .reason = "trailer: the root 0x1f6 of the "
	    "index is not between 0x10 and 0x1f6" },
	{ TRAILER, 8, 8, 0x1f6, 8, .reason = "trailer: the offset 0x1f6 of the "
	    "records after the functions is not below 0x1f6" },
	{ TRAILER, 0, 8, 0x1a0, 0, .reason = "trailer: the root of the index "
	    "is not at 0x1a0" },
	{ TRAILER, 8, 8, 0x10, 0, .reason = "trailer: 3 functions and records "
	    "at 0x10, but 3 and at 0x147 were found" },
	{ TRAILER, 16, 8, 4, 0, .reason = "trailer: 4 functions and records at "
	    "0x147, but 3 and at 0x147 were found" },
	/* Heads of blocks. */
	{ NAMES, C, 1, 3, 0, "block: the checksum of its 128 bytes is not "
	    "0x7581cb9a", .bare = true },
	{ NAMES, 4, 1, 0, 4, .reason = "block: kind 0 is unknown" },
	{ NAMES, 4, 1, 127, 4, .reason = "block: kind 127 is unknown" },
	/* A kind that may be skipped. */
	{ INDEX, 4, 1, 128, 72, .reason = "trailer: the root of the index is "
	    "not at 0x1ae" },
	{ NAMES, 8, 4, 0, 8, .reason = "block: it is empty" },
	{ NAMES, 12, 4, 12, 12, .reason = "block: section N of 12 bytes is "
	    "stored in 13: it inflates to 1048576 at most" },
	{ NAMES, 12, 4, 1048577, 12, .reason = "block: section N of 1048577 "
	    "bytes is stored in 13: it inflates to 1048576 at most" },
	{ NAMES, 48, 4, 0x1f6, 44, .reason = "block: section M of 38 bytes is "
	    "stored in 502: it inflates to 1048576 at most" },
	/* Records. */
	{ HEAD, N + 59, 1, ' ', 0, .reason = "block: record 1 of 1: its line "
	    "has no end" },
	{ HEAD, 8, 4, 2, 0, .reason = "block: record 2 of 2: its line has no "
	    "end" },
	{ GUIDS, 4, 1, LPRF2_HEAD, 0, .reason = "block: records have other "
	    "sections than N" },
	/* Functions. */
	{ NAMES, 8, 4, 3, 8, .reason = "block: 3 functions exceed the 2 that "
	    "section H holds" },
	{ NAMES, 8, 4, 1, 0, .reason = OF("N", 1, 1) "bytes follow its name" },
	{ NAMES, N, 1, 1, 0, .reason = OF("N", 1, 2) "its name is empty, or "
	    "shares more than the one before it has" },
	{ NAMES, N + 7, 1, 6, 0, .reason = OF("N", 2, 2) "its name exceeds the "
	    "section" },
	{ NAMES, N + 7, 1, 4, 0, .reason = OF("N", 2, 2) "bytes follow its "
	    "name" },
	{ NAMES, N + 8, 1, 'a', 0, .reason = OF("N", 2, 2) NOT_BEFORE },
	/* A name that shares more than it says. */
	{ NAMES, N + 8, 2, 'i' | 'o' << 8, 0, .reason = OF("N", 2, 2)
	    NOT_BEFORE },
	{ GUIDS, N + 8, 1, 0x81, 0, .reason = OF("H", 1, 1) "more counters "
	    "than the section C holds" },
	{ NAMES, H, 1, 3, 0, .reason = OF("H", 1, 2) "more counters than the "
	    "section C holds" },
	{ NAMES, H, 1, 1, 0, .reason = OF("C", 2, 2) "bytes follow its "
	    "counters" },
	{ NAMES, C, 1, 3, 0, .reason = OF("C", 1, 2) NO_WIDTH },
	{ NAMES, C, 1, 0x92, 0, .reason = OF("C", 2, 2) NO_WIDTH },
	/* A width behind the last. */
	{ GUIDS, N + 17, 1, 0x11, 0, .reason = NULL },
	{ NAMES, T, 1, 0, 0, .reason = STRAY_TARGET },
	{ NAMES, T, 1, 2, 0, .reason = STRAY_TARGET },
	{ NAMES, M, 1, 2, 0, .reason = OF_M(1) STRAY_MEMBERS },
	{ NAMES, M + 1, 1, 0x40, 0, .reason = OF_M(1) STRAY_MEMBERS },
	{ NAMES, M + 2, 1, 0x7f, 0, .reason = OF_M(1) "its value sites exceed "
	    "the section" },
	{ NAMES, M + 3, 1, 0x7f, 0, .reason = OF_M(1) "the values of a site "
	    "exceed the section" },
	{ NAMES, M + 5, 1, 2, 0, .reason = OF_M(1) "a value is not a target of "
	    "section T" },
	{ NAMES, M + 21, 1, 0x7f, 0, .reason = OF_M(1) "its bitmap exceeds the "
	    "section" },
	{ NAMES, M + 23, 1, 0x7f, 0, .reason = OF_M(1) "its uniform counts "
	    "exceed the section" },
	{ NAMES, M + 26, 1, 12, 0, .reason = OF_M(1) "its unknown keys exceed "
	    "the section" },
	{ NAMES, M + 26, 1, 10, 0, .reason = OF_M(2) STRAY_MEMBERS },
	{ NAMES, M + 27, 1, 'o', 0, .reason = "block: section M: the unknown "
	    "keys of a function are not members of JSON" },
};

static void
test_row(const struct row *row)
{
	size_t size = row->size == 0 ? sound.size : row->size;
	size_t base = row->block == WHOLE ? 0 : at[row->block];
	struct buf bytes = { 0 }, out = { 0 };
	struct prof_error e = { 0 };
	enum prof_status status;
	struct prof_span image;

	buf_put(&bytes, sound.data, size);
	for (size_t i = 0; i < row->width; i++)
		bytes.data[base + row->place + i] =
		    (uint8_t)(row->value >> 8 * i);
	if (!row->bare)
		put_sums(bytes.data, size);
	image = exact(buf_span(&bytes));
	status = convert(NULL, image, &to_stream, &out, &e);
	if (row->reason == NULL)
		check(status == PROF_OK && holds(&out, stream), "row %zu: as "
		    "sound as before", (size_t)(row - rows));
	else
		check(status == PROF_FAIL && is_error(&e, row->code == 0 ?
		    PROF_E_CORRUPT : row->code, row->reason) &&
		    strlen(e.reason) == strlen(row->reason) &&
		    e.where == PROF_AT_BYTE && e.offset == base + row->where,
		    "0x%llx: %s", ull(e.offset), row->reason);
	release(image);
	buf_free(&bytes);
	buf_free(&out);
}

/* The functions that a look-up gives; SIZE_MAX if another one is among them. */
static size_t
look_up(const struct buf *file, const struct prof_span *wanted, size_t n,
    struct prof_error *err)
{
	struct prof_reader *r = prof_open(NULL, buf_span(file), err);
	enum prof_status status = PROF_FAIL;
	struct prof_record record;
	size_t functions = 0;

	if (r != NULL)
		prof_select(r, wanted, n);
	while (functions != SIZE_MAX && r != NULL &&
	    (status = prof_next(r, &record, err)) == PROF_OK) {
		struct prof_span name = record.u.function.symbol.name;

		if (record.kind != PROF_REC_FUNCTION)
			continue;
		functions = prof_span_in(name, wanted, n) ? functions + 1 :
		    SIZE_MAX;
	}
	prof_close(r);
	return status == PROF_END ? functions : SIZE_MAX;
}

enum { MANY = 20000 };

/* A stream of functions in order, in many blocks; every fifth is f000. */
static void
make_many(struct buf *text)
{
	buf_text(text, PROFILE);
	for (unsigned i = 0; i < MANY; i++)
		buf_print(text, "{\"record\":\"function\",\"name\":\"f%05u\","
		    "\"hash\":\"0x%016x\",\"counts\":[%u,0]}\n", i / 5 * 5,
		    i % 5, i);
	buf_text(text, LAST);
}

static void
test_look_up(const struct buf *file)
{
	size_t wrong = 0;

	for (unsigned i = 0; i < MANY; i += 97) {
		char text[16];
		struct prof_span name = { (const uint8_t *)text, 6 };

		snprintf(text, sizeof(text), "f%05u", i / 5 * 5);
		wrong += look_up(file, &name, 1, NULL) != 5;
	}
	check(wrong == 0, "%zu names are not found", wrong);
}

/* A look-up does not read, and so not notice, damage of other blocks. */
static void
test_reads_little(const struct buf *file, struct prof_span wanted)
{
	size_t noticed = 0, tried = 0;

	for (size_t i = 1000; i < file->size - LPRF2_TRAILER; i += 1000) {
		file->data[i] ^= 1;
		noticed += look_up(file, &wanted, 1, NULL) == SIZE_MAX;
		file->data[i] ^= 1;
		tried++;
	}
	check(tried > 100 && noticed != 0 && noticed * 8 < tried,
	    "of %zu places %zu are read", tried, noticed);
}

static void
test_many(const struct prof_target *t)
{
	struct prof_target in_order = *t;
	struct buf text = { 0 }, file = { 0 }, back = { 0 }, again = { 0 };

	make_many(&text);
	in_order.in_order = true;
	check(convert(NULL, buf_span(&text), t, &file, NULL) == PROF_OK &&
	    convert(NULL, buf_span(&file), &to_stream, &back, NULL) ==
	    PROF_OK && same_bytes(&text, &back), "many functions come back%s",
	    t->plain ? " from a plain file" : "");
	check(convert(NULL, buf_span(&text), &in_order, &again, NULL) ==
	    PROF_OK && same_bytes(&file, &again), "functions in order need "
	    "not be stored");
	test_look_up(&file);
	if (t->plain)
		test_reads_little(&file, span("f10000"));
	buf_free(&text);
	buf_free(&file);
	buf_free(&back);
	buf_free(&again);
}

/* No index has a level above 10, for a look-up no more than for a walk. */
static void
test_level_of_index(void)
{
	const struct prof_span name = span("f");
	struct prof_error e = { 0 };
	struct buf b = { 0 };

	buf_put(&b, sound.data, sound.size);
	b.data[at[INDEX] + 5] = 11;
	put_sums(b.data, b.size);
	check(look_up(&b, &name, 1, &e) == SIZE_MAX && is_error(&e,
	    PROF_E_CORRUPT, "index: there is no block of a level below 11"),
	    "an index of level 11");
	buf_free(&b);
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

/* A file of blocks that follow, with the record of a profile. */
static struct lprf2_file
begin_file(struct lprf2_packer *packer)
{
	struct lprf2_file f = { .packer = packer };

	lprf2_put_header(&f.out);
	put_line(&f, LPRF2_HEAD, PROFILE, "");
	return f;
}

/* Puts a block of one function. */
static void
put_block(struct lprf2_file *f, const struct prof_function *function)
{
	struct lprf2_building b = { .size = 0 };

	lprf2_encode(&b, function);
	lprf2_file_put_block(f, &b, NULL);
	lprf2_building_free(&b);
}

/* Such a file is refused for that reason. */
static void
check_refused(struct lprf2_file *f, enum prof_code code, const char *reason)
{
	struct prof_error e = { 0 };

	check(read_image(NULL, buf_span(&f->out), &e) == PROF_FAIL &&
	    is_error(&e, code, reason), "%zu bytes: %s", f->out.size, e.reason);
	lprf2_file_free(f);
}

/* Files that no writer makes. */
static void
test_made_files(void)
{
	struct prof_function function = { .symbol.name = span("f") };
	struct lprf2_file f = begin_file(NULL);

	/* A look-up would find one of two functions that begin alike. */
	for (; function.hash < 2; function.hash++)
		put_block(&f, &function);
	lprf2_file_end(&f, NULL);
	check_refused(&f, PROF_E_CORRUPT, "block: " NOT_BEFORE);
	f = begin_file(NULL);
	put_line(&f, LPRF2_TAIL, TRACE, "hash");
	put_line(&f, LPRF2_TAIL, TRACE, "");
	lprf2_file_end(&f, NULL);
	check_refused(&f, PROF_E_CORRUPT, "");
	/* Raw counters would not be found in a binary once they were read. */
	f = begin_file(NULL);
	put_line(&f, LPRF2_TAIL, "{\"record\":\"raw_counters\","
	    "\"counts\":[1]}\n", "");
	lprf2_file_end(&f, NULL);
	check_refused(&f, PROF_E_CORRUPT, "block: record 1 of 1: a record of "
	    "its kind cannot occur there");
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
	const struct prof_site *site;
	struct buf b = { 0 };
	struct prof_reader *r;

	buf_put(&b, sound.data, sound.size);
	b.data[at[NAMES] + T] = 0;
	put_sums(b.data, b.size);
	prof_context_without_targets(context);
	r = prof_open(context, buf_span(&b), NULL);
	site = first_site(r);
	check(site != NULL && site->size == 2 && site->values[0].count == 7 &&
	    site->values[0].name.size == 0 && site->values[0].value == 0,
	    "an empty target is not read");
	check(site != NULL && site->size == 2 && site->values[1].count == 2 &&
	    site->values[1].value == UINT64_C(0x1122334455667788),
	    "a guid that is no target of the block is");
	prof_close(r);
	prof_context_free(context);
	buf_free(&b);
}

static const uint64_t zeros[LPRF2_ZEROS_MAX];
/* Sites without values: a MiB of them is packed in some hundred bytes. */
static const struct prof_site no_values[LPRF2_INFLATED_MAX - 16];

/* A small file does not take any memory. */
static void
test_memory(void)
{
	const struct prof_span wanted = span("f");
	struct lprf2_file f = begin_file(NULL);

	/* Six blocks of 100 bytes, each of a million counters of 0. */
	for (char name[] = "a"; name[0] < 'g'; name[0]++)
		put_block(&f, &(const struct prof_function){
		    .symbol.name = span(name), .counts = zeros,
		    .counts_size = COUNT(zeros) });
	lprf2_file_end(&f, NULL);
	check(look_up(&f.out, &wanted, 1, NULL) == 1,
	    "one function is looked up");
	check_refused(&f, PROF_E_LIMIT, "");
	if (!lprf2_can_pack)
		return;
	f = begin_file(lprf2_packer_new(NULL));
	for (char name[] = "a"; name[0] < 'c'; name[0]++) {
		/* As a writer that counts no memory. */
		f.memory = 0;
		put_block(&f, &(const struct prof_function){
		    .symbol.name = span(name), .values[PROF_MEM_OP_SIZE] = {
		    no_values, COUNT(no_values) } });
	}
	lprf2_file_end(&f, NULL);
	check_refused(&f, PROF_E_LIMIT, "");
}

static enum prof_status
put_one(struct prof_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	const struct prof_record r = { .kind = PROF_REC_FUNCTION,
	    .u.function = *f };

	return prof_put(w, &r, err);
}

/* Functions with names of a size, so that a long one is a block of its own. */
static enum prof_status
put_named(struct prof_writer *w, size_t name_size, char last,
    struct prof_function f, struct prof_error *err)
{
	enum prof_status status = PROF_OK;
	char name[20000];

	memset(name, 'n', sizeof(name));
	f.symbol.name = (struct prof_span){ (const uint8_t *)name, name_size };
	for (name[0] = 'a'; name[0] <= last && status == PROF_OK; name[0]++)
		status = put_one(w, &f, err);
	return status;
}

static enum prof_status
put_sites(struct prof_writer *w, struct prof_error *err)
{
	return put_named(w, 20000, 'd', (struct prof_function){
	    .values[PROF_MEM_OP_SIZE] = { no_values, COUNT(no_values) } },
	    err);
}

static enum prof_status
put_zeros(struct prof_writer *w, struct prof_error *err)
{
	return put_named(w, 20000, 'f', (struct prof_function){
	    .counts = zeros, .counts_size = COUNT(zeros) }, err);
}

static enum prof_status
put_zeros_of_a_block(struct prof_writer *w, struct prof_error *err)
{
	return put_named(w, 1, 'f', (struct prof_function){ .counts = zeros,
	    .counts_size = COUNT(zeros) / 2 }, err);
}

/*
 * A block that takes 17 MB in memory and almost nothing in the file, and names
 * of 3761 bytes: a MiB of them takes 7.6 kB, the fewest that it may.
 */
static enum prof_status
put_long_names(struct prof_writer *w, struct prof_error *err)
{
	static uint64_t ones[LPRF2_INFLATED_MAX - 1024];
	char name[3762];
	struct prof_function f = { .symbol.name = span("a"), .counts = zeros,
	    .counts_size = COUNT(zeros) };
	enum prof_status status = put_one(w, &f, err);

	for (size_t i = 0; i < COUNT(ones); i++)
		ones[i] = 1;
	if (status == PROF_OK)
		status = put_one(w, &(struct prof_function){
		    .symbol.name = span("b"), .counts = ones,
		    .counts_size = COUNT(ones) }, err);
	memset(name, 'n', sizeof(name));
	f = (struct prof_function){ .symbol.name = {
	    (const uint8_t *)name, sizeof(name) - 1 } };
	for (unsigned i = 0; i < 17000 && status == PROF_OK; i++) {
		snprintf(name + sizeof(name) - 6, 6, "%05u", i);
		status = put_one(w, &f, err);
	}
	return status;
}

/* The writer makes no file that takes more than a reader allows. */
static void
test_written(void)
{
	static const struct {
		const char *what;
		enum prof_status (*put)(struct prof_writer *,
		    struct prof_error *);
		bool plain;
		size_t least, most;	/* bytes of the file */
	} written[] = {
		{ "value sites", put_sites, false, 0, (size_t)4 << 20 },
		{ "names", put_long_names, false, 0, SIZE_MAX },
		{ "zeros", put_zeros, true, COUNT(zeros), 6 * COUNT(zeros) },
		{ "zeros of a block", put_zeros_of_a_block, true,
		    COUNT(zeros) / 2, 3 * COUNT(zeros) },
	};

	for (size_t i = 0; i < COUNT(written); i++) {
		const struct prof_target t = { .format = "lprf", .version = 2,
		    .in_order = true, .plain = written[i].plain };
		const struct prof_record head = { .kind = PROF_REC_PROFILE };
		struct prof_error e = { 0 };
		struct buf file = { 0 };
		struct prof_writer *w = prof_writer_new(NULL, &t, buf_sink,
		    &file, &e);
		bool read = prof_put(w, &head, &e) == PROF_OK &&
		    written[i].put(w, &e) == PROF_OK && prof_finish(w, &e) ==
		    PROF_OK && read_image(NULL, buf_span(&file), &e) ==
		    PROF_END;

		check(read && file.size > written[i].least &&
		    (file.size < written[i].most || !lprf2_can_pack),
		    "%s beyond what readers take are not packed, in %zu "
		    "bytes: %s", written[i].what, file.size, e.reason);
		prof_writer_free(w);
		buf_free(&file);
	}
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

/* Names that begin alike, and those between them that are not there. */
static void
test_short_names(const struct prof_target *t)
{
	static char names[SHORT_NAMES][8];
	struct buf text = { 0 }, file = { 0 };
	size_t wrong = 0;

	make_short_names(names);
	buf_text(&text, PROFILE);
	for (size_t i = 0; i < SHORT_NAMES; i++) {
		if (i % 3 != 1)
			buf_print(&text, "{\"record\":\"function\",\"name\":"
			    "\"%.7s\",\"hash\":\"0x0000000000000001\","
			    "\"counts\":[%zu]}\n", names[i], i);
	}
	buf_text(&text, LAST);
	check(convert(NULL, buf_span(&text), t, &file, NULL) == PROF_OK,
	    "short names are written");
	for (size_t i = 0; i < SHORT_NAMES; i++) {
		for (size_t k = i; k < SHORT_NAMES; k++) {
			const struct prof_span pair[] = { span(names[i]),
			    span(names[k]) };
			const size_t n = i == k ? 1 : 2;

			/* All functions, if one of the names is not there. */
			wrong += look_up(&file, pair, n, NULL) != (i % 3 == 1 ||
			    k % 3 == 1 ? SIZE_MAX : n);
		}
	}
	check(wrong == 0, "%zu pairs of short names are not found", wrong);
	buf_free(&text);
	buf_free(&file);
}

/* What a context has of a file before does not get into another one. */
static void
test_one_context(void)
{
	static const char other_stream[] = "{\"record\":\"profile\","
	    "\"stream\":1,\"kind\":\"instr\",\"level\":\"frontend\"}\n" TRACE
	    LAST;
	struct prof_context *context = prof_context_new(NULL, NULL);
	struct buf other = { 0 };
	size_t wrong = 0;

	check(convert(NULL, span(other_stream), &to_plain, &other, NULL) ==
	    PROF_OK, "a file of another level");
	for (size_t i = 0; i < 6; i++) {
		struct buf out = { 0 };

		wrong += convert(context, buf_span(i % 3 == 2 ? &other :
		    &sound), &to_stream, &out, NULL) != PROF_OK ||
		    !holds(&out, i % 3 == 2 ? other_stream : stream);
		buf_free(&out);
	}
	check(wrong == 0, "files that begin alike or not: %zu are wrong",
	    wrong);
	prof_context_free(context);
	buf_free(&other);
}

static const struct {
	const char *bytes;
	size_t size;
	bool taken;
} starts[] = {
	{ "LPRF", 4, true }, { "LPRF\2\0\0\0", 8, true },
	{ "LPRF\2", 5, true }, { "LPR", 3, false }, { "", 0, false },
	{ "FRPL\0\0\0\1", 8, false },
	/* A text whose first function is called so. */
	{ "LPRF\n24\n1\n", 10, false }, { "LPRF_init\n24\n", 13, false },
};

static void
test_sniff(void)
{
	for (size_t i = 0; i < COUNT(starts); i++)
		check(lprf_sniff((struct prof_span){
		    (const uint8_t *)starts[i].bytes, starts[i].size }) ==
		    starts[i].taken, "start %zu", i);
}

int
main(void)
{
	make_sound();
	test_sniff();
	for (size_t i = 0; i < COUNT(rows); i++)
		test_row(&rows[i]);
	test_level_of_index();
	test_many(&to_plain);
	test_many(&to_packed);
	/* The names after the first need a MiB, and a name more than that. */
	test_short_names(&to_plain);
	test_short_names(&to_packed);
	test_one_context();
	test_made_files();
	test_without_targets();
	test_memory();
	test_written();
	buf_free(&sound);
	return done_testing();
}
