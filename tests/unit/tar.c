/* tar archives: what their headers may say, and copies with other contents. */
#include "config.h"

#include "io/tar_edit.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "io/tar.h"
#include "tests/support/test.h"

/* An archive that is put together by hand. */
static void
put_padding(struct buf *b, uint64_t size)
{
	buf_zeros(b, tar_padding(size));
}

static uint8_t *
put_header(struct buf *b, char type, const char *name, uint64_t size)
{
	uint8_t *block;

	buf_zeros(b, TAR_BLOCK);
	block = b->data + b->size - TAR_BLOCK;
	memcpy(block, name, strlen(name));
	memcpy(block + 257, "ustar\0" "00", 8);
	block[156] = (uint8_t)type;
	tar_set_size(block, size);
	return block;
}

static void
put_member(struct buf *b, char type, const char *name, const char *contents)
{
	put_header(b, type, name, strlen(contents));
	buf_put(b, contents, strlen(contents));
	put_padding(b, strlen(contents));
}

static void
put_end(struct buf *b)
{
	buf_zeros(b, 2 * TAR_BLOCK);
}

struct source {
	const struct buf *bytes;
	size_t at, piece;
};

static ssize_t
pull(void *arg, void *data, size_t size)
{
	struct source *s = arg;
	size_t left = s->bytes->size - s->at;

	if (size > left)
		size = left;
	if (size > s->piece)
		size = s->piece;
	memcpy(data, s->bytes->data + s->at, size);
	s->at += size;
	return (ssize_t)size;
}

static int
sink(void *arg, const void *data, size_t size)
{
	buf_put(arg, data, size);
	return 0;
}

/* Copies the archive; members that begin with "old" become other. */
static enum prof_status
edit(const struct buf *archive, const char *other, struct buf *out,
    char *names, struct prof_error *err)
{
	struct source source = { .bytes = archive, .piece = 77 };
	struct tar_edit *t = tar_edit_new(pull, &source, sink, out, err);
	enum prof_status status;
	struct tar_member m;
	struct prof_span s;

	out->size = 0;
	*names = '\0';
	*err = (struct prof_error){ 0 };
	while ((status = tar_edit_next(t, &m)) == PROF_OK) {
		snprintf(names + strlen(names), 512 - strlen(names), "%.99s%s ",
		    m.name, m.plain ? "" : "!");
		if (!m.plain)
			continue;
		if (tar_edit_contents(t, 3, &s) != PROF_OK)
			break;
		if (s.size < 3 || memcmp(s.data, "old", 3) != 0)
			continue;
		if (tar_edit_contents(t, m.size, &s) != PROF_OK ||
		    s.size != m.size)
			break;
		s = (struct prof_span){ (const uint8_t *)other,
		    strlen(other) };
		if (tar_edit_replace(t, s) != PROF_OK)
			break;
	}
	tar_edit_free(t);
	return status == PROF_OK ? PROF_FAIL : status;
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->size == b->size && memcmp(a->data, b->data, a->size) == 0;
}

static char text[2001];
static char names[512];

/* What stands in front of a member, and its name for us. */
static const struct row {
	const char *what;
	char type;
	const char *extension;
	const char *name;
} rows[] = {
	{ "nothing", '\0', NULL, "name" },
	{ "a pax header", 'x', "12 path=pax\n13 comment=x\n", "pax" },
	{ "a pax header of others", 'g', "13 comment=x\n", "name" },
	{ "keys as long as ours", 'x', "10 note=1\n12 path=pax\n"
	    "10 note=2\n29 LIBARCHIVE.creationtime=1\n"
	    "21 SCHILY.filetype=1\n", "pax" },
	{ "a GNU name", 'L', "long", "long" },
	{ "a GNU link", 'K', "target", "name" },
};

static void
put_row(struct buf *b, const struct row *r, const char *contents)
{
	if (r->type != '\0')
		put_member(b, r->type, "extension", r->extension);
	put_member(b, '0', "name", contents);
	put_member(b, '0', "next", "nothing");
	put_end(b);
}

