/* base/text.h - text of other formats, masked, quoted and compared */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "prof/base.h"

/* UTF-8 by RFC 3629: nothing overlong, no surrogates */

bool utf8_valid(struct prof_span);

/* Foreign text without what changes how the rest is shown */

/*
 * Replaces by '?' each byte of control characters (C1 ones of UTF-8 too), of
 * line separators, of characters that change the direction of text, and of what
 * is not UTF-8.  The size stays the same.
 */
void printable_mask(uint8_t *text, size_t size);

/* The same, but newlines stay. */
void printable_mask_lines(uint8_t *text, size_t size);

/* Text inside XML 1.0 */

/*
 * Appends UTF-8 without control characters (printable_mask) for elements and
 * for attributes in double quotes.  U+FFFE and U+FFFF, which XML has not,
 * become U+FFFD, the replacement character.
 */
void xml_put(struct buf *, struct prof_span);

/*
 * YAML syntax, byte for byte as LLVM writes it
 * (yaml::Output, LLVM 22)
 *
 * Values begin in one column, after padded keys.  Maps and lists in braces and
 * brackets are wrapped when they exceed column 80.
 */

struct yaml_text {
	struct buf out;
	size_t line;			/* offset in out of the last line */
	size_t flow;			/* column of the brace or bracket */
	bool first;			/* its first member comes next */
};

void yaml_put(struct yaml_text *, const char *);
void yaml_put_number(struct yaml_text *, uint64_t);
void yaml_put_hex(struct yaml_text *, uint64_t);

/* A string, quoted if needed: in braces or brackets also for a comma. */
void yaml_put_string(struct yaml_text *, struct prof_span, bool in_flow);

/* Begin a line with `indent` spaces; an item has "- " as the last two. */
void yaml_line(struct yaml_text *, size_t indent);
void yaml_item(struct yaml_text *, size_t indent);

/* "Key:" and spaces up to the column of values. */
void yaml_key(struct yaml_text *, const char *key);

/* Braces or brackets: yaml_flow_member comes before the text of each member. */
void yaml_flow_begin(struct yaml_text *, char open);
void yaml_flow_member(struct yaml_text *);
void yaml_flow_end(struct yaml_text *, char close);

/* Base64 (RFC 4648, section 4) */

/* Appends the text of the bytes: one line, with '=' at its end. */
void base64_put(struct buf *, struct prof_span);

/* Formats that no program here reads, for messages */

/*
 * A phrase such as "a Mach-O file" from the first 64 bytes of a file or more,
 * or from all if it has fewer; NULL if its format is unknown.  A phrase may
 * end with advice: "coverage data of GCC: gcov reads it".  Callers have ruled
 * out the formats that they read: of texts, only the beginning is compared.
 */
const char *file_kind(struct prof_span first_bytes);

#endif
