/* Bytes, counts, arenas, digests, tables of names, UTF-8 and messages. */
#include "base/arena.h"
#include "base/bytes.h"
#include "base/digests.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/text.h"
#include "model/symtab.h"

#include <errno.h>

#include "tests/support/images.h"

/* A cursor over a copy with nothing behind it, so that ASan sees all. */
static struct cursor
cursor(const void *data, size_t size, bool big)
{
	uint8_t *p = malloc(size);

	if (size != 0)
		memcpy(p, data, size);
	return (struct cursor){ .data = p, .size = size, .big = big };
}

static void
cursor_free(struct cursor *c)
{
	free((void *)(uintptr_t)c->data);
}

static void
test_reading(void)
{
	static const uint8_t bytes[] = { 1, 2, 0xf3, 4, 5, 6, 7, 0x88, 9 };

	for (int big = 0; big < 2; big++) {
		const char *order = big ? "big" : "little";
		struct cursor c = cursor(bytes, sizeof(bytes), big);

		check(cur_u64(&c) == (big ? 0x0102f30405060788 :
		    0x8807060504f30201), "u64, %s-endian", order);
		c.pos = 1;
		check(cur_u32(&c) == (big ? 0x02f30405 : 0x0504f302),
		    "u32 anywhere, %s-endian", order);
		check(cur_u16(&c) == (big ? 0x0607 : 0x0706),
		    "u16 anywhere, %s-endian", order);
		check(cur_u8(&c) == 0x88 && cur_left(&c) == 1 && !c.failed,
		    "u8 moves by one, %s-endian", order);
		cursor_free(&c);
	}
	check(host_order(false) != host_order(true), "a host has one order");
}

/* What does not fit gives 0, for good, and the cursor stays where it was. */
static void
test_bounds(void)
{
	static const struct {
		const char *name;
		size_t left;
		int width;
	} rows[] = {
		{ "u64", 7, 8 }, { "u32", 3, 4 }, { "u16", 1, 2 },
		{ "u8", 0, 1 }, { "u64 of nothing", 0, 8 },
	};
	static const uint64_t too_many[] = { 4, SIZE_MAX, UINT64_MAX,
	    (uint64_t)1 << 63, ((uint64_t)1 << 32) + 1 };
	static const uint8_t ones[8] = { 255, 255, 255, 255, 255, 255, 255,
	    255 };

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct cursor c = cursor(ones, rows[i].left, false);
		uint64_t got = rows[i].width == 8 ? cur_u64(&c) :
		    rows[i].width == 4 ? cur_u32(&c) :
		    rows[i].width == 2 ? cur_u16(&c) : cur_u8(&c);

		check(got == 0 && c.failed && c.pos == 0, "%s past the end",
		    rows[i].name);
		check(cur_u8(&c) == 0 && cur_bytes(&c, 0) == NULL &&
		    cur_uleb(&c) == 0 && c.pos == 0,
		    "%s: nothing is read any more", rows[i].name);
		cursor_free(&c);
	}
	for (size_t i = 0; i < COUNT(too_many); i++) {
		struct cursor c = cursor(ones, 3, false);

		check(cur_bytes(&c, too_many[i]) == NULL && c.failed && c.pos ==
		    0, "%llu bytes of 3", ull(too_many[i]));
		cursor_free(&c);
	}
	{
		struct cursor c = cursor(ones, 3, false);

		check(cur_bytes(&c, 3) == c.data && cur_left(&c) == 0 &&
		    cur_bytes(&c, 0) != NULL && !c.failed, "all bytes fit");
		cursor_free(&c);
	}
}

#define FF9 "\xff\xff\xff\xff\xff\xff\xff\xff\xff"
#define X80 "\x80\x80\x80\x80\x80\x80\x80\x80\x80"