static void
test_copies(void)
{
	struct buf archive = { 0 }, want = { 0 }, out = { 0 };
	struct prof_error err;
	char expected[64];

	memset(text, 'n', sizeof(text) - 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		archive.size = want.size = 0;
		put_row(&archive, &rows[i], "old contents");
		put_row(&want, &rows[i], text);
		snprintf(expected, sizeof(expected), "%s next ", rows[i].name);
		check(edit(&archive, text, &out, names, &err) == PROF_END &&
		    same(&out, &want), "behind %s: %s", rows[i].what,
		    err.reason);
		check(strcmp(names, expected) == 0, "names: %s", names);
		check(edit(&want, text, &out, names, &err) == PROF_END &&
		    same(&out, &want), "and without a change");
	}
	buf_free(&archive);
	buf_free(&want);
	buf_free(&out);
}

/* The size stands in the extended header, and is 0 in the other. */
static void
test_pax_size(void)
{
	static const struct {
		const char *old, *new, *size;
	} sizes[] = {
		{ "old", "oldest things", "10 size=3\n|11 size=13\n" },
		{ "old contents", "o", "11 size=12\n|9 size=1\n" },
		{ "old contents", text, "11 size=12\n|13 size=2000\n" },
	};
	struct buf archive = { 0 }, want = { 0 }, out = { 0 };
	struct prof_error err;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		const char *bar = strchr(sizes[i].size, '|');
		char records[128];

		archive.size = want.size = 0;
		snprintf(records, sizeof(records), "12 path=pax\n%.*s"
		    "13 comment=x\n", (int)(bar - sizes[i].size),
		    sizes[i].size);
		put_member(&archive, 'x', "extension", records);
		put_header(&archive, '0', "name", 0);
		buf_put(&archive, sizes[i].old, strlen(sizes[i].old));
		put_padding(&archive, strlen(sizes[i].old));
		put_end(&archive);

		snprintf(records, sizeof(records), "12 path=pax\n%s"
		    "13 comment=x\n", bar + 1);
		put_member(&want, 'x', "extension", records);
		put_member(&want, '0', "name", sizes[i].new);
		put_end(&want);
		check(edit(&archive, sizes[i].new, &out, names, &err) ==
		    PROF_END && same(&out, &want), "%.12s: %s", sizes[i].new,
		    err.reason);
	}
	buf_free(&archive);
	buf_free(&want);
	buf_free(&out);
}

static void
test_numbers(void)
{
	static const uint64_t good[] = { 0, 1, 511, 077777777777,
	    0100000000000, UINT64_MAX };
	uint8_t block[TAR_BLOCK] = { 0 };
	uint64_t n;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		tar_set_size(block, good[i]);
		check(tar_is_header(block) && tar_size(block, &n) &&
		    n == good[i], "size %llu", (unsigned long long)good[i]);
		memset(block, 0, sizeof(block));
	}
	check(!tar_is_header(block), "zeros are no header");
	memset(block + 124, 0xff, 12);
	check(!tar_size(block, &n), "a negative size");
	memcpy(block + 124, "  17 \0\0\0\0\0\0\0", 12);
	check(tar_size(block, &n) && n == 15, "a size with spaces");
	memcpy(block + 124, "00000000x17\0", 12);
	check(!tar_size(block, &n), "a size that is no number");
	memcpy(block + 124, "000000000180", 12);
	check(!tar_size(block, &n), "a digit that is not octal");
	memcpy(block + 124, "777777777777", 12);
	check(tar_size(block, &n) && n == 0777777777777, "twelve digits");
	memcpy(block + 124, "            ", 12);
	check(tar_size(block, &n) && n == 0, "a size of spaces");
	/* 2^64 and 2^64 - 1, as binary numbers. */
	memcpy(block + 124, "\x80\0\0\1\0\0\0\0\0\0\0\0", 12);
	check(!tar_size(block, &n), "a size that exceeds 64 bits");
	memcpy(block + 124, "\x80\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff",
	    12);
	check(tar_size(block, &n) && n == UINT64_MAX, "one that does not");
	memset(block, 0, sizeof(block));
	block[0] = 0xe9;
	memcpy(block + 148, "000251\0 ", 8);
	check(!tar_is_header(block), "a wrong checksum");
	memcpy(block + 148, "000751\0 ", 8);
	check(tar_is_header(block), "the right one");
	/* 233 is -23 to those who take bytes for signed. */
	memcpy(block + 148, "000351\0 ", 8);
	check(tar_is_header(block), "the right one, of signed bytes");
	block[511] = 1;
	check(!tar_is_header(block), "the last byte counts");
	memcpy(block + 148, "000752\0 ", 8);
	check(tar_is_header(block), "and is a part of the checksum");
}

