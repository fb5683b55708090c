#include "base/json_text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"

enum {
	NUMBER_MAX = 22,	/* 2^64 - 1 in quotes */
	BATCH = 256,		/* numbers that room is made for at a time */
	REAL_DIGITS = 17,	/* tell all doubles apart */
};

bool
json_text_begins_object(struct prof_span s)
{
	size_t i = 0;

	while (i < s.size && json_text_is_blank(s.data[i]))
		i++;
	if (i == s.size || s.data[i] != '{')
		return false;
	for (i++; i < s.size && json_text_is_blank(s.data[i]); i++)
		;
	return i == s.size || s.data[i] == '"' || s.data[i] == '}';
}

bool
json_text_fits(struct prof_span s)
{
	return s.size == 0 ||
	    (memchr(s.data, 0, s.size) == NULL && utf8_valid(s));
}

/* Escapes of one letter, each before the byte that it stands for. */
static const char json_text_letters[] = "b\bf\fn\nr\rt\t\"\"\\\\";

static void
json_text_escape(struct buf *b, uint8_t c)
{
	char text[8];

	for (size_t i = 0; i < sizeof(json_text_letters) - 1; i += 2) {
		if ((uint8_t)json_text_letters[i + 1] == c) {
			buf_put(b, "\\", 1);
			buf_put(b, json_text_letters + i, 1);
			return;
		}
	}
	snprintf(text, sizeof(text), "\\u%04x", c);
	json_text_plain(b, text);
}

void
json_text_string(struct buf *b, struct prof_span s)
{
	size_t from = 0, i;

	buf_put(b, "\"", 1);
	for (i = 0; i < s.size; i++) {
		uint8_t c = s.data[i];

		/* jq 1.6 escapes DEL, and nothing else from U+0020 on. */
		if (c >= 0x20 && c != '"' && c != '\\' && c != 0x7f)
			continue;
		buf_put(b, s.data + from, i - from);
		json_text_escape(b, c);
		from = i + 1;
	}
	if (s.size != 0)
		buf_put(b, s.data + from, i - from);
	buf_put(b, "\"", 1);
}

bool
json_text_string_plain(struct buf *b, struct prof_span s)
{
	uint8_t *p = s.size < 8 ? NULL : buf_reserve(b, s.size + 2);
	uint64_t unplain = 0;
	size_t i = 0;

	if (p == NULL)
		return false;
	*p++ = '"';
	memcpy(p, s.data, s.size);
	for (; s.size - i >= 8; i += 8)
		unplain |= swar_unplain(swar_load(s.data + i));
	/* The last eight, some of them once more. */
	unplain |= swar_unplain(swar_load(s.data + s.size - 8));
	p[s.size] = '"';
	if (unplain != 0)
		return false;
	b->size += s.size + 2;
	return true;
}

/* p has room for NUMBER_MAX. */
static inline uint8_t *
json_text_store_number(uint8_t *p, uint64_t v)
{
	if (v <= JSON_TEXT_INTEGER_MAX)
		return digits_put(p, v);
	*p++ = '"';
	p = digits_put(p, v);
	*p++ = '"';
	return p;
}

void
json_text_number(struct buf *b, uint64_t v)
{
	uint8_t *p = buf_reserve(b, NUMBER_MAX);

	if (p != NULL)
		b->size = (size_t)(json_text_store_number(p, v) - b->data);
}

/* The same and a comma. */
static inline uint8_t *
json_text_store_listed(uint8_t *p, uint64_t v)
{
	p = json_text_store_number(p, v);
	*p = ',';
	return p + 1;
}

/* Four numbers and a comma behind each: one store if they have one digit. */
static inline uint8_t *
json_text_store_four(uint8_t *p, const uint64_t *v)
{
	if ((v[0] | v[1] | v[2] | v[3]) > 7) {
		for (size_t i = 0; i < 4; i++)
			p = json_text_store_listed(p, v[i]);
		return p;
	}
	swar_store(p, (v[0] | v[1] << 16 | v[2] << 32 | v[3] << 48) +
	    UINT64_C(0x2c302c302c302c30));
	return p + 8;
}

void
json_text_numbers(struct buf *b, const uint64_t *list, size_t size)
{
	buf_put(b, "[", 1);
	for (size_t i = 0; i < size; i += BATCH) {
		size_t end = size - i < BATCH ? size : i + BATCH, k = i;
		uint8_t *p = buf_reserve(b, BATCH * (NUMBER_MAX + 1));

		if (p == NULL)
			return;
		for (; end - k >= 4; k += 4)
			p = json_text_store_four(p, list + k);
		for (; k < end; k++)
			p = json_text_store_listed(p, list[k]);
		if (end == size)
			p--;
		b->size = (size_t)(p - b->data);
	}
	buf_put(b, "]", 1);
}

void
json_text_literal(struct buf *b, struct prof_span number)
{
	static const char max[] = "9007199254740991";
	bool negative = number.size > 0 && number.data[0] == '-';
	struct prof_span digits = { number.data + negative,
	    number.size - negative };
	bool quoted = digits.size >= sizeof(max) - 1 && digits.data[0] != '0' &&
	    (digits.size > sizeof(max) - 1 ||
	    memcmp(digits.data, max, digits.size) > 0);

	for (size_t i = 0; i < digits.size && quoted; i++)
		quoted = digits.data[i] >= '0' && digits.data[i] <= '9';
	json_text_plain(b, quoted ? "\"" : "");
	buf_put(b, number.data, number.size);
	json_text_plain(b, quoted ? "\"" : "");
}

/*
 * The fewest digits that give the same double again, into text; gives back the
 * exponent of the first of them.  snprintf may put any byte for the point.
 */
