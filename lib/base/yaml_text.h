/*
 * base/yaml_text.h - YAML syntax, byte for byte as LLVM writes it
 * (yaml::Output, LLVM 22)
 *
 * Values begin in one column, after padded keys.  Maps and lists in braces and
 * brackets are wrapped when they exceed column 80.
 */
#ifndef BASE_YAML_TEXT_H
#define BASE_YAML_TEXT_H

#include "base/bytes.h"

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

#endif
