/*
 * model/record.h - records of all formats: their members as tables, copies,
 * names by reference, classes, and the words for kinds and attributes
 *
 * A struct record_object describes a record, or an object inside of one: the
 * name of each member in a stream (prof-stream(5)), its type, and its place in
 * the structure.  The stream codec reads and writes records by these rows and
 * knows their keys from them; record_copy copies what they point
 * to.  The rows stand in the order of prof-stream(5), in which members are
 * written and read.
 */
#ifndef MODEL_RECORD_H
#define MODEL_RECORD_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/error.h"
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

/* Copies of all that a record points to. */

/*
 * Replaces all that the structure of a record, a member of prof_record.u,
 * points to by copies in the arena.  NULL stays NULL, and an empty array does
 * not become NULL, but a copy of a stack has no frame_numbers.  Kinds without a
 * table of members (record_object_of) must not be passed.  False if out
 * of memory.
 */
bool record_copy(struct arena *, enum prof_record_kind, void *structure);

/*
 * The error of who needs functions and meets the counters of a correlated
 * profile, whose functions only the binary has.
 */
enum prof_status record_refuse_counters(struct prof_error *);

/*
 * The names that a record has by reference.
 *
 * A reference takes a few bytes of an input, and the name that a reader puts in
 * its place may be long, as often as there are references.
 */

/*
 * Bytes of the names of value targets, vtables, traces and data accesses, and
 * of names and of files of frames as far as those of a call stack are longer
 * than RECORD_FRAME_NAME on average.  Contexts of a heap profile share most of
 * their frames, so that the names of sound ones add up to hundreds of times the
 * bytes of the file: up to that average they do not count, and those of longer
 * ones may still have 250 times the bytes of the file.  A function's own name
 * does not count.  Of a block, names of functions count that are the one before
 * again, and those of targets do not.
 */
enum { RECORD_FRAME_NAME = 256 };

uint64_t record_names_size(const struct prof_record *);

/* Bytes of the names of value targets. */
uint64_t record_names_of_targets(const struct prof_function *);

/* Whether that may be more than 0; false for most functions. */
static inline bool
record_may_have_names(const struct prof_record *r)
{
	const struct prof_sites *sites = r->u.function.values;

	return r->kind != PROF_REC_FUNCTION ||
	    sites[PROF_INDIRECT_CALL_TARGET].size != 0 ||
	    sites[PROF_VTABLE_TARGET].size != 0;
}

/*
 * Which records of one function can be added up.
 *
 * Records of one function are added if they are of one class: if their numbers
 * of counters and the like are equal.  Of two classes the higher one stays: the
 * one whose record is not empty, then the one with more counters, then with
 * more bitmap bytes, uniform counters, value sites, sites of the first kinds,
 * and with ordinary rather than pseudo counts.
 */

/* The numbers of a class in the order in which they are compared. */
enum { CLASS_COUNTERS, CLASS_BITMAP, CLASS_UNIFORM, CLASS_SITES,
	CLASS_KIND_SITES, CLASS_ORDINARY = CLASS_KIND_SITES + PROF_VALUE_KINDS,
	CLASS_SIZE };

struct function_class {
	uint64_t n[CLASS_SIZE];
};

struct function_class function_class_of(const struct prof_function *);

/* Sets the number of all value sites, and the number of each kind. */
void function_class_set_sites(struct function_class *,
    const size_t sites[PROF_VALUE_KINDS]);

/* Above 0 if the first class has the larger number, 0 if they are equal. */
int function_class_compare(const struct function_class *,
    const struct function_class *);

/*
 * Whether a record has nothing but zeros: no counter, no bit and no value.
 * Such a record says no more than its absence.
 */
bool function_is_empty(const struct prof_function *);

/*
 * The words that stand for kinds and attributes of profiles.
 *
 * One list each, by the enums of prof.h: streams, manifests and the JSON output
 * of the programs have the same words (prof-stream(5)).
 */

enum { WORDS_KINDS = 3, WORDS_LEVELS = 3 };

