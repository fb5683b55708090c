/*
 * base/json.h - JSON text to a tree of values (RFC 8259), read by key
 *
 * Errors name line and key: "values.mem_op_size[0][1].count: -1 is not a whole
 * number ..."
 *
 * Numbers keep their digits, so that integers of any size are exact.  Refused
 * are, besides what is no JSON: objects with duplicate keys, U+0000 in strings,
 * surrogates without their other half, reals above the range of a double, and
 * more than JSON_DEPTH_MAX values inside of each other.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/arena.h"
#include "base/bytes.h"

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

/* All zero is no document.  Strings are borrowed until the next load. */
struct jdoc {
	struct json_parser parser;
	const struct json_value *root;
	uint64_t line;
	struct prof_error *err;		/* where the functions below report */
};

/*
 * A value and the path to it.  The value that it was taken from (up) must live
 * longer: both are meant to be locals of functions that call each other.
 */
struct jval {
	struct jdoc *doc;
	const struct json_value *value;	/* NULL if it is missing */
	const struct jval *up;		/* NULL for the object of the line */
	const char *key;		/* in *up; NULL in a list */
	size_t index;			/* in *up, if that is a list */
};

/* PROF_E_CORRUPT if the text is not one JSON object, or PROF_E_MEMORY. */
enum prof_status jdoc_load(struct jdoc *, struct prof_span text, uint64_t line,
    struct prof_error *);
void jdoc_free(struct jdoc *);

struct jval jdoc_root(struct jdoc *);

/* A member of an object; of anything else, all are missing. */
struct jval jval_get(const struct jval *object, const char *key);
struct jval jval_item(const struct jval *list, size_t index);

/* The member at an index, in the order of the text; missing behind the last. */
struct jval jval_member(const struct jval *object, size_t index);

static inline bool
jval_is_there(const struct jval *v)
{
	return v->value != NULL;
}

bool jval_is_object(const struct jval *);
bool jval_is_list(const struct jval *);

/*
 * Each fails with PROF_E_CORRUPT if the value is missing or of another type.
 * Strings are borrowed from the document.
 */
enum prof_status jval_object(const struct jval *);
enum prof_status jval_list(const struct jval *, size_t *size);
enum prof_status jval_string(const struct jval *, struct prof_span *);
enum prof_status jval_flag(const struct jval *, bool *);
/* 0 to 2^64 - 1, as an integer or as a decimal string. */
enum prof_status jval_number(const struct jval *, uint64_t *);
/* "0x" and 16 digits. */
enum prof_status jval_id(const struct jval *, uint64_t *);
/* Bytes in hex digits. */
enum prof_status jval_hex(const struct jval *, struct arena *,
    struct prof_span *);

/* One of the words: its index. */
enum prof_status jval_word(const struct jval *, const char *const words[],
    size_t count, size_t *index);

/* Reports "KEY: reason". */
enum prof_status jval_fail(const struct jval *, enum prof_code,
    const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A key that is not in the list, which ends with NULL; or NULL. */
const char *jval_unknown(const struct jval *object,
    const char *const known[]);

/*
 * Appends the members with unknown keys, `"k":v,"k2":v2`, sorted by key at all
 * depths, as `jq -c` 1.6 prints them; but integers above 2^53 - 1 become
 * decimal strings (json_text_number).
 */
void jval_extra(const struct jval *object, const char *const known[],
    struct buf *);

#endif
