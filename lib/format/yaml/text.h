/*
 * format/yaml/text.h - YAML to the byte as LLVM writes it (yaml::Output, LLVM 22)
 *
 * Keys are padded to one column; maps and lists in braces and brackets go on in
 * another line when they pass column 80.
 */
#ifndef FORMAT_YAML_TEXT_H
#define FORMAT_YAML_TEXT_H

#include "base/bytes.h"

struct yaml_text {
	struct buf out;
	size_t line;			/* where the last line begins in out */
	size_t flow;			/* column of the brace or bracket */
	bool first;			/* nothing stands behind it yet */
};

void yaml_put(struct yaml_text *, const char *);
void yaml_put_number(struct yaml_text *, uint64_t);
void yaml_put_hex(struct yaml_text *, uint64_t);

/* A string, quoted if it must be; in braces or brackets a comma counts too. */
void yaml_put_string(struct yaml_text *, struct prof_span, bool in_flow);

/* Begins a line with so many spaces, or with "- " as the last two of them. */
void yaml_line(struct yaml_text *, size_t indent);
void yaml_item(struct yaml_text *, size_t indent);

/* "Key:" and spaces up to its value. */
void yaml_key(struct yaml_text *, const char *key);

/* Braces or brackets; each member is followed by its text. */
void yaml_flow_begin(struct yaml_text *, char open);
void yaml_flow_member(struct yaml_text *);
void yaml_flow_end(struct yaml_text *, char close);

#endif