/* Extended headers that are none. */
static void
test_bad_records(void)
{
	static const char damaged[] = "tar: damaged extended header";
	static const char twice[] =
	    "tar: two extended headers have the size of a member";
	static const char number[] =
	    "tar: the size in an extended header is not a number";
	static const struct {
		const char *records, *reason;
		enum prof_code code;
	} bad[] = {
		{ "x", damaged, PROF_E_CORRUPT },
		{ "12", damaged, PROF_E_CORRUPT },
		{ "12 path=pax", damaged, PROF_E_CORRUPT },
		{ "12_path=pax\n", damaged, PROF_E_CORRUPT },
		{ "13 path=pax\n", damaged, PROF_E_CORRUPT },
		{ "99 path=pax\n", damaged, PROF_E_CORRUPT },
		{ "0 path=pax\n", damaged, PROF_E_CORRUPT },
		{ " path=pax\n", damaged, PROF_E_CORRUPT },
		{ "11 path=pax\n", damaged, PROF_E_CORRUPT },
		{ "7 path\n", damaged, PROF_E_CORRUPT },
		{ "7 path\n=\n", damaged, PROF_E_CORRUPT },
		{ "3 \n", damaged, PROF_E_CORRUPT },
		{ "2 \n", damaged, PROF_E_CORRUPT },
		{ "1\n", damaged, PROF_E_CORRUPT },
		{ "12345678901234567890 x", damaged, PROF_E_CORRUPT },
		{ "11 size=1x\n", number, PROF_E_CORRUPT },
		{ "11 size=/1\n", number, PROF_E_CORRUPT },
		{ "11 size=1:\n", number, PROF_E_CORRUPT },
		{ "8 size=\n", number, PROF_E_CORRUPT },
		{ "29 size=18446744073709551616\n", number, PROF_E_CORRUPT },
		{ "30 size=100000000000000000000\n", number, PROF_E_CORRUPT },
		{ "12 size=-1x\n", number, PROF_E_CORRUPT },
		{ "10 size=1\n10 size=1\n", twice, PROF_E_UNSUPPORTED },
		{ "9 size=1\n9 size=1\n", twice, PROF_E_UNSUPPORTED },
		{ "29 size=18446744073709551615\n", "tar: ends inside a member",
		    PROF_E_TRUNCATED },
		{ "9 size=9\n4 =\n", NULL, PROF_E_NONE },
	};
	struct buf archive = { 0 }, out = { 0 };
	struct prof_error err;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		enum prof_status status;

		archive.size = 0;
		put_member(&archive, 'x', "extension", bad[i].records);
		put_member(&archive, '0', "name", "contents.");
		put_end(&archive);
		status = edit(&archive, "", &out, names, &err);
		check(bad[i].reason == NULL ? status == PROF_END :
		    status == PROF_FAIL && err.code == bad[i].code &&
		    strcmp(err.reason, bad[i].reason) == 0 &&
		    (err.code != PROF_E_CORRUPT || err.offset == 1024),
		    "records %zu: %s", i, err.reason);
	}
	buf_free(&archive);
	buf_free(&out);
}

/* The archive so far is refused, with that reason at that byte. */
static void
check_refused(struct buf *archive, enum prof_code code, uint64_t offset,
    const char *reason)
{
	struct buf out = { 0 };
	struct prof_error err = { 0 };

	check(edit(archive, "", &out, names, &err) == PROF_FAIL &&
	    err.code == code && strcmp(err.reason, reason) == 0 &&
	    err.offset == offset, "%s: %s at "
	    "%llu", reason, err.reason, (unsigned long long)err.offset);
	archive->size = 0;
	buf_free(&out);
}

