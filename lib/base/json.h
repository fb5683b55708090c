/*
 * base/json.h - JSON text to a tree of values (RFC 8259), read by key
 *
 * Errors name line and key: "values.mem_op_size[0][1].count: -1 is not a whole
 * number ..."
 *
 * Integers above 2^53 - 1, or below its negative, are strings of their digits,
 * as streams write them, so that integers of any size are exact.  Refused are,
 * besides what is no JSON: objects with duplicate keys, U+0000 in strings,
 * surrogates without their other half, reals above the range of a double, and
 * more than JSON_PARSER_MAX_DEPTH values inside of each other.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>

#include "base/arena.h"
#include "base/bytes.h"

/* All zero is no document.  Strings are borrowed until the next load. */
struct jdoc {
	struct arena arena;		/* all that jansson allocates */
	struct buf text;		/* what jansson reads */
	json_t *root;
	uint64_t line;
	struct prof_error *err;		/* where the functions below report */
};

/*
 * A value and the path to it.  The value that it was taken from (up) must live
 * longer: both are meant to be locals of functions that call each other.
 */
struct jval {
	struct jdoc *doc;
	json_t *value;			/* NULL if it is missing */
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

/* Appends the value as `jq -c` 1.6 prints it; keys are sorted. */
void jval_put(struct buf *, const struct jval *);

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
