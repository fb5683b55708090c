/*
 * format/stream/member.h - objects of the stream as tables of their members
 *
 * A struct stream_object describes a record, or an object inside of one.  Its
 * rows stand in the order of prof-stream(5), in which members are written and
 * read.  Reading, writing and the list of known keys all follow the rows; a row
 * with functions of its own stands for members that no type below describes.
 *
 * Lines of functions are also written and scanned by hand (function.c, scan.c),
 * and those of stacks and allocations scanned (scan_heap.c), for speed.
 */
#ifndef FORMAT_STREAM_MEMBER_H
#define FORMAT_STREAM_MEMBER_H

#include "format/stream/stream.h"

enum stream_type {
	STREAM_OWN,		/* only the row's own functions */
	STREAM_NUMBER,		/* uint64_t */
	STREAM_NUMBER32,	/* uint32_t */
	STREAM_ID,		/* uint64_t as "0x..." */
	STREAM_FLAG,		/* bool */
	STREAM_BITS,		/* unsigned: bit i is true under keys[i] */
	STREAM_WORD,		/* enum: words[i]; words[0] may be "", absent */
	STREAM_TEXT,		/* const char *, borrowed */
	STREAM_HEX,		/* prof_span, in hex */
	STREAM_BYTES,		/* prof_span, in hex under hex_key if need be */
	STREAM_SYMBOL,		/* prof_symbol: bytes, or guid_key */
	STREAM_NUMBERS,		/* const uint64_t *, and its size */
	STREAM_IDS,		/* the same as "0x..." */
	STREAM_OBJECT,		/* a structure inside of this one */
	STREAM_LIST,		/* array of structures, and its size */
};

enum stream_presence {
	STREAM_OPTIONAL,	/* written unless 0 or empty */
	STREAM_REQUIRED,	/* refused if missing, always written */
	STREAM_ALWAYS,		/* 0 or empty if missing, always written */
	STREAM_IF_FLAG,		/* part of a group that is there as a whole */
};

struct stream_member;
struct stream_object;

typedef enum prof_status stream_parse_member(struct stream_record *,
    const struct jval *object, const struct stream_member *, void *structure);
typedef void stream_put_member(struct stream_output *,
    const struct stream_member *, const void *structure);

struct stream_member {
	const char *key, *hex_key, *guid_key;	/* NULL if there is none */
	const char *const *keys;	/* more keys of the row, or NULL */
	size_t keys_size;
	enum stream_type type;
	enum stream_presence presence;
	size_t offset;			/* of the value in the structure */
	size_t size_offset;		/* lists: of the size_t */
	size_t flag_offset;		/* IF_FLAG: of the bool of the group */
	uint64_t min;			/* optional numbers: 0 if missing */
	const char *const *words;
	size_t words_size;
	const struct stream_object *object;	/* of OBJECT, LIST */
	stream_parse_member *parse;	/* instead of the type's; or NULL */
	stream_put_member *put;
};

struct stream_object {
	const char *record;		/* type of the record; NULL if none */
	enum prof_record_kind kind;	/* of that record */
	size_t size;			/* of the structure */
	const struct stream_member *members;
	size_t members_size;
	/* Unknown keys are looked for before this member is read. */
	size_t unknown_at;
	/* They are kept in a prof_span at extra_offset, and not reported. */
	bool has_extra;
	size_t extra_offset;
	/* What no single member can tell; or NULL. */
	enum prof_status (*check)(const struct jval *, const void *structure);
};

/* How rows say where their values are. */
#define STREAM_AT(type, member)	.offset = offsetof(struct type, member)
#define STREAM_LIST_AT(type, member, count) \
	.offset = offsetof(struct type, member), \
	.size_offset = offsetof(struct type, count)
#define STREAM_GROUP(type, member) \
	.presence = STREAM_IF_FLAG, .flag_offset = offsetof(struct type, member)
#define STREAM_MEMBERS(rows) \
	.members = (rows), .members_size = sizeof(rows) / sizeof((rows)[0])

enum prof_status stream_parse_object(struct stream_record *,
    const struct jval *, const struct stream_object *, void *structure);

/* Appends the members, without braces. */
void stream_put_object(struct stream_output *, const struct stream_object *,
    const void *structure);

/*
 * Parts that rows with functions of their own are made of.
 *
 * Reports the first unknown key of a stream, once; known ends with NULL.
 */
void stream_warn_unknown(struct stream_record *, const struct jval *object,
    const char *const known[]);

/*
 * The bytes of a string under key, or in hex under hex_key; data is NULL if
 * there is neither.  Empty strings are refused.
 */
enum prof_status stream_parse_bytes(struct stream_record *,
    const struct jval *object, const char *key, const char *hex_key,
    struct prof_span *);

/* A list of numbers; fails if list is missing. */
enum prof_status stream_parse_numbers(struct stream_record *,
    const struct jval *list, const uint64_t **, size_t *size);

/* A number up to max; 0 if it is missing. */
enum prof_status stream_parse_limited(const struct jval *, uint64_t max,
    uint64_t *);

/* A number from min to max; 0 if it is missing. */
enum prof_status stream_parse_bounded(const struct jval *, uint64_t min,
    uint64_t max, uint64_t *);

/* The keys under which a symbol stands: its name, or else its guid. */
struct stream_symbol_keys {
	const char *name, *hex, *guid;
};
extern const struct stream_symbol_keys stream_symbol, stream_target;

/* If there are both name and guid, they have to agree. */
enum prof_status stream_parse_symbol(struct stream_record *,
    const struct jval *object, const struct stream_symbol_keys *,
    struct prof_symbol *);

/* An empty name is no name to a reader: the guid stands for it. */
void stream_put_symbol(struct buf *, const struct stream_symbol_keys *,
    const struct prof_symbol *);

/* Appends the text of unknown members, if there are any. */
void stream_put_extra(struct buf *, struct prof_span);

#endif
