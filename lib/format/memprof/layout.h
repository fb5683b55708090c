/*
 * format/memprof/layout.h - the heap profile (MemProf) of an indexed file
 *
 * What differs from one version of the section to the next; reader and writer
 * ask the row and never compare numbers.  All is little-endian; offsets count
 * from the beginning of the file.  In the file's order: the words of the row,
 * the summary, the schema (u64 n, n u64 fields), the tables, data accesses.
 * Facts: IndexedMemProfData.cpp, MemProf.h, MemProf.cpp, MemProfRadixTree.h
 * and MemProfSummary.cpp of LLVM 15, 16, 19 and 22.
 */
#ifndef FORMAT_MEMPROF_LAYOUT_H
#define FORMAT_MEMPROF_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/memprof/summary.h"
#include "prof.h"

/*
 * The words at the section's beginning, u64 each.  A payload is where the first
 * bucket of a hash table is, or the first element of an array; a table is where
 * the head of a hash table is.
 */
enum memprof_word {
	MEMPROF_VERSION,
	MEMPROF_RECORD_PAYLOAD,	/* behind the schema if there is no word */
	MEMPROF_RECORD_TABLE,
	MEMPROF_FRAME_PAYLOAD,
	MEMPROF_FRAME_TABLE,
	MEMPROF_STACK_PAYLOAD,
	MEMPROF_STACK_TABLE,
	MEMPROF_DATA_ACCESS,	/* 0: there are none */
	MEMPROF_WORDS
};

/* The words as LLVM calls them, for messages. */
extern const char *const memprof_word_names[MEMPROF_WORDS];

/* How a record names a call stack. */
enum memprof_stack_form {
	/* u64 n, n u64 ids of frames */
	MEMPROF_FRAME_IDS,
	/* u64 id of an item of the call stack table, which has ids of frames */
	MEMPROF_STACK_IDS,
	/*
	 * u32 index of the stack's length in the radix array, an array of u32
	 * from STACK_PAYLOAD to RECORD_PAYLOAD, which has indexes of frames;
	 * frames are an array from the schema to STACK_PAYLOAD
	 */
	MEMPROF_RADIX_INDEX
};

struct memprof_row {
	uint8_t version;
	uint8_t words;		/* how many of them there are */
	uint8_t word[6];	/* which: enum memprof_word */
	enum memprof_stack_form stacks;
	bool summary;		/* u32 n, n u64 fields, before the schema */
	bool callees;		/* call sites: u64 n, n u64 guids behind */
	bool full_schema;	/* no writer chose another */
};

/* NULL if the version is unknown. */
const struct memprof_row *memprof_row(uint64_t version);
extern const unsigned memprof_oldest, memprof_newest;

/*
 * Where a word is, from the section's beginning; SIZE_MAX if there is none.
 * And where the words end.
 */
size_t memprof_word_at(const struct memprof_row *, enum memprof_word);
size_t memprof_words_size(const struct memprof_row *);

/*
 * A frame has MEMPROF_FRAME_SIZE bytes in all versions (model/memprof/ids.h).  Items
 * of the hash tables: u64 hash, u64 size of the key (8), u64 size of the data,
 * u64 key, data.  The key is its own hash: a function's guid, a frame's id, a
 * call stack's id.  The call stack table leaves out the size of the key.
 */

/* An element of the radix array that is no frame: forward by 2^32 - e. */
#define MEMPROF_RADIX_JUMP (UINT32_C(1) << 31)

/*
 * Schemas as sets of fields: bit 1 << N for field N of enum prof_mib_field, as
 * in struct prof_mib.  All known writers list fields in ascending order.
 */
enum {
	MEMPROF_SCHEMA_15 = (1 << 20) - 2,	/* 1 to 19; LLVM 15 */
	MEMPROF_SCHEMA_16 = (1 << 26) - 2,	/* 1 to 25; LLVM 16 to 18 */
	MEMPROF_SCHEMA_19 = (1 << 28) - 2,	/* 1 to 27; LLVM 19 to 22 */
	MEMPROF_SCHEMA_HOT_COLD = 1 << PROF_MIB_ALLOC_COUNT |
	    1 << PROF_MIB_TOTAL_SIZE | 1 << PROF_MIB_TOTAL_LIFETIME |
	    1 << PROF_MIB_TOTAL_LIFETIME_ACCESS_DENSITY
};

/* How many fields a schema has. */
unsigned memprof_schema_fields(uint32_t schema);

#endif