extern const char *const words_kind[WORDS_KINDS];
extern const char *const words_level[WORDS_LEVELS];	/* unknown: "" */
/* For messages, as "an IR profile"; unknown: NULL. */
extern const char *const words_level_profile[WORDS_LEVELS];
extern const char *const words_value_kind[PROF_VALUE_KINDS];
/* LLVM's, in text profiles: "IPVK_MemOPSize" (InstrProfData.inc). */
extern const char *const words_value_kind_llvm[PROF_VALUE_KINDS];

/*
 * Item i stands for attribute 1 << i of prof_header.flags: as a JSON key, and
 * in text for people.
 */
extern const char *const words_flag[PROF_FLAGS];
extern const char *const words_flag_text[PROF_FLAGS];

/*
 * The variant bits of a version word.
 *
 * The bits are the same in raw and indexed profiles (InstrProf.h,
 * VARIANT_MASK_*, LLVM 22) and become flags of struct prof_header.
 */

#define VARIANT_LOOP_ENTRIES		((uint64_t)1 << 55)	/* LLVM 20 */
#define VARIANT_IR			((uint64_t)1 << 56)	/* LLVM 3.9 */
#define VARIANT_CONTEXT_SENSITIVE	((uint64_t)1 << 57)	/* LLVM 9 */
#define VARIANT_ENTRY_FIRST		((uint64_t)1 << 58)	/* LLVM 11 */
#define VARIANT_DEBUG_INFO_CORRELATED	((uint64_t)1 << 59)	/* LLVM 14 */
#define VARIANT_BYTE_COVERAGE		((uint64_t)1 << 60)	/* LLVM 14 */
#define VARIANT_FUNCTION_ENTRY_ONLY	((uint64_t)1 << 61)	/* LLVM 14 */
#define VARIANT_MEMPROF			((uint64_t)1 << 62)	/* LLVM 15 */
#define VARIANT_TEMPORAL		((uint64_t)1 << 63)	/* LLVM 17 */

/* Flags of struct prof_header for the bits of a version word, and back. */
unsigned variants_to_flags(uint64_t version_word);
uint64_t variants_from_flags(unsigned flags);

/* Lines of a stream that are about a sum's inputs. */

/*
 * Whether a record that readers do not know (PROF_REC_OTHER) is of the account
 * of a part, `part` or `bad` (plan/account.h), which is its first member.
 */
bool is_account_line(struct prof_span line);

/* Whether it is the first one of an account, `part`. */
bool is_account_start(struct prof_span line);

/*
 * Members of a frame in JSON: file, lines and columns.
 *
 * Streams and `prof-show --json` have them under the same keys and in the same
 * order.
 */

/* The numbers that a frame may have, and the flag that says that it does. */
enum { FRAME_NUMBERS = 5 };

struct frame_member {
	unsigned flag;			/* PROF_FRAME_LINE ... */
	size_t offset;			/* of the uint32_t in prof_frame */
};

extern const struct frame_member frame_numbers[FRAME_NUMBERS];
extern const char *const frame_number_keys[FRAME_NUMBERS];

static inline uint32_t *
frame_number_of(struct prof_frame *f, size_t i)
{
	return (uint32_t *)(void *)((char *)f + frame_numbers[i].offset);
}

/* Appends the numbers that the frame has. */
void frame_put_numbers(struct buf *, const struct prof_frame *);

/* Appends the file and the numbers, as far as the frame has them. */
void frame_put_location(struct buf *, const struct prof_frame *);

/*
 * A function of the IR level with this bit in its hash is context-sensitive
 * (InstrProf.h, NamedInstrProfRecord::CS_FLAG_IN_FUNC_HASH).
 */
#define HASH_CONTEXT_SENSITIVE	((uint64_t)1 << 60)

static inline bool
record_context_sensitive(enum prof_level level, uint64_t hash)
{
	return level == PROF_LEVEL_IR && (hash & HASH_CONTEXT_SENSITIVE) != 0;
}

/* The name of a symbol for a message, as err_name, or its guid. */
const char *symbol_words(char buf[ERR_NAME_SIZE], const struct prof_symbol *);

#endif