static const struct {
	const char *bytes;
	size_t size;
	bool good;
	uint64_t value;
	size_t read;
} ulebs[] = {
	{ "\x00", 1, true, 0, 1 },
	{ "\x7f", 1, true, 0x7f, 1 },
	{ "\x80\x01", 2, true, 0x80, 2 },
	{ "\xe5\x8e\x26", 3, true, 624485, 3 },
	{ "\x05\x06", 2, true, 5, 1 },
	/* More bytes than it takes are no fault. */
	{ "\x81\x00", 2, true, 1, 2 },
	{ X80 "\x00", 10, true, 0, 10 },
	{ FF9 "\x01", 10, true, UINT64_MAX, 10 },
	{ X80 "\x01", 10, true, (uint64_t)1 << 63, 10 },
	/* The tenth byte has one bit. */
	{ FF9 "\x02", 10, false, 0, 0 },
	{ X80 "\x02", 10, false, 0, 0 },
	{ X80 "\x7f", 10, false, 0, 0 },
	{ X80 "\x80\x00", 11, false, 0, 0 },
	{ X80 "\x81\x00", 11, false, 0, 0 },
	{ FF9 FF9, 18, false, 0, 0 },
	{ "", 0, false, 0, 0 },
	{ "\x80", 1, false, 0, 0 },
	{ "\xff\xff", 2, false, 0, 0 },
	{ X80, 9, false, 0, 0 },
};

static void
test_uleb(void)
{
	for (size_t i = 0; i < COUNT(ulebs); i++) {
		struct cursor c = cursor(ulebs[i].bytes, ulebs[i].size,
		    false);
		uint64_t value = cur_uleb(&c);

		check(c.failed != ulebs[i].good && value == ulebs[i].value &&
		    c.pos == ulebs[i].read, "ULEB128 %zu: 0x%llx", i,
		    ull(ulebs[i].value));
		cursor_free(&c);
	}
	for (int bit = 0; bit < 64; bit++) {
		const uint64_t value = ((uint64_t)1 << bit) - (bit % 3 == 0);
		struct buf b = { 0 };
		struct cursor c;

		buf_uleb(&b, value);
		c = cursor(b.data, b.size, false);
		check(cur_uleb(&c) == value && c.pos == b.size,
		    "ULEB128 of 0x%llx and back", ull(value));
		cursor_free(&c);
		buf_free(&b);
	}
}