/* A number that is none in the size field of the last header. */
static void
spoil_size(struct buf *a)
{
	uint8_t *block = a->data + a->size - TAR_BLOCK;

	tar_set_size(block, 3);
	/* The sum of the bytes is the same. */
	memcpy(block + 124, "000000000/4", 12);
}

static void
test_refused(void)
{
	struct buf a = { 0 };

	put_member(&a, '0', "name", "x");
	check_refused(&a, PROF_E_TRUNCATED, 1024,
	    "tar: ends without a block of zeros");
	put_member(&a, '0', "name", "x");
	a.size -= 100;
	check_refused(&a, PROF_E_TRUNCATED, 924, "tar: ends inside a member");
	put_member(&a, '0', "name", "x");
	buf_zeros(&a, 100);
	check_refused(&a, PROF_E_TRUNCATED, 1124, "tar: ends inside a header");
	put_member(&a, 'x', "name", "12 path=pax\n");
	check_refused(&a, PROF_E_TRUNCATED, 1024,
	    "tar: ends after an extended header");
	put_member(&a, 'x', "name", "12 path=pax\n");
	put_end(&a);
	check_refused(&a, PROF_E_CORRUPT, 1024,
	    "tar: nothing follows an extended header");
	put_header(&a, 'L', "name", 1000);
	buf_zeros(&a, 700);
	check_refused(&a, PROF_E_TRUNCATED, 1212, "tar: ends inside a header");
	put_header(&a, 'x', "name", (uint64_t)1 << 40);
	check_refused(&a, PROF_E_LIMIT, 0,
	    "tar: a header of 1099511627776 bytes");
	put_header(&a, 'x', "name", UINT64_MAX);
	check_refused(&a, PROF_E_LIMIT, 0,
	    "tar: a header of 18446744073709551615 bytes");
	/* The limit counts the block of the header, too. */
	put_header(&a, 'x', "name", (1 << 26) - TAR_BLOCK + 1);
	check_refused(&a, PROF_E_LIMIT, 0, "tar: a header of 67108353 bytes");
	put_header(&a, 'x', "name", (1 << 26) - TAR_BLOCK);
	check_refused(&a, PROF_E_TRUNCATED, 512, "tar: ends inside a header");
	put_header(&a, '0', "name", UINT64_MAX);
	check_refused(&a, PROF_E_TRUNCATED, 512, "tar: ends inside a member");
	put_header(&a, '1', "name", 5);
	check_refused(&a, PROF_E_UNSUPPORTED, 0, "tar: a hard link of 5 bytes");
	put_header(&a, '0', "name", 5)[0] = 'N';
	check_refused(&a, PROF_E_CORRUPT, 0, "tar: damaged header");
	put_member(&a, 'g', "name", "9 size=1\n");
	check_refused(&a, PROF_E_UNSUPPORTED, 0, "tar: two extended headers "
	    "have the size of a member");
	put_header(&a, '0', "name", 3);
	spoil_size(&a);
	put_end(&a);
	check_refused(&a, PROF_E_CORRUPT, 0,
	    "tar: the size of a member is not a number");
	put_header(&a, 'x', "name", 3);
	spoil_size(&a);
	put_end(&a);
	check_refused(&a, PROF_E_CORRUPT, 0,
	    "tar: the size of a header is not a number");
	put_header(&a, 'S', "name", 0)[482] = 1;
	tar_set_size(a.data, 0);
	buf_zeros(&a, 100);
	check_refused(&a, PROF_E_TRUNCATED, 612, "tar: ends inside a header");
	buf_free(&a);
}