static int
json_text_shortest(double d, char text[REAL_DIGITS + 1])
{
	char form[REAL_DIGITS + 16];
	size_t n = 0;
	char *p;

	for (int precision = 0; precision < REAL_DIGITS; precision++) {
		snprintf(form, sizeof(form), "%.*e", precision, d);
		if (strtod(form, NULL) == d)
			break;
	}
	for (p = form; *p != 'e'; p++) {
		if (*p >= '0' && *p <= '9')
			text[n++] = *p;
	}
	text[n] = '\0';
	return (int)strtol(p + 1, NULL, 10);
}

void
json_text_real(struct buf *b, double d)
{
	char digits[REAL_DIGITS + 1], text[64];
	bool negative = signbit(d) != 0;
	int exponent = json_text_shortest(negative ? -d : d, digits);
	int n = (int)strlen(digits), point = exponent + 1;

	if (point <= -4 || point > n + 15)
		snprintf(text, sizeof(text), "%s%c%s%se%+03d",
		    negative ? "-" : "", digits[0], n > 1 ? "." : "",
		    digits + 1, exponent);
	else if (point <= 0)
		snprintf(text, sizeof(text), "%s0.%.*s%s",
		    negative ? "-" : "", -point, "000", digits);
	else if (point < n)
		snprintf(text, sizeof(text), "%s%.*s.%s",
		    negative ? "-" : "", point, digits, digits + point);
	else
		snprintf(text, sizeof(text), "%s%s%.*s",
		    negative ? "-" : "", digits, point - n,
		    "000000000000000");
	json_text_literal(b, span_of_text(text));
}

static const char hex_digits[] = "0123456789abcdef";

void
json_text_id(struct buf *b, uint64_t v)
{
	uint8_t text[JSON_TEXT_ID_SIZE + 2] = "\"0x";

	swar_store(text + 3, swar_hex((uint32_t)(v >> 32)));
	swar_store(text + 11, swar_hex((uint32_t)v));
	text[JSON_TEXT_ID_SIZE + 1] = '"';
	buf_put(b, text, sizeof(text));
}

void
json_text_hex(struct buf *b, struct prof_span s)
{
	buf_u8(b, '"');
	digits_append_hex(b, s);
	buf_u8(b, '"');
}

bool
json_text_get_number(struct prof_span text, uint64_t *out)
{
	return (text.size <= 1 || text.data[0] != '0') &&
	    digits_parse(text, 10, UINT64_MAX, out);
}

/* Value of a digit; 16 or more if no digit is written so. */
static inline unsigned
json_text_hex_value(uint8_t c)
{
	unsigned value = (c & 15u) + (c >> 6) * 9u;
	unsigned difference = (uint8_t)hex_digits[value & 15] ^ (unsigned)c;

	return (value & 15) | difference << 4;
}

bool
json_text_get_id(struct prof_span text, uint64_t *out)
{
	uint64_t high, low;
	uint32_t a, b;

	if (text.size != JSON_TEXT_ID_SIZE || memcmp(text.data, "0x", 2) != 0)
		return false;
	high = swar_load(text.data + 2);
	low = swar_load(text.data + 10);
	a = swar_unhex(high);
	b = swar_unhex(low);
	*out = (uint64_t)a << 32 | b;
	return swar_hex(a) == high && swar_hex(b) == low;
}

bool
json_text_get_hex(struct prof_span text, uint8_t *out)
{
	if (text.size % 2 != 0)
		return false;
	for (size_t i = 0; i < text.size; i += 2) {
		unsigned high = json_text_hex_value(text.data[i]);
		unsigned low = json_text_hex_value(text.data[i + 1]);

		if (high > 15 || low > 15)
			return false;
		out[i / 2] = (uint8_t)(high << 4 | low);
	}
	return true;
}

struct prof_span
json_text_trim(struct prof_span s)
{
	while (s.size > 0 && json_text_is_blank(s.data[s.size - 1]))
		s.size--;
	while (s.size > 0 && json_text_is_blank(s.data[0])) {
		s.data++;
		s.size--;
	}
	return s;
}

void
json_member_key(struct buf *b, const char *key)
{
	size_t size = strlen(key);
	uint8_t *p = buf_reserve(b, size + 4);

	if (p == NULL)
		return;
	if (b->size != 0 && p[-1] != '{')
		*p++ = ',';
	*p++ = '"';
	memcpy(p, key, size);
	p += size;
	*p++ = '"';
	*p++ = ':';
	b->size = (size_t)(p - b->data);
}

void
json_member_number(struct buf *b, const char *key, uint64_t n)
{
	json_member_key(b, key);
	json_text_number(b, n);
}

void
json_member_id(struct buf *b, const char *key, uint64_t id)
{
	json_member_key(b, key);
	json_text_id(b, id);
}

void
json_member_flag(struct buf *b, const char *key)
{
	json_member_key(b, key);
	json_text_plain(b, "true");
}

void
json_member_text(struct buf *b, const char *key, const char *text)
{
	if (text == NULL)
		return;
	json_member_key(b, key);
	json_text_string(b, span_of_text(text));
}

void
json_member_bytes(struct buf *b, const char *key, const char *hex_key,
    struct prof_span bytes)
{
	size_t start = b->size;

	if (bytes.data == NULL)
		return;
	json_member_key(b, key);
	if (json_text_string_plain(b, bytes))
		return;
	if (json_text_fits(bytes)) {
		json_text_string(b, bytes);
	} else {
		b->size = start;
		json_member_key(b, hex_key);
		json_text_hex(b, bytes);
	}
}

void
json_member_name(struct buf *b, const char *key, const char *hex_key,
    const char *name)
{
	json_member_bytes(b, key, hex_key, span_of_text(name));
}