static void
test_writing(void)
{
	static const uint8_t want[] = { 1, 3, 2, 7, 6, 5, 4, 15, 14, 13, 12,
	    11, 10, 9, 8, 'x', 'y', 0, 0, 0, 0, 0, 0, 0, 0xe5, 0x8e, 0x26, 0 };
	static const uint8_t changed[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	struct buf b = { 0 };

	buf_u8(&b, 1);
	buf_u16le(&b, 0x0203);
	buf_u32le(&b, 0x04050607);
	buf_u64le(&b, 0x08090a0b0c0d0e0f);
	buf_put(&b, "xy", 2);
	buf_pad8(&b);
	buf_pad8(&b);
	buf_uleb(&b, 624485);
	buf_zeros(&b, 1);
	buf_put(&b, NULL, 0);
	buf_zeros(&b, 0);
	check(b.size == sizeof(want) && memcmp(b.data, want, b.size) == 0,
	    "numbers, bytes and padding");
	buf_set_u64le(&b, 3, 0x0102030405060708);
	check(memcmp(b.data + 3, changed, 8) == 0 && b.data[2] == 2 &&
	    b.data[11] == 11 && b.size == sizeof(want),
	    "8 bytes are overwritten");
	buf_free(&b);
	check(b.data == NULL && b.size == 0, "a buffer is empty when freed");
}

static void
test_growing(void)
{
	struct buf b = { 0 };
	bool same = true;

	for (unsigned i = 0; i < 100000; i++)
		buf_u32le(&b, i);
	for (unsigned i = 0; i < 100000; i++)
		same = same && load_u32(b.data + (size_t)4 * i, false) == i;
	check(same && b.size == 400000, "a buffer grows");
	check(buf_reserve(&b, SIZE_MAX - 100) == NULL && b.failed,
	    "more than there can be");
	buf_u8(&b, 1);
	buf_set_u64le(&b, 0, 1);
	check(b.size == 400000 && b.data[0] == 0 &&
	    buf_reserve(&b, 1) == NULL, "a failure is for good");
	buf_free(&b);
	check(!b.failed, "until the buffer is freed");
}

static void
test_arithmetic(void)
{
	uint64_t r;

	check(add_u64(UINT64_MAX, 0, &r) && r == UINT64_MAX,
	    "a sum that fits");
	check(!add_u64(UINT64_MAX, 1, &r), "a sum that does not");
	check(mul_u64(UINT32_MAX, (uint64_t)UINT32_MAX + 2, &r) &&
	    r == UINT64_MAX, "a product that fits");
	check(!mul_u64((uint64_t)1 << 32, (uint64_t)1 << 32, &r),
	    "a product that does not");
	check(pad8(0) == 0 && pad8(1) == 7 && pad8(7) == 1 && pad8(8) == 0 &&
	    pad8(UINT64_MAX) == 1, "padding to 8");
}

/* Keys of few or of many bytes, some of them equal. */
static void
test_number_sort(void)
{
	enum { ITEMS = 3000 };
	static struct number_sort_item items[ITEMS];
	uint64_t state = 1;
	bool sorted = true;

	check(number_sort(items, 0) && number_sort(items, 1),
	    "nothing, and one item, are sorted");
	for (unsigned shift = 0; shift < 64; shift += 9) {
		for (uint32_t i = 0; i < ITEMS; i++) {
			state = state * 6364136223846793005 + 1;
			items[i] = (struct number_sort_item){
			    state >> shift << shift / 2, i };
		}
		sorted = sorted && number_sort(items, ITEMS);
		for (size_t i = 1; i < ITEMS; i++)
			sorted = sorted && (items[i - 1].key < items[i].key ||
			    (items[i - 1].key == items[i].key &&
			    items[i - 1].item < items[i].item));
	}
	check(sorted, "by their keys, and equal ones in their order");
}

/* Every size of a table, with numbers that occur once, several times or not. */
static void
test_number_search(void)
{
	static const uint64_t numbers[] = { 0, 1, 1, 1, 5, 7, 7, UINT64_MAX - 1,
	    UINT64_MAX, UINT64_MAX };
	static const uint64_t wanted[] = { 0, 1, 2, 5, 6, 7, 8, UINT64_MAX - 2,
	    UINT64_MAX - 1, UINT64_MAX };
	struct { uint64_t number; uint8_t rest[3]; } items[COUNT(numbers)];
	bool good = numbers_below(NULL, 0, 8, 1) == 0 &&
	    numbers_up_to(NULL, 0, 8, UINT64_MAX) == 0;

	for (size_t i = 0; i < COUNT(numbers); i++)
		items[i].number = numbers[i];
	for (size_t size = 0; size <= COUNT(numbers); size++) {
		for (size_t i = 0; i < COUNT(wanted); i++) {
			uint64_t n = wanted[i];
			size_t below = 0, up_to = 0;

			for (size_t k = 0; k < size; k++) {
				below += numbers[k] < n;
				up_to += numbers[k] <= n;
			}
			good = good &&
			    numbers_below(numbers, size, 8, n) == below &&
			    numbers_up_to(numbers, size, 8, n) == up_to &&
			    numbers_below(items, size, sizeof(*items), n) ==
			    below && numbers_up_to(items, size, sizeof(*items),
			    n) == up_to;
		}
	}
	check(good, "the place of a number, as by counting");
}

static void
test_arena(void)
{
	struct arena a = { 0 };
	uint8_t *p[200], *first;
	bool aligned = true, whole = true;
	size_t size;

	for (size_t i = 0; i < COUNT(p); i++) {
		p[i] = arena_alloc(&a, i * i);
		aligned = aligned && p[i] != NULL &&
		    (uintptr_t)p[i] % _Alignof(max_align_t) == 0;
		memset(p[i], (int)i, i * i);
	}
	for (size_t i = 0; i < COUNT(p); i++) {
		for (size_t k = 0; k < i * i; k++)
			whole = whole && p[i][k] == (uint8_t)i;
	}
	/* The sum of squares below 200 is 2646700, and each is rounded up. */
	check(arena_size(&a) >= 2646700 && arena_size(&a) < 6000000,
	    "an arena knows its size");
	check(aligned, "memory of an arena is aligned");
	check(whole, "and does not overlap");
	check(arena_alloc(&a, 0) != NULL, "nothing is somewhere");
	check(arena_array(&a, SIZE_MAX / 8 + 2, 8) == NULL &&
	    arena_alloc(&a, SIZE_MAX) == NULL &&
	    arena_alloc(&a, SIZE_MAX - 8) == NULL,
	    "more than there can be");
	size = arena_size(&a);
	first = arena_alloc(&a, 10 << 20);
	memset(first, 1, 10 << 20);
	arena_free_before(&a, &size);
	check(arena_size(&a) >= size + (10 << 20), "what is elsewhere frees "
	    "nothing");
	arena_free_before(&a, first);
	check(arena_size(&a) < 11 << 20 && first[(10 << 20) - 1] == 1 &&
	    arena_alloc(&a, 1) != NULL, "what came before is freed");
	arena_reset(&a);
	first = arena_alloc(&a, 100000);
	arena_reset(&a);
	check(first != NULL && arena_alloc(&a, 100000) == first,
	    "a reset arena gives the same memory again");
	check(prof_span_equal(arena_copy(&a, span("text")), span("text")) &&
	    arena_copy(&a, (struct prof_span){ NULL, 0 }).data != NULL,
	    "copies");
	arena_free(&a);
	check(arena_size(&a) == 0, "and nothing of it is left");
	check(a.chunks == NULL && arena_alloc(&a, 1) != NULL,
	    "a freed arena is an empty one");
	arena_free(&a);
}

/* RFC 1321, A.5, and lengths around those of a block. */
static const struct {
	const char *text;
	int times;
	const char *digest;
} digests[] = {
	{ "", 1, "d41d8cd98f00b204e9800998ecf8427e" },
	{ "a", 1, "0cc175b9c0f1b6a831c399e269772661" },
	{ "abc", 1, "900150983cd24fb0d6963f7d28e17f72" },
	{ "message digest", 1, "f96b697d7cb7938d525a2f31aaf161d0" },
	{ "abcdefghijklmnopqrstuvwxyz", 1,
	    "c3fcd3d76192e4007dfb496cca67e13b" },
	{ "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", 1,
	    "d174ab98d277d9f5a5611c2c9f419d9f" },
	{ "1234567890", 8, "57edf4a22be3c955ac49da2e2107b67a" },
	{ "a", 55, "ef1772b6dff9a122358552954ad0df65" },
	{ "a", 56, "3b0c8ac703f828b04c6c197006d17218" },
	{ "a", 57, "652b906d60af96844ebd21b674f35e93" },
	{ "a", 63, "b06521f39153d618550606be297466d5" },
	{ "a", 64, "014842d480b571495a4a0363793f7367" },
	{ "a", 65, "c743a45e0d2e6a95cb859adae0248435" },
	{ "a", 119, "8a7bd0732ed6a28ce75f6dabc90e1613" },
	{ "a", 120, "5f61c0ccad4cac44c75ff505e1f1e537" },
	{ "a", 128, "e510683b3f5ffe4093d021808bc6ff70" },
};

static void
test_md5(void)
{
	for (size_t i = 0; i < COUNT(digests); i++) {
		struct buf b = { 0 };
		uint8_t digest[16];
		char hex[33];

		for (int n = 0; n < digests[i].times; n++)
			buf_text(&b, digests[i].text);
		md5(b.data, b.size, digest);
		for (size_t k = 0; k < 16; k++)
			snprintf(hex + 2 * k, 3, "%02x", digest[k]);
		check(strcmp(hex, digests[i].digest) == 0,
		    "MD5 of %d times \"%.20s\"", digests[i].times,
		    digests[i].text);
		check(md5_u64(b.data, b.size) == load_u64(digest, false),
		    "and its first bytes");
		buf_free(&b);
	}
	/* As LLVM has them. */
	check(prof_guid(span("foo")) == 0x5CF8C24CDB18BDAC, "guid of foo");
	check(prof_guid(span("bar")) == 0xE413754A191DB537, "guid of bar");
}

/* Guids that differ in their high bits only, and those of names. */
static void
test_symtab_growth(void)
{
	static char names[5000][8];
	struct symtab t = { 0 };
	size_t hint = 0;
	bool found = true, hinted = true;

	for (size_t i = 0; i < COUNT(names); i++) {
		snprintf(names[i], sizeof(names[i]), "f%zu", i);
		found = found && symtab_add(&t, span(names[i]),
		    i % 2 == 0 ? 0 : (uint64_t)i << 48 | 1);
	}
	for (size_t i = 0; i < COUNT(names); i++) {
		uint64_t guid = i % 2 == 0 ? prof_guid(span(names[i])) :
		    (uint64_t)i << 48 | 1;

		found = found && symtab_find(&t, guid, NULL) == i &&
		    prof_span_equal(symtab_name(&t, guid), span(names[i]));
		hinted = hinted && symtab_find(&t, guid, &hint) == i &&
		    hint == i + 1;
	}
	check(found && t.size == COUNT(names), "5000 names are found");
	check(hinted, "and in their order, with a hint");
	hint = 4000;
	check(symtab_find(&t, prof_guid(span("f10")), &hint) == 10 &&
	    hint == 11, "a hint that is wrong is set right");
	symtab_free(&t);
}

static void
test_errors(void)
{
	struct prof_error e = { 0 };
	char name[ERR_NAME_SIZE], text[200];

	check(err_at(&e, PROF_E_CORRUPT, 16, "%d of %s", 3, "it") ==
	    PROF_FAIL && e.code == PROF_E_CORRUPT &&
	    e.where == PROF_AT_BYTE && e.offset == 16 &&
	    strcmp(e.reason, "3 of it") == 0, "a reason is formatted");
	check(err_line(&e, PROF_E_LIMIT, 2, "later") == PROF_FAIL &&
	    err_memory(&e) == PROF_FAIL &&
	    err_system(&e, EIO, "later") == PROF_FAIL &&
	    e.code == PROF_E_CORRUPT && strcmp(e.reason, "3 of it") == 0,
	    "the first failure wins");
	check(err_set(NULL, PROF_E_CORRUPT, "nobody") == PROF_FAIL,
	    "nobody has to listen");
	e = (struct prof_error){ 0 };
	err_system(&e, ENOENT, "cannot open");
	check(e.code == PROF_E_SYSTEM && e.where == PROF_NOWHERE &&
	    strcmp(e.reason, "cannot open: No such file or directory") == 0,
	    "what the system says");
	e = (struct prof_error){ 0 };
	err_line(&e, PROF_E_LIMIT, 7, "%0400d", 1);
	check(e.where == PROF_AT_LINE && e.offset == 7 &&
	    strlen(e.reason) == PROF_REASON_SIZE - 1,
	    "a long reason is cut");
	check(strcmp(err_name(name, span("a\x1b\n\xff" "b")), "a???b") == 0,
	    "a name is made to print");
	memset(text, 'x', sizeof(text));
	for (size_t n = ERR_NAME_SIZE - 3; n < ERR_NAME_SIZE + 3; n++) {
		bool cut = n > ERR_NAME_SIZE - 1;

		err_name(name, (struct prof_span){ (uint8_t *)text, n });
		check(strlen(name) == (cut ? ERR_NAME_SIZE - 1 : n) &&
		    (strchr(name, '.') != NULL) == cut,
		    "a name of %zu bytes", n);
	}
}

static void
test_digits(void)
{
	static const struct {
		const char *text;
		uint64_t max, value;
		bool good;
	} rows[] = {
		{ "0", UINT64_MAX, 0, true }, { "10", UINT64_MAX, 10, true },
		{ "0x1F", UINT64_MAX, 31, true },
		{ "0Xff", UINT64_MAX, 255, true },
		{ "0b101", UINT64_MAX, 5, true },
		{ "0o17", UINT64_MAX, 15, true },
		{ "017", UINT64_MAX, 15, true },
		{ "18446744073709551615", UINT64_MAX, UINT64_MAX, true },
		{ "0xffffffffffffffff", UINT64_MAX, UINT64_MAX, true },
		{ "18446744073709551616", UINT64_MAX, 0, false },
		{ "255", 255, 255, true }, { "256", 255, 0, false },
		{ "", UINT64_MAX, 0, false }, { "0x", UINT64_MAX, 0, false },
		{ "0b2", UINT64_MAX, 0, false },
		{ "08", UINT64_MAX, 0, false }, { "-1", UINT64_MAX, 0, false },
		{ "1 ", UINT64_MAX, 0, false }, { "1f", UINT64_MAX, 0, false },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t value = 0;
		bool good = digits_auto((struct prof_span){
		    (const uint8_t *)rows[i].text, strlen(rows[i].text) },
		    rows[i].max, &value);

		check(good == rows[i].good && value == rows[i].value,
		    "'%s' up to %llu", rows[i].text, ull(rows[i].max));
	}
}

static void
test_digits_written(void)
{
	static const uint64_t rows[] = { 0, 1, 9, 10, 11, 99, 100, 99999999,
	    100000000, 100000009, 4294967295, 4294967296, 9999999999999999,
	    10000000000000000, 999999999999999999, 1000000000000000000,
	    9999999999999999999u, 10000000000000000000u, UINT64_MAX };
	struct buf b = { 0 }, want = { 0 };
	unsigned wrong = 0;
	char one[32];

	for (size_t i = 0; i < COUNT(rows); i++)
		buf_print(&want, "%llu, ", ull(rows[i]));
	digits_append_many(&b, rows, COUNT(rows), ", ");
	check(same_bytes(&b, &want), "numbers of all lengths");
	for (unsigned i = 0; i < 100000000; i += i < 20000 ? 1 : 9973) {
		snprintf(one, sizeof(one), "%u", i);
		b.size = 0;
		digits_append(&b, i);
		wrong += !prof_span_equal(buf_span(&b), span(one));
	}
	check(wrong == 0, "all numbers of four digits, and others: %u wrong",
	    wrong);
	buf_free(&b);
	buf_free(&want);
}

static void
test_counts(void)
{
	enum { MANY = 61 };
	uint64_t counts[MANY], into[MANY], copy[MANY], seen, any, before;
	uint8_t odd[8 * MANY + 7];
	unsigned wrong[4] = { 0 };

	for (size_t n = 0; n <= MANY; n++) {
		any = before = 0;
		for (size_t i = 0; i < n; i++) {
			/* Whole lines of zeros, and sums beyond 2^64. */
			counts[i] = i / 8 % 2 ? 0 : (i * n) << (i % 60);
			into[i] = UINT64_MAX - i * i * n;
			copy[i] = into[i] + counts[i];
			any |= counts[i];
			before |= counts[i] == 0 ? 0 : into[i];
		}
		wrong[0] += vector_any_bits(counts, n) != any;
		seen = vector_add(into, counts, n);
		/* Of sums that nothing was added to, some may be in it. */
		wrong[1] += (seen & before) != before ||
		    memcmp(into, copy, n * sizeof(*into)) != 0;
		wrong[2] += any == 0 && n % 8 == 0 && seen != 0;
		memcpy(odd + n % 8, counts, n * sizeof(*counts));
		memset(copy, 1, sizeof(copy));
		wrong[3] += vector_copy(copy, odd + n % 8, n) != any ||
		    memcmp(copy, counts, n * sizeof(*copy)) != 0 ||
		    (n < MANY && copy[n] != UINT64_C(0x0101010101010101));
	}
	check(wrong[0] == 0, "bits of counts: %u wrong", wrong[0]);
	check(wrong[1] == 0, "sums of counts: %u wrong", wrong[1]);
	check(wrong[2] == 0, "sums of zeros: %u wrong", wrong[2]);
	check(wrong[3] == 0, "copies of counts: %u wrong", wrong[3]);
}

/* The rows of RFC 4648, section 10, and bytes above 127. */
static void
test_base64(void)
{
	static const char *const rows[][2] = {
		{ "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" },
		{ "foo", "Zm9v" }, { "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" }, { "foobar", "Zm9vYmFy" },
		{ "\xff\xfe\xfb", "//77" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf b = { 0 };

		base64_put(&b, span(rows[i][0]));
		check(!b.failed && b.size == strlen(rows[i][1]) &&
		    (b.size == 0 || memcmp(b.data, rows[i][1], b.size) == 0),
		    "base64 of %zu bytes: %s", strlen(rows[i][0]), rows[i][1]);
		buf_free(&b);
	}
}

/* The sum of all bits, one by one. */
static uint32_t
crc32c_by_bits(const uint8_t *p, size_t size)
{
	uint32_t c = UINT32_MAX;

	for (size_t i = 0; i < size * 8; i++) {
		uint32_t bit = (c ^ (uint32_t)p[i / 8] >> i % 8) & 1;

		c = c >> 1 ^ (bit != 0 ? 0x82F63B78u : 0);
	}
	return ~c;
}

static void
test_crc32c(void)
{
	const struct prof_span digits = { (const uint8_t *)"123456789", 9 };
	uint8_t bytes[5000];
	size_t wrong = 0;

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * i / 7 + i);
	for (size_t n = 0; n < sizeof(bytes) - 8; n += n < 800 ? 1 : 61)
		wrong += crc32c((struct prof_span){ bytes + n % 8, n }) !=
		    crc32c_by_bits(bytes + n % 8, n);
	check(crc32c(digits) == 0xE3069283, "CRC-32C of digits");
	check(wrong == 0, "CRC-32C of many sizes: %zu are wrong", wrong);
}

int
main(void)
{
	test_reading();
	test_bounds();
	test_uleb();
	test_writing();
	test_growing();
	test_arithmetic();
	test_arena();
	test_number_sort();
	test_number_search();
	test_md5();
	test_crc32c();
	test_symtab_growth();
	test_errors();
	test_digits();
	test_digits_written();
	test_counts();
	test_base64();
	return done_testing();
}