/* Names of members by their headers. */
static void
test_names(void)
{
	static const struct {
		const char *magic;
		size_t prefix, size;	/* bytes of each part */
		size_t whole;
	} parts[] = {
		{ "ustar", 0, 1, 1 },
		{ "ustar", 0, 99, 99 },
		{ "ustar", 0, 100, 100 },
		{ "ustar", 1, 1, 3 },
		{ "ustar", 154, 100, 255 },
		{ "ustar", 155, 100, 256 },
		{ "ustar  ", 155, 100, 100 },	/* GNU */
		{ "", 155, 100, 100 },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		char name[TAR_NAME_MAX + 1], want[TAR_NAME_MAX + 1];
		uint8_t block[TAR_BLOCK] = { 0 };
		bool slash = parts[i].whole > parts[i].size;
		size_t n;

		memset(want, 'n', parts[i].whole);
		want[parts[i].whole] = '\0';
		if (slash) {
			memset(want, 'p', parts[i].prefix);
			want[parts[i].prefix] = '/';
		}
		memset(block, 'n', parts[i].size);
		memset(block + 345, 'p', parts[i].prefix);
		memcpy(block + 257, parts[i].magic, strlen(parts[i].magic));
		n = tar_name(block, name);
		check(n == parts[i].whole && strcmp(name, want) == 0,
		    "\"%s\", %zu and %zu bytes: %s", parts[i].magic,
		    parts[i].prefix, parts[i].size, name);
	}
}

/* The last of several names counts, and for one member. */
static void
test_many_names(void)
{
	struct buf a = { 0 }, out = { 0 };
	struct prof_error err;

	put_member(&a, 'g', "global", "15 path=global\n");
	put_member(&a, '0', "one", "x");
	put_member(&a, 'L', "extension", "long");
	put_member(&a, 'x', "extension", "12 path=pax\n");
	put_member(&a, '0', "two", "x");
	put_member(&a, 'X', "extension", "16 path=Solaris\n");
	put_member(&a, 'L', "extension", "longer");
	put_member(&a, '0', "three", "x");
	put_header(&a, '0', "four", 0)[156] = 0;
	tar_set_size(a.data + a.size - TAR_BLOCK, 0);
	put_member(&a, 'x', "extension", "21 SCHILY.realsize=5\n");
	put_member(&a, '0', "five", "old");
	put_member(&a, 'x', "extension", "16 GNU.sparse=1\n");
	put_member(&a, '0', "six", "x");
	put_header(&a, '1', "seven", 0);
	put_header(&a, '6', "eight", 5);
	put_header(&a, '4', "nine", 5);
	put_end(&a);
	check(edit(&a, "", &out, names, &err) == PROF_END && same(&a, &out) &&
	    strcmp(names, "one pax longer four five! six seven! eight! nine! ")
	    == 0, "%s%s", names, err.reason);
	buf_free(&a);
	buf_free(&out);
}

/* Contents and headers around the size of a chunk, 64 KiB. */
static void
test_large(void)
{
	static const size_t sizes[] = { 65535, 65536, 65537, 131072, 131584 };
	static char old[131585], record[66000];
	struct buf a = { 0 }, want = { 0 }, out = { 0 };
	struct prof_error err;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(old, 'x', sizes[i]);
		old[sizes[i]] = '\0';
		memset(record, 'c', sizeof(record));
		memcpy(record, "65999 comment=", 14);
		memcpy(record + 65998, "\n", 2);
		a.size = want.size = 0;
		put_member(&a, 'x', "extension", record);
		put_member(&a, '0', "kept", old);
		put_member(&want, 'x', "extension", record);
		put_member(&want, '0', "kept", old);
		memcpy(old, "old", 3);
		put_member(&a, '0', "changed", old);
		put_member(&want, '0', "changed", "new");
		put_member(&a, '0', "next", "nothing");
		put_member(&want, '0', "next", "nothing");
		put_end(&a);
		put_end(&want);
		check(edit(&a, "new", &out, names, &err) == PROF_END &&
		    same(&out, &want) && strcmp(names, "kept changed next ") ==
		    0, "%zu bytes: %s%s", sizes[i], names, err.reason);
	}
	buf_free(&a);
	buf_free(&want);
	buf_free(&out);
}

