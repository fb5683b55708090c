/*
 * format/memprof/layout.h - the heap profile's section (MemProf) of an indexed
 * file, one row a version
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

#include "model/memprof/summary.h"
#include "model/mib.h"
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
 * A frame has MEMPROF_FRAME_SIZE bytes in all versions (model/memprof/ids.h).
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

#endif
