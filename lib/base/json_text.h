/*
 * base/json_text.h - strings and numbers of JSON text
 *
 * Text is written as `jq -c .` 1.6 prints it, to the byte, and must be in that
 * form to be read.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include "base/bytes.h"

/* The largest integer that a double holds with all below it: 2^53 - 1. */
#define JSON_TEXT_INTEGER_MAX	UINT64_C(9007199254740991)

/* "0x" and 16 digits. */
enum { JSON_TEXT_ID_SIZE = 18 };

/* Appends punctuation, keys and words that need no escapes. */
static inline void
json_text_plain(struct buf *b, const char *text)
{
	buf_put(b, text, strlen(text));
}

/* White space of JSON. */
static inline bool
json_text_is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* True if the first bytes of a text, or all, may begin a JSON object. */
bool json_text_begins_object(struct prof_span first_bytes);

/* True if a string can hold the bytes: UTF-8 without U+0000. */
bool json_text_fits(struct prof_span);

/* A quoted string of bytes that fit. */
void json_text_string(struct buf *, struct prof_span);

/*
 * json_text_string for 8 or more bytes of ASCII that need no escapes, which is
 * fast.  False for any other text: then nothing was appended.
 */
bool json_text_string_plain(struct buf *, struct prof_span);

/* An integer, or a decimal string above JSON_TEXT_INTEGER_MAX. */
void json_text_number(struct buf *, uint64_t);

/* [1,2,...] */
void json_text_numbers(struct buf *, const uint64_t *, size_t);

/*
 * The text of a number; an integer whose absolute value is above
 * JSON_TEXT_INTEGER_MAX is quoted.
 */
void json_text_literal(struct buf *, struct prof_span number);

/* 0.0001 but 1e-05; 1000000000000000 but 1e+16. */
void json_text_real(struct buf *, double);

/* "0x0123456789abcdef", quoted. */
void json_text_id(struct buf *, uint64_t);

/* Two digits a byte, quoted. */
void json_text_hex(struct buf *, struct prof_span);

/*
 * Reading: texts are without the quotes.  A number is decimal digits without
 * leading zeros, up to 2^64 - 1.  Hex digits are lower-case, two a byte, and
 * out has room for half of them.
 */
bool json_text_get_number(struct prof_span text, uint64_t *out);
bool json_text_get_id(struct prof_span text, uint64_t *out);
bool json_text_get_hex(struct prof_span text, uint8_t *out);

/* The text without the blanks around it. */
struct prof_span json_text_trim(struct prof_span);

/*
 * Members of objects.  Each function appends one: a comma unless it is the
 * first of its object, the key, which must need no escapes, and the value.
 */

/* Appends the key and its colon; the caller appends the value. */
void json_member_key(struct buf *, const char *key);

void json_member_number(struct buf *, const char *key, uint64_t);
void json_member_id(struct buf *, const char *key, uint64_t);
void json_member_flag(struct buf *, const char *key);		/* true */

/* Appends nothing if text is NULL. */
void json_member_text(struct buf *, const char *key, const char *text);

/*
 * A string; bytes that no string can hold are written in hex under hex_key.
 * Appends nothing if data is NULL.
 */
void json_member_bytes(struct buf *, const char *key, const char *hex_key,
    struct prof_span);

/* The same of a name that ends with NUL, or is NULL. */
void json_member_name(struct buf *, const char *key, const char *hex_key,
    const char *name);

#endif