/* Sparse files and what has no contents are copied, whatever they say. */
static void
test_others(void)
{
	struct buf a = { 0 }, out = { 0 };
	struct prof_error err;
	uint8_t *block;

	block = put_header(&a, 'S', "gnu", 3);
	block[482] = 1;
	tar_set_size(block, 3);
	buf_zeros(&a, TAR_BLOCK);
	a.data[a.size - TAR_BLOCK + 504] = 1;
	buf_zeros(&a, TAR_BLOCK);
	buf_put(&a, "old", 3);
	put_padding(&a, 3);
	put_member(&a, 'x', "extension", "22 GNU.sparse.major=1\n");
	put_member(&a, '0', "pax", "old");
	put_header(&a, '5', "folder", 5);
	put_header(&a, '3', "device", 5);
	put_header(&a, '2', "link", 5);
	put_member(&a, 'D', "dump", "old");
	put_end(&a);
	put_member(&a, '7', "behind", "x");
	put_end(&a);
	check(edit(&a, "", &out, names, &err) == PROF_END && same(&a, &out) &&
	    strcmp(names, "gnu! pax! folder! device! link! dump! behind ") ==
	    0, "%s%s", names, err.reason);
	buf_free(&a);
	buf_free(&out);
}

/* The header of a GNU sparse file behind a long name of so many bytes. */
static void
put_sparse(struct buf *a, uint64_t name_size, uint64_t size)
{
	put_header(a, 'L', "extension", name_size);
	buf_put(a, "long", 4);
	buf_zeros(a, (size_t)name_size - 4);
	put_padding(a, name_size);
	put_header(a, 'S', "sparse", 0)[482] = 1;
	tar_set_size(a->data + a->size - TAR_BLOCK, size);
}

/* A sparse block, and whether another one follows it. */
static void
put_holes(struct buf *a, bool more)
{
	buf_zeros(a, TAR_BLOCK);
	a->data[a->size - TAR_BLOCK + 504] = more;
}

/* Blocks of holes are counted from the header of the file itself. */
static void
test_holes(void)
{
	struct buf a = { 0 }, out = { 0 };
	struct prof_error err;

	put_sparse(&a, 5, 3);
	put_holes(&a, true);
	put_holes(&a, true);
	put_holes(&a, false);
	buf_put(&a, "old", 3);
	put_padding(&a, 3);
	put_member(&a, '0', "next", "x");
	put_end(&a);
	check(edit(&a, "", &out, names, &err) == PROF_END && same(&a, &out) &&
	    strcmp(names, "long! next ") == 0, "%s%s", names, err.reason);
	buf_free(&out);
	/* Headers of 64 MiB may be followed by one block, and no more. */
	a.size = 0;
	put_sparse(&a, (1 << 26) - 2 * TAR_BLOCK, 0);
	buf_zeros(&a, 100);
	check_refused(&a, PROF_E_TRUNCATED, (1 << 26) + 100,
	    "tar: ends inside a header");
	put_sparse(&a, (1 << 26) - 2 * TAR_BLOCK, 0);
	put_holes(&a, true);
	check_refused(&a, PROF_E_LIMIT, (1 << 26) + TAR_BLOCK,
	    "tar: too many holes");
	buf_free(&a);
}

/* Any byte may be wrong: it fails, or not, and that is all. */
static void
test_flips(void)
{
	struct buf a = { 0 }, out = { 0 };
	unsigned good = 0, bad = 0;
	struct prof_error err;

	put_row(&a, &rows[1], "old contents");
	for (size_t i = 0; i < a.size; i++) {
		a.data[i] ^= 0x11;
		if (edit(&a, "new", &out, names, &err) == PROF_FAIL)
			bad++;
		else
			good++;
		a.data[i] ^= 0x11;
	}
	check(good > 0 && bad > 1000, "%u flips seen, %u not", bad, good);
	buf_free(&a);
	buf_free(&out);
}

int
main(void)
{
	test_copies();
	test_pax_size();
	test_numbers();
	test_bad_records();
	test_refused();
	test_names();
	test_many_names();
	test_large();
	test_others();
	test_holes();
	test_flips();
	return done_testing();
}
