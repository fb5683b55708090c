#include "base/json_text.h"

#include <float.h>
#include <stdlib.h>

#include "base/numbers.h"
#include "base/text.h"
#include "tests/support/images.h"

/* True if the buffer holds this; empties it. */
static bool
held(struct buf *b, const char *text)
{
	bool same = holds(b, text);

	b->size = 0;
	return same;
}

/* Encodes any number as UTF-8 would, also those that UTF-8 leaves out. */
static size_t
encode(uint32_t c, uint8_t out[4])
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xc0 | c >> 6);
		out[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xe0 | c >> 12);
		out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		out[2] = (uint8_t)(0x80 | (c & 0x3f));
		return 3;
	}
	out[0] = (uint8_t)(0xf0 | c >> 18);
	out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3f));
	out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
	out[3] = (uint8_t)(0x80 | (c & 0x3f));
	return 4;
}

static void
test_utf8(void)
{
	static const char *const bad[] = {
		"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41",
		"\xc2\xc2", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe2\x82",
		"\xe2\x82\x41", "\xed\xa0\x80", "\xed\xbf\xbf", "\xef\xbf",
		"\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf", "\xf0\x9f\x98",
		"\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe",
		"12345678\x80", "1234567\xc2", "\303\24412345678\377",
	};
	uint32_t wrong = 0;

	for (uint32_t c = 0; c < 0x200000; c++) {
		uint8_t text[16] = "abcdef";
		size_t n = 6 + encode(c, text + 6);
		bool valid = c < 0xd800 || (c > 0xdfff && c < 0x110000);

		if (utf8_valid((struct prof_span){ text, n }) != valid)
			wrong++;
	}
	check(wrong == 0, "utf8_valid knows all code points");
	for (size_t i = 0; i < COUNT(bad); i++)
		check(!utf8_valid(span(bad[i])), "bad UTF-8, row %zu", i);
	check(utf8_valid((struct prof_span){ NULL, 0 }), "nothing is UTF-8");
	check(!json_text_fits((struct prof_span){ (const uint8_t *)"a\0b", 3 }),
	    "a string does not hold U+0000");
}

