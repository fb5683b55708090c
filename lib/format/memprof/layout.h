/*
 * format/memprof/layout.h - the heap profile's section (MemProf) of an indexed
 * file, one row a version, and its parts as they are read
 *
 * Reader, check and writer use the row and never compare version numbers.  All
 * numbers are little-endian; offsets count from the beginning of the file.  In
 * the file's order: the words of the row, the summary, the schema (u64 n, n u64
 * fields), tables or arrays, data accesses.
 *
 * Facts: IndexedMemProfData.cpp, MemProf.h, MemProf.cpp, MemProfRadixTree.h
 * and MemProfSummary.cpp of LLVM 15, 16, 19 and 22.
 */
#ifndef FORMAT_MEMPROF_LAYOUT_H
#define FORMAT_MEMPROF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "model/disk_hash_table.h"
#include "model/memprof/build.h"
#include "model/mib.h"
#include "model/name_section.h"
#include "prof.h"

/*
 * The words at the section's beginning, u64 each: all but the first are
 * offsets.  A payload is the offset of a hash table's first bucket or of an
 * array's first element; a table is the offset of a hash table's head.
 */
enum memprof_word {
	MEMPROF_VERSION,
	MEMPROF_RECORD_PAYLOAD,	/* without a word: the schema's end */
	MEMPROF_RECORD_TABLE,
	MEMPROF_FRAME_PAYLOAD,
	MEMPROF_FRAME_TABLE,
	MEMPROF_STACK_PAYLOAD,
	MEMPROF_STACK_TABLE,
	MEMPROF_DATA_ACCESS,	/* 0: there are none */
	MEMPROF_WORDS
};

/* LLVM's names of the words, for messages. */
extern const char *const memprof_word_names[MEMPROF_WORDS];

/* A hash table: the words of its offsets, and whether items have key sizes. */
struct memprof_table_layout {
	enum memprof_word payload, head;
	bool key_sizes;
};
extern const struct memprof_table_layout memprof_record_table;
extern const struct memprof_table_layout memprof_frame_table;
extern const struct memprof_table_layout memprof_stack_table;

/* How a record refers to a call stack. */
enum memprof_stack_form {
	/* u64 n, n u64 ids of frames */
	MEMPROF_FRAME_IDS,
	/* u64 id of an item of the call stack table, which is ids of frames */
	MEMPROF_STACK_IDS,
	/*
	 * u32 index of the stack's length in the radix array.  That is an array
	 * of u32 from STACK_PAYLOAD to RECORD_PAYLOAD, with indices into the
	 * array of frames, which goes from the schema to STACK_PAYLOAD
	 */
	MEMPROF_RADIX_INDEX
};

struct memprof_row {
	uint8_t version;
	uint8_t words;		/* number of words */
	uint8_t word[6];	/* enum memprof_word, in their order */
	enum memprof_stack_form stacks;
	bool summary;		/* u32 n, n u64 fields, before the schema */
	bool callees;		/* u64 n, n u64 guids after each call site */
	bool full_schema;	/* LLVM wrote all fields that it knew */
};

/* NULL if the version is unknown. */
const struct memprof_row *memprof_row(uint64_t version);
extern const unsigned memprof_newest;

/*
 * The place of a word from the section's beginning, SIZE_MAX if the version has
 * no such word; and the bytes of all words.
 */
size_t memprof_word_at(const struct memprof_row *, enum memprof_word);
size_t memprof_words_size(const struct memprof_row *);

/*
 * A frame has MEMPROF_FRAME_SIZE bytes in all versions (model/memprof/build.h).
 * An item of a hash table is: u64 hash, u64 size of the key (8), u64 size of
 * the data, u64 key, data.  The key is a function's guid or the id of a frame
 * or of a call stack, and is its own hash.  The call stack table has no sizes
 * of keys.
 */

/* Elements e from here on are jumps: the stack goes on 2^32 - e further. */
#define MEMPROF_RADIX_JUMP (UINT32_C(1) << 31)

/*
 * Schemas are sets of fields, as in model/mib.h.  All known writers list fields
 * in ascending order.  LLVM 15 writes this one; LLVM 19 to 22, by default, the
 * fields that make a context hot or cold.
 */
