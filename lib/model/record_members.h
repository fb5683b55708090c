/*
 * model/record_members.h - the members of records as tables
 *
 * A struct record_object describes a record, or an object inside of one: the
 * name of each member in a stream (prof-stream(5)), its type, and its place in
 * the structure.  The stream codec reads and writes records by these rows and
 * knows their keys from them; record_copy (model/record_copy.h) copies what
 * they point to.  The rows stand in the order of prof-stream(5), in which
 * members are written and read.
 */
#ifndef MODEL_RECORD_MEMBERS_H
#define MODEL_RECORD_MEMBERS_H

#include "prof.h"

enum member_type {
	MEMBER_NUMBER,		/* uint64_t */
	MEMBER_NUMBER32,	/* uint32_t */
	MEMBER_ID,		/* uint64_t as "0x..." */
	MEMBER_FLAG,		/* bool */
	MEMBER_BITS,		/* unsigned: bit i is true under keys[i] */
	MEMBER_WORD,		/* enum: words[i]; words[0] may be "", absent */
	MEMBER_TEXT,		/* const char *, borrowed */
	MEMBER_HEX,		/* prof_span, in hex */
	MEMBER_BYTES,		/* prof_span, in hex under hex_key if need be */
	MEMBER_SYMBOL,		/* prof_symbol: bytes, or guid_key */
	MEMBER_NUMBERS,		/* const uint64_t *, and its size */
	MEMBER_IDS,		/* the same as "0x..." */
	MEMBER_OBJECT,		/* a structure inside of this one */
	MEMBER_LIST,		/* array of structures, and its size */
	/* Types of one or two members. */
	MEMBER_STREAM_VERSION,	/* of prof-stream(5); in no structure */
	MEMBER_FRONTEND,	/* prof_header: a range of versions */
	MEMBER_ENDIAN,		/* uint8_t: 'l', 'b' or 0 */
	MEMBER_POINTER_BITS,	/* uint8_t: 32, 64 or 0 */
	MEMBER_VALUES,		/* prof_sites of each kind of values */
	MEMBER_VTABLE,		/* prof_symbol of a prof_vtable */
	MEMBER_SYMBOLS,		/* as MEMBER_LIST, of prof_symbol */
	MEMBER_SEGMENT_ID,	/* uint64_t */
	MEMBER_SEGMENT_RANGE,	/* no member: compares start and end */
	MEMBER_PCS,		/* prof_stack: pcs and their segments */
	MEMBER_FRAMES,		/* as MEMBER_LIST, of prof_frame */
	MEMBER_STACK_FRAMES,	/* no member: compares pcs and frames */
	MEMBER_FRAME_NUMBERS,	/* prof_frame: lines and columns */
	MEMBER_INLINE,		/* prof_frame: a bit of the flags */
	MEMBER_INFO,		/* prof_mib */
	MEMBER_GUID,		/* prof_symbol: its guid, computed if need be */
	MEMBER_DATA,		/* prof_data: a symbol, or a hash */
	MEMBER_TYPES
};

enum member_presence {
	MEMBER_OPTIONAL,	/* written unless 0 or empty */
	MEMBER_REQUIRED,	/* refused if missing, always written */
	MEMBER_ALWAYS,		/* 0 or empty if missing, always written */
	MEMBER_IF_FLAG,		/* part of a group that is there as a whole */
};

struct record_object;

struct record_member {
	const char *key, *hex_key, *guid_key;	/* NULL if there is none */
	const char *const *keys;	/* more keys of the row, or NULL */
	size_t keys_size;
	enum member_type type;
	enum member_presence presence;
	size_t offset;			/* of the value in the structure */
	size_t size_offset;		/* lists: of the size_t */
	size_t flag_offset;		/* IF_FLAG: of the bool of the group */
	uint64_t min;			/* optional numbers: 0 if missing */
	const char *const *words;
	size_t words_size;
	const struct record_object *object;	/* of OBJECT, and of lists */
};

struct record_object {
	const char *record;		/* type of the record; NULL if none */
	enum prof_record_kind kind;	/* of that record */
	size_t size;			/* of the structure */
	const struct record_member *members;
	size_t members_size;
	/* Unknown keys are looked for before this member is read. */
	size_t unknown_at;
	/* They are kept in a prof_span at extra_offset, and not reported. */
	bool has_extra;
	size_t extra_offset;
};

/* The records that have members, in the order of enum prof_record_kind. */
enum { RECORD_OBJECTS = 13 };
extern const struct record_object *const record_objects[RECORD_OBJECTS];

/* The table of a record of that kind; NULL if it has none. */
const struct record_object *record_object_of(enum prof_record_kind);

/* The value of a member in a structure. */
static inline void *
member_at(void *structure, size_t offset)
{
	return (char *)structure + offset;
}

static inline const void *
member_from(const void *structure, size_t offset)
{
	return (const char *)structure + offset;
}

/* The number of items of a list. */
static inline size_t
member_list_size(const void *structure, const struct record_member *m)
{
	return *(const size_t *)member_from(structure, m->size_offset);
}

#endif
