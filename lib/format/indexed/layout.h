/*
 * format/indexed/layout.h - what differs from one indexed version to the next
 *
 * One row a version; reader and writer ask the row and never compare numbers.
 * Facts: InstrProfReader.cpp, InstrProfWriter.cpp and InstrProf.h of the
 * releases named in format/indexed/layout.c.
 */
#ifndef FORMAT_INDEXED_LAYOUT_H
#define FORMAT_INDEXED_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/summary.h"

/* "\xfflprofi\x81", always little-endian like all that follows. */
#define INDEXED_MAGIC 0x8169666F72706CFF

/* Sections that the header gives offsets of, in the order of the header. */
enum indexed_section {
	INDEXED_MEMPROF,
	INDEXED_BINARY_IDS,
	INDEXED_TRACES,
	INDEXED_VTABLE_NAMES,
	INDEXED_SECTIONS
};

/* Name of a section's offset as LLVM has it, for messages. */
extern const char *const indexed_offset_names[INDEXED_SECTIONS];

/* The sections in the order in which all known writers lay them down. */
extern const uint8_t indexed_file_order[INDEXED_SECTIONS];

/* Bytes of the header up to HashOffset, the same in all versions. */
enum { INDEXED_HEADER_MIN = 40 };

struct indexed_row {
	uint8_t version;
	uint8_t sections;	/* how many of the offsets it has */
	bool summary;		/* else MaxFunctionCount in the header */
	/* A record says how many counters it has, so several fit a name. */
	bool num_counts;
	bool bitmap;
	/* Value kinds that a record can hold; 0: it has no value data. */
	uint8_t value_kinds;
	/* The LLVM that reads the version but not the last kind, if any. */
	const char *refuses_vtables;
	uint64_t variants;	/* bits 32 to 63 that are written */
	/*
	 * MemProf versions, and the largest field of a schema, that the first
	 * LLVM to read the version knows.
	 */
	uint8_t memprof_first, memprof_last, memprof_field;

	/* Indexed versions whose front-end hash rule it stands for. */
	uint8_t frontend_first, frontend_last;
	/* The same for a profile with MC/DC bitmaps. */
	uint8_t bitmap_first, bitmap_last;
	/* Front-end hashes have no flag bits; with them, they are older. */
	bool masked_hashes;

	/* What makes the bytes those of the LLVM that wrote the version. */
	enum summary_rule summary_rule;
	bool shrinks;		/* the hash table, once it is filled */
	bool sorted_names;	/* else as they leave a StringMap */
	uint32_t (*map_hash)(uint64_t function_hash);	/* of a DenseMap */
};

/* NULL if the version is unknown. */
const struct indexed_row *indexed_row(uint64_t version);

/* Bytes of the header, and where in it a section's offset is. */
size_t indexed_header_size(const struct indexed_row *);
size_t indexed_offset_at(enum indexed_section);

#endif
