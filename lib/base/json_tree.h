/*
 * base/json_tree.h - JSON text to a tree of values (RFC 8259)
 *
 * Numbers keep their digits, so that integers of any size are exact.  Refused
 * are, besides what is no JSON: objects with duplicate keys, U+0000 in strings,
 * surrogates without their other half, reals above the range of a double, and
 * more than JSON_DEPTH_MAX values inside of each other.
 */
#ifndef BASE_JSON_TREE_H
#define BASE_JSON_TREE_H

#include "base/arena.h"

enum { JSON_DEPTH_MAX = 2048 };

enum json_type {
	JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INTEGER, JSON_REAL, JSON_STRING,
	JSON_LIST, JSON_OBJECT
};

struct json_value {
	enum json_type type;
	/* In an object: UTF-8, which ends with NUL behind its size. */
	struct prof_span key;
	/*
	 * A string, like a key, without quotes and escapes; the literal of a
	 * number, which ends with NUL likewise.
	 */
	struct prof_span text;
	const struct json_value *items;	/* of a list or object, in order */
	size_t count;
};

/* All zero is a parser without a tree. */
struct json_parser {
	struct arena arena;		/* values and strings of the tree */
	struct json_value *open;	/* values of open containers */
	size_t size, room;
	struct prof_span text;
	size_t at;			/* offset in the text */
	unsigned depth;
	struct prof_error *err;
};

/*
 * The value that a text is, or NULL: PROF_E_CORRUPT with a reason that gives
 * the place as a number of bytes before it, or PROF_E_MEMORY.  The tree lives
 * until the next call.
 */
const struct json_value *json_parse(struct json_parser *, struct prof_span text,
    struct prof_error *);
void json_parser_free(struct json_parser *);

#endif