#define MEMPROF_SCHEMA_15 MIB_UP_TO(DATA_TYPE_ID)
#define MEMPROF_SCHEMA_HOT_COLD (MIB_BIT(ALLOC_COUNT) | MIB_BIT(TOTAL_SIZE) | \
    MIB_BIT(TOTAL_LIFETIME) | MIB_BIT(TOTAL_LIFETIME_ACCESS_DENSITY))

/* The number of fields of a schema. */
unsigned memprof_schema_fields(uint32_t schema);

/* Parts that the version does not have are all zero. */
struct memprof_section {
	const struct memprof_row *row;
	struct prof_span image;		/* of the file; the section is in it */
	size_t start;			/* offset of the section */
	uint64_t words[MEMPROF_WORDS];
	uint64_t contexts;		/* first field of the summary */
	/* The schema, in the file's order and as a set. */
	uint8_t fields[PROF_MIB_FIELDS];
	unsigned fields_size;
	uint32_t schema;
	size_t mib_size;		/* bytes of a memory info block */
	struct disk_hash records, frame_table, stack_table;
	/* Arrays: offset and number of elements. */
	size_t frames, frames_size;
	size_t radix, radix_size;
	size_t data_access;		/* offset; 0 if there are none */
	size_t tables_end;		/* offset after tables and arrays */
};

/* The frames of a section, and the frames of each call stack. */

/* An item of a table of ids. */
struct memprof_item {
	uint64_t key;
	size_t at, size;	/* offset and number of its bytes */
};

struct memprof_frames {
	const struct memprof_section *section;
	struct memprof_item *frames, *stacks;	/* tables, sorted by key */
	size_t frames_size, stacks_size;
	uint64_t *ids;		/* memprof_frame_id of each frame */
	uint32_t *walked;	/* frames of a stack: indices */
	size_t walked_size, walked_room;
};

/*
 * The call stacks of a section.  How records refer to call stacks depends on
 * the version.  Here each distinct stack gets a number, in the order of first
 * reference, and a unique id.
 */

struct memprof_stack_entry {
	uint64_t id;
	uint64_t where;		/* its place, for memprof_frames_walk */
};

struct memprof_stack_set {
	const struct memprof_section *section;
	struct memprof_frames frames;
	struct memprof_stack_entry *entries;
	size_t size, room;
	struct id_map by_place, by_id;	/* numbers of stacks */
	uint64_t frames_left;	/* that radix arrays may still have */
	struct buf ids;		/* of the frames of a stack */
};

/*
 * Usage: open, read all references to stacks, finish; then references are read
 * again, with ids, and the stacks are there.  The section must outlive the set.
 * To be closed after failure too.
 */
enum prof_status memprof_stack_set_open(struct memprof_stack_set *,
    const struct memprof_section *, struct prof_error *);

/*
 * Reads a record's reference to a stack.  Once all were read, its id is set:
 * the id in the file, else memprof_stack_id or, if another stack has that, the
 * next free number.
 *
 * Since stacks in a radix array share frames, a small file could have very long
 * ones: PROF_E_LIMIT if all together exceed a limit.
 */
enum prof_status memprof_stack_set_read(struct memprof_stack_set *,
    struct cursor *, uint64_t *id, struct prof_error *);

/*
 * To be called once, when all references were read.  Of stacks with the same
 * frames at several places, the first one stays.
 */
enum prof_status memprof_stack_set_finish(struct memprof_stack_set *,
    struct prof_error *);

/*
 * Sets the stack with that number, whose frames are in the arena.  Its frames
 * are numbered; the numbers are valid until another stack is set.
 */
enum prof_status memprof_stack_set_item(struct memprof_stack_set *,
    size_t number, struct arena *, struct prof_stack *, struct prof_error *);

void memprof_stack_set_close(struct memprof_stack_set *);

/* Data accesses and cold symbols (DataAccessProf.cpp, LLVM 21 and 22). */
struct memprof_section_data {
	struct names strings;
	/* Symbols and file names come first, then the cold symbols. */
	size_t strings_size, cold_size;
	size_t next_cold;
	struct cursor cold_hashes;	/* u64 each */
	struct cursor records;
	uint64_t records_size, next_record;
	size_t end;			/* offset after the last record */
};

#endif