static void
test_strings(struct buf *b)
{
	static const struct {
		const char *bytes, *text;
	} rows[] = {
		{ "", "\"\"" },
		{ "main", "\"main\"" },
		{ "a.c;f", "\"a.c;f\"" },
		{ "\"\\/", "\"\\\"\\\\/\"" },
		{ "\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"" },
		{ "\001\013\033\037", "\"\\u0001\\u000b\\u001b\\u001f\"" },
		{ "a\177b", "\"a\\u007fb\"" },
		{ "<&'>", "\"<&'>\"" },
		{ "\xc2\x80\xc3\xa4", "\"\xc2\x80\xc3\xa4\"" },
		{ "\xe2\x80\xa8\xe2\x80\xa9", "\"\xe2\x80\xa8\xe2\x80\xa9\"" },
		{ "\xef\xbb\xbf", "\"\xef\xbb\xbf\"" },
		{ "\xef\xbf\xbe\xef\xbf\xbf", "\"\xef\xbf\xbe\xef\xbf\xbf\"" },
		{ "\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf",
		  "\"\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"" },
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_text_string(b, span(rows[i].bytes));
		check(held(b, rows[i].text), "string, row %zu", i);
	}
}

static void
test_numbers(struct buf *b)
{
	static const struct {
		uint64_t value;
		const char *text;
	} rows[] = {
		{ 0, "0" }, { 9, "9" }, { 10, "10" }, { 99, "99" },
		{ 100, "100" }, { 101, "101" }, { 12345, "12345" },
		{ 4294967296, "4294967296" },
		{ 9007199254740991, "9007199254740991" },
		{ 9007199254740992, "\"9007199254740992\"" },
		{ INT64_MAX, "\"9223372036854775807\"" },
		{ (uint64_t)INT64_MAX + 1, "\"9223372036854775808\"" },
		{ UINT64_MAX - 1, "\"18446744073709551614\"" },
		{ UINT64_MAX, "\"18446744073709551615\"" },
	};
	static const char *const bad[] = {
		"", "00", "01", "-0", "-1", "+1", " 1", "1 ", "1.0", "1e3",
		"0x10", "18446744073709551616", "18446744073709552000",
		"99999999999999999999", "184467440737095516150",
	};
	uint64_t list[1000], value, power = 1;
	char text[48];

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_text_number(b, rows[i].value);
		check(held(b, rows[i].text), "number %s", rows[i].text);
		snprintf(text, sizeof(text), "%llu", ull(rows[i].value));
		check(json_text_get_number(span(text), &value) &&
		    value == rows[i].value, "number %s is read", text);
	}
	for (size_t i = 0; i < 16; i++, power *= 10) {
		snprintf(text, sizeof(text), "[%llu,%llu]", ull(power),
		    (unsigned long long)(power * 10 - 1) / 3);
		json_text_numbers(b, (const uint64_t[]){ power,
		    (power * 10 - 1) / 3 }, 2);
		if (power < 1000000000000000)
			check(held(b, text), "numbers %s", text);
		b->size = 0;
	}
	for (size_t i = 0; i < COUNT(bad); i++)
		check(!json_text_get_number(span(bad[i]), &value),
		    "\"%s\" is no number", bad[i]);

	json_text_numbers(b, NULL, 0);
	check(held(b, "[]"), "no numbers");
	for (size_t i = 0; i < 1000; i++)
		list[i] = UINT64_MAX;
	json_text_numbers(b, list, 1000);
	check(b->size == 1 + 23 * 1000, "1000 long numbers");
	b->size = 0;
}

static void
test_literals(struct buf *b)
{
	static const struct {
		double value;
		const char *text;	/* of jq 1.6 */
	} reals[] = {
		{ 1.0, "1" }, { -0.0, "-0" }, { 0.1, "0.1" },
		{ 0.001, "0.001" }, { 0.0001, "0.0001" }, { 1e-5, "1e-05" },
		{ 1.5e-7, "1.5e-07" }, { 123456.789, "123456.789" },
		{ -2.5, "-2.5" }, { 1e15, "1000000000000000" },
		{ 1e16, "1e+16" }, { 1e18, "1e+18" }, { 1e300, "1e+300" },
		{ 1e-300, "1e-300" }, { 5e-324, "5e-324" },
		{ DBL_MAX, "1.7976931348623157e+308" },
		{ 0.30000000000000004, "0.30000000000000004" },
		{ 1.234e20, "1.234e+20" },
		/* As jq's, but in quotes. */
		{ 12345678901234567890., "\"12345678901234567000\"" },
	};
	static const char *const literals[][2] = {
		{ "9007199254740991", "9007199254740991" },
		{ "9007199254740992", "\"9007199254740992\"" },
		{ "-9007199254740991", "-9007199254740991" },
		{ "-9007199254740992", "\"-9007199254740992\"" },
		{ "-0", "-0" }, { "1e+300", "1e+300" },
		{ "10000000000000000", "\"10000000000000000\"" },
	};

	for (size_t i = 0; i < COUNT(reals); i++) {
		json_text_real(b, reals[i].value);
		check(held(b, reals[i].text), "real %s", reals[i].text);
	}
	for (size_t i = 0; i < COUNT(literals); i++) {
		json_text_literal(b, span_of_text(literals[i][0]));
		check(held(b, literals[i][1]), "literal %s", literals[i][0]);
	}
}

static void
test_hex(struct buf *b)
{
	static const char digits[] = "0123456789abcdef";
	static const struct prof_span bytes = {
		(const uint8_t *)"\x00\x01\x7f\x80\xff", 5
	};
	char id[] = "0x00000000000000f0";
	uint64_t value;
	uint8_t out[8];

	json_text_id(b, 0x0123456789abcdef);
	check(held(b, "\"0x0123456789abcdef\""), "id");
	json_text_hex(b, bytes);
	check(held(b, "\"00017f80ff\""), "hex");
	check(json_text_get_hex(span("00017f80ff"), out) &&
	    memcmp(out, bytes.data, 5) == 0, "hex is read");
	check(!json_text_get_hex(span("0"), out), "half a byte");
	check(!json_text_get_hex(span("0G"), out), "no digit");
	check(!json_text_get_hex(span("AB"), out), "upper-case digits");
	for (int c = 1; c < 256; c++) {
		const char *digit = strchr(digits, c);

		id[17] = (char)c;
		if (json_text_get_id(span(id), &value) != (digit != NULL) ||
		    (digit != NULL &&
		    value != 0xf0 + (uint64_t)(digit - digits)))
			check(false, "id that ends with byte %d", c);
	}
	check(!json_text_get_id(span("0x1"), &value), "short id");
	check(!json_text_get_id(span("0X0000000000000001"), &value), "0X");
	check(!json_text_get_id(span("000000000000000001"), &value), "no 0x");
	check(!json_text_get_id(span("0x00000000000000001"), &value),
	    "long id");
}

/* Each byte at each place, between bytes that are plain. */
static void
test_plain(struct buf *b)
{
	uint8_t text[45];
	unsigned wrong = 0;

	for (unsigned c = 0; c < 256; c++) {
		bool plain = c >= ' ' && c < 0x7f && c != '"' && c != '\\';

		for (size_t size = 8; size <= sizeof(text); size++) {
			for (size_t at = 0; at < size; at++) {
				memset(text, at % 2 == 0 ? ' ' : '~', size);
				text[at] = (uint8_t)c;
				b->size = 0;
				wrong += json_text_string_plain(b,
				    (struct prof_span){ text, size }) != plain;
				wrong += b->size != (plain ? size + 2 : 0);
				wrong += plain && (b->data[0] != '"' ||
				    b->data[size + 1] != '"' ||
				    memcmp(b->data + 1, text, size) != 0);
			}
		}
	}
	b->size = 0;
	check(wrong == 0, "plain strings are told from others");
}

/* A row of a text that ends where its memory ends, in all its lengths. */
static unsigned
wrong_row(const char *row, size_t size)
{
	uint8_t *text = malloc(size + (size == 0));
	uint64_t numbers[64 + NUMBER_ROW_SLACK], expected[64];
	unsigned wrong = 0;

	if (text == NULL)
		return 1;
	memcpy(text, row, size);
	for (size_t n = 0; n <= 64; n++) {
		const uint8_t *p = text, *end = text + size, *q = text;
		size_t got = number_row_get(&p, end, numbers, n);

		numbers[n] = 0;
		for (size_t i = 0; i < got; i++) {
			const uint8_t *comma = memchr(q, ',',
			    (size_t)(end - q));

			if (comma == NULL || comma - q > 8 ||
			    !json_text_get_number((struct prof_span){ q,
			    (size_t)(comma - q) }, &expected[i]))
				break;
			wrong += numbers[i] != expected[i];
			q = comma + 1;
		}
		wrong += got > n || p != q;
	}
	free(text);
	return wrong;
}

/* Rows with each byte at each place of a list of numbers of all lengths. */
static void
test_rows(void)
{
	static const char *const lists[] = {
		"0,1,2,3,4,5,6,7,8,9,0,0,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,",
		"10,0,123,4567,89012,345678,9012345,67890123,0,0,0,0,0,0,0,0,",
		"99999999,1,999999999,1,12345678,123456789,1,1,1,1,1,1,1,1,1,",
		"1,2,3,00,4,5,6,7,8,9,10,011,12,0,13,14,15,16,17,18,19,20,21,22"
	};
	unsigned wrong = 0;
	char row[72];

	for (size_t i = 0; i < COUNT(lists); i++) {
		size_t size = strlen(lists[i]);

		for (size_t n = 0; n <= size; n++)
			wrong += wrong_row(lists[i], n);
		for (size_t at = 0; at < size; at++) {
			for (int c = 0; c < 256; c += c < 127 ? 1 : 32) {
				memcpy(row, lists[i], size);
				row[at] = (char)c;
				wrong += wrong_row(row, size);
			}
		}
	}
	check(wrong == 0, "rows of numbers are read: %u wrong", wrong);
}

/* All are written as one by one, whatever is beside them. */
static void
test_lists(struct buf *b)
{
	static const uint64_t values[] = { 0, 0, 7, 8, 9, 10, 99, 1,
		100, 999, 1000, 1009, 9999, 10000, 0, 0, 0, 0, 0, 999999,
		1000000, 100010, 1234567890123, UINT64_MAX };
	enum { ALL = COUNT(values) };
	struct buf one = { 0 };
	unsigned wrong = 0;

	for (size_t from = 0; from < ALL; from++) {
		for (size_t to = from; to <= ALL; to++) {
			b->size = one.size = 0;
			json_text_numbers(b, values + from, to - from);
			json_text_plain(&one, "[");
			for (size_t i = from; i < to; i++) {
				json_text_plain(&one, i == from ? "" : ",");
				json_text_number(&one, values[i]);
			}
			json_text_plain(&one, "]");
			wrong += b->size != one.size ||
			    memcmp(b->data, one.data, one.size) != 0;
		}
	}
	b->size = 0;
	buf_free(&one);
	check(wrong == 0, "lists of numbers");
}

int
main(void)
{
	struct buf b = { 0 };

	test_utf8();
	test_strings(&b);
	test_numbers(&b);
	test_literals(&b);
	test_hex(&b);
	test_plain(&b);
	test_rows();
	test_lists(&b);
	buf_free(&b);
	return done_testing();
}
