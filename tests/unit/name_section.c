/* Names sections: what is read of good and of damaged ones, and written. */
#include "model/name_section.h"

#include "format/program.h"

#include "tests/support/images.h"

/* Deflated "foo\1bar", its two sizes in front. */
#define ZLIB \
    "\x78\xda\x4b\xcb\xcf\x67\x4c" \
    "\x4a\x2c\x02\x00\x09\xf4\x02\x7b"
#define FOO_BAR "\x07\x0f" ZLIB

/* Whether the table has exactly these names, separated by blanks, in order. */
static bool
has_names(const struct symtab *t, const char *text)
{
	size_t i = 0;

	for (; *text != '\0' && i < t->size; i++) {
		size_t size = strcspn(text, " ");
		struct prof_span want = { (const uint8_t *)text, size };

		if (!prof_span_equal(t->symbols[i].name, want) ||
		    t->symbols[i].guid != prof_guid(want))
			return false;
		text += size + (text[size] == ' ');
	}
	return *text == '\0' && i == t->size;
}

#define BYTES(text) text, sizeof(text) - 1

#define GOOD	0, 0, NULL
#define BAD	NULL, PROF_E_CORRUPT

static const struct {
	const char *what;
	const char *bytes;
	size_t size;
	const char *names;		/* NULL: see the rest */
	enum prof_code code;
	uint64_t offset;
	const char *reason;
} sections[] = {
	{ "nothing", BYTES(""), "", GOOD },
	{ "only zeros", BYTES("\0\0\0"), "", GOOD },
	{ "one name", BYTES("\3\0foo"), "foo", GOOD },
	{ "two names", BYTES("\7\0foo\1bar"), "foo bar", GOOD },
	{ "two chunks", BYTES("\3\0foo\3\0bar"), "foo bar", GOOD },
	{ "zeros between", BYTES("\3\0foo\0\0\0\3\0bar"), "foo bar", GOOD },
	{ "zeros around", BYTES("\0\0\3\0foo\0\0\0\0\0\0"), "foo", GOOD },
	{ "a name twice", BYTES("\7\0foo\1foo\3\0foo"), "foo", GOOD },
	{ "deflated", BYTES(FOO_BAR), "foo bar", GOOD },
	{ "deflated behind plain", BYTES("\3\0baz\0\0" FOO_BAR "\0\2\0ab"),
	    "baz foo bar ab", GOOD },
	{ "a size of two bytes", BYTES("\x83\0\0foo"), "foo", GOOD },
	{ "any bytes but one", BYTES("\4\0\xff\xfe\n\x02"), "\xff\xfe\n\x02",
	    GOOD },
	{ "no second size", BYTES("\5"), BAD, 101, "cut off" },
	{ "first size cut", BYTES("\x85"), BAD, 100, "cut off" },
	{ "second size cut", BYTES("\5\x80"), BAD, 101, "cut off" },
	{ "second chunk's size cut", BYTES("\3\0foo\x80"), BAD, 105, "cut "
	    "off" },
	{ "a size of 65 bits", BYTES(
	    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03\0foo"), BAD, 100, "64 "
	    "bits" },
	{ "size 0 of packed bytes", BYTES("\x80\0\3foo"), BAD, 100, "size 0" },
	{ "size 0 of none", BYTES("\x80\0\0"), BAD, 100, "size 0" },
	{ "one byte short", BYTES("\4\0foo"), BAD, 100, "size 4 exceeds the 3 "
	    "bytes left" },
	{ "2^64-1 bytes", BYTES(
	    "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\0foo"), BAD, 100,
	    "18446744073709551615 exceeds the 3" },
	{ "packed one byte short", FOO_BAR, sizeof(FOO_BAR) - 2, BAD, 100,
	    "size 15 exceeds the 14 bytes left" },
	{ "2^64-1 packed bytes", BYTES(
	    "\3\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01" "foo"), BAD, 100,
	    "18446744073709551615 exceeds the 3" },
	{ "an empty name in the middle", BYTES("\6\0a\1\1bcd"), BAD, 100,
	    "empty" },
	{ "an empty name in front", BYTES("\2\0\1a"), BAD, 100, "empty" },
	{ "an empty name behind", BYTES("\2\0a\1"), BAD, 100, "empty" },
	{ "in the second chunk", BYTES("\1\0a\2\0a\1"), BAD, 103, "empty" },
	{ "not deflated", BYTES("\3\3foo"), BAD, 100, "do not inflate" },
	{ "deflated, its sum changed", BYTES("\x07\x0f"
	    "\x78\xda\x4b\xcb\xcf\x67\x4c" "\x4a\x2c\x02\x00\x09\xf4\x02\x7a"),
	    BAD, 100, "do not inflate" },
	{ "deflated, its end cut", BYTES("\x07\x0e"
	    "\x78\xda\x4b\xcb\xcf\x67\x4c" "\x4a\x2c\x02\x00\x09\xf4\x02"), BAD,
	    100, "inflate" },
	{ "inflates to one byte more", BYTES("\x06\x0f" ZLIB), BAD, 100,
	    "inflate to more than the uncompressed" },
	{ "inflates to one byte less", BYTES("\x08\x0f" ZLIB), BAD, 100,
	    "inflated size 7 is not the uncompressed size 8" },
	{ "says more than can be", BYTES("\xff\xff\x03\x0f" ZLIB), BAD, 100,
	    "65535 is more than 15 compressed bytes can hold" },
	{ "a bomb", BYTES("\x80\x80\x80\x80\x80\x80\x80\x80\x40\x03" "abc"),
	    NULL, PROF_E_LIMIT, 100, "4611686018427387904 exceeds the limit" },
};

/* Limits that are far away. */
static const struct names_limit wide = { 1 << 20, 1 << 20 };

static enum prof_status
read_copy(struct names *n, const char *bytes, size_t size,
    struct names_limit *limit, uint8_t **copy, struct prof_error *err)
{
	*copy = malloc(size);
	if (size != 0)
		memcpy(*copy, bytes, size);
	return names_read(n, (struct prof_span){ *copy, size }, 100, limit,
	    err);
}

static void
test_sections(void)
{
	for (size_t i = 0; i < COUNT(sections); i++) {
		struct names_limit limit = wide;
		struct prof_error e = { 0 };
		struct names n = { 0 };
		uint8_t *copy;
		enum prof_status status = read_copy(&n, sections[i].bytes,
		    sections[i].size, &limit, &copy, &e);

		if (sections[i].names != NULL)
			check(status == PROF_OK &&
			    has_names(&n.table, sections[i].names), "%s",
			    sections[i].what);
		else if (!check(status == PROF_FAIL &&
		    e.code == sections[i].code && e.where == PROF_AT_BYTE &&
		    e.offset == sections[i].offset &&
		    strstr(e.reason, sections[i].reason) != NULL,
		    "%s is refused", sections[i].what))
			printf("# code %d, offset %llu: %s\n", (int)e.code,
			    ull(e.offset), e.reason);
		names_free(&n);
		free(copy);
	}
}

static void
test_limits(void)
{
	static const struct {
		const char *what;
		const char *bytes;
		size_t size;
		struct names_limit limit, left;
		bool good;
	} rows[] = {
		{ "as many inflated bytes", BYTES(FOO_BAR), { 7, 9 },
		    { 0, 7 }, true },
		{ "one inflated byte more", BYTES(FOO_BAR), { 6, 9 },
		    { 6, 9 }, false },
		{ "in two chunks", BYTES(FOO_BAR FOO_BAR), { 13, 9 },
		    { 6, 7 }, false },
		{ "plain bytes are not inflated", BYTES("\3\0foo"), { 0, 9 },
		    { 0, 8 }, true },
		{ "as many names", BYTES("\5\0a\1b\1c"), { 9, 3 }, { 9, 0 },
		    true },
		{ "one name more", BYTES("\5\0a\1b\1c"), { 9, 2 }, { 9, 2 },
		    false },
		{ "one name more in all", BYTES("\5\0a\1b\1c\1\0d"), { 9, 3 },
		    { 9, 0 }, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct names_limit limit = rows[i].limit;
		struct prof_error e = { 0 };
		struct names n = { 0 };
		uint8_t *copy;
		enum prof_status status = read_copy(&n, rows[i].bytes,
		    rows[i].size, &limit, &copy, &e);

		check((status == PROF_OK) == rows[i].good &&
		    e.code == (rows[i].good ? PROF_E_NONE : PROF_E_LIMIT),
		    "limits: %s", rows[i].what);
		check(limit.bytes == rows[i].left.bytes &&
		    limit.count == rows[i].left.count,
		    "and what is left of them");
		names_free(&n);
		free(copy);
	}
	check(names_limit_of(0, 1).bytes >= 1 << 20 &&
	    names_limit_of(SIZE_MAX, 1).count > names_limit_of(0, 1).count,
	    "limits grow with the file");
}

static void
test_writing(void)
{
	static char text[2000][24];
	struct prof_span names[COUNT(text)];
	struct names_limit limit = { 1 << 20, 1 << 20 };
	struct names n = { 0 };
	struct buf b = { 0 };
	bool same = true;

	check(names_write(&b, NULL, 0, NULL) == PROF_OK && b.size == 0,
	    "no names are no bytes");
	names[0] = span("foo");
	names[1] = span("bar");
	buf_u8(&b, 42);
	check(names_write(&b, names, 2, NULL) == PROF_OK &&
	    b.data[0] == 42 && b.data[1] == 7 && b.data[2] == b.size - 3 &&
	    b.data[2] != 0, "one chunk, deflated, behind what is there");
	check(names_read(&n, (struct prof_span){ b.data + 1, b.size - 1 }, 0,
	    &limit, NULL) == PROF_OK && has_names(&n.table, "foo bar"),
	    "and can be read");
	names_free(&n);
	n = (struct names){ 0 };
	buf_free(&b);
	for (size_t i = 0; i < COUNT(text); i++) {
		snprintf(text[i], sizeof(text[i]), "_Z%zufunction%zuv", i % 9,
		    i * i);
		names[i] = span(text[i]);
	}
	check(names_write(&b, names, COUNT(names), NULL) == PROF_OK &&
	    names_read(&n, buf_span(&b), 0, &limit, NULL) == PROF_OK &&
	    n.table.size == COUNT(names), "2000 names and back");
	for (size_t i = 0; i < n.table.size; i++)
		same = same && prof_span_equal(n.table.symbols[i].name,
		    names[i]);
	check(same, "in their order");
	names_free(&n);
	buf_free(&b);
}

/* A name with the byte between names in it would become two. */
static void
test_separator(void)
{
	struct prof_span names[] = { span("fine"), span("a\1b") };
	struct prof_error e = { 0 };
	struct buf b = { 0 };

	check(names_write(&b, names, 2, &e) == PROF_FAIL &&
	    e.code == PROF_E_UNSUPPORTED, "a name with 0x01 is refused");
	buf_free(&b);
}

/* The names of two sections, whose bytes are gone afterwards. */
static struct cached_names *
get_within(struct names_limit *limit, struct prof_context *c,
    const char *functions, size_t functions_size, const char *vtables,
    size_t vtables_size, struct prof_error *err)
{
	struct buf b = { 0 };
	struct cached_names *n;

	buf_put(&b, functions, functions_size);
	buf_put(&b, vtables, vtables_size);
	n = name_cache_get(c, &(struct name_sections){
	    { b.data, functions_size },
	    { b.data + functions_size, vtables_size },
	    100, 200 }, limit, err);
	buf_free(&b);
	return n;
}

static struct cached_names *
get(struct prof_context *c, const char *functions, size_t functions_size,
    const char *vtables, size_t vtables_size, struct prof_error *err)
{
	struct names_limit limit = wide;

	return get_within(&limit, c, functions, functions_size, vtables,
	    vtables_size, err);
}

/* A limit is the image's own, and whether names are cached is not seen. */
static void
test_cache_limits(void)
{
	static const struct names_limit limits[] = { { 14, 4 }, { 13, 4 },
	    { 14, 3 }, { 14, 1 }, { 6, 9 }, { 100, 100 }, { 0, 0 } };
	struct prof_context *c = prof_context_new(NULL, NULL);
	struct cached_names *first = get(c, BYTES(FOO_BAR), BYTES(FOO_BAR),
	    NULL);

	for (size_t i = 0; i < COUNT(limits); i++) {
		struct names_limit alone = limits[i], cached = limits[i];
		struct prof_error want = { 0 }, got = { 0 };
		struct cached_names *x = get_within(&alone, NULL,
		    BYTES(FOO_BAR), BYTES(FOO_BAR), &want);
		struct cached_names *y = get_within(&cached, c,
		    BYTES(FOO_BAR), BYTES(FOO_BAR), &got);

		check((x != NULL) == (y != NULL) && (y == NULL || y == first) &&
		    alone.bytes == cached.bytes && alone.count == cached.count
		    && want.code == got.code && want.offset == got.offset &&
		    strcmp(want.reason, got.reason) == 0,
		    "%llu bytes and %llu names: %s", ull(limits[i].bytes),
		    ull(limits[i].count), x == NULL ? want.reason : "enough");
		lru_cache_release(x);
		lru_cache_release(y);
	}
	lru_cache_release(first);
	prof_context_free(c);
}

int
main(void)
{
	test_sections();
	test_limits();
	test_writing();
	test_separator();
	test_cache_limits();
	return done_testing();
}
