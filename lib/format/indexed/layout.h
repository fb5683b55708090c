/*
 * format/indexed/layout.h - the table of indexed versions
 *
 * A version is one row: reading, writing, checking, salvage, look-up and the
 * recognition of programs ask the row and never compare numbers.  The hash
 * rule, the summary rule and the MemProf versions that go with a version are
 * those of the LLVM that introduced it: model/releases.h.  Facts:
 * InstrProfReader.cpp, InstrProfWriter.cpp and InstrProf.h of the releases
 * named in format/indexed/layout.c.
 */
#ifndef FORMAT_INDEXED_LAYOUT_H
#define FORMAT_INDEXED_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "\xfflprofi\x81", always little-endian like all that follows. */
#define INDEXED_MAGIC 0x8169666F72706CFF

/* Sections behind the hash table, whose offsets are in the header. */
enum indexed_section {
	INDEXED_NO_SECTION,		/* ends a list of sections */
	INDEXED_MEMPROF,
	INDEXED_BINARY_IDS,
	INDEXED_TRACES,
	INDEXED_VTABLE_NAMES,
	INDEXED_SECTIONS
};

struct indexed_section_facts {
	const char *offset_name;	/* in LLVM's sources, for messages */
	const char *subject;		/* for messages */
	/*
	 * The variant bit that says that there is such a section; 0: there is
	 * always one, and it begins with its size in bytes.
	 */
	uint64_t variant;
};

extern const struct indexed_section_facts indexed_sections[INDEXED_SECTIONS];

/* Bytes of the header up to HashOffset, the same in all versions. */
enum { INDEXED_HEADER_MIN = 40 };

struct indexed_row {
	uint8_t version;
	/* Header members behind HashOffset: offsets of these sections. */
	uint8_t header[INDEXED_SECTIONS];
	/* The same sections in the order in which they stand in the file. */
	uint8_t file[INDEXED_SECTIONS];
	bool summary;			/* else MaxFunctionCount is used */
	/*
	 * Members of a record beside hash and counters (record.h).  With
	 * NumCounts, several records fit a name.
	 */
	bool num_counts;
	bool bitmap;
	/* Value kinds that a record can hold; 0: it has no value data. */
	uint8_t value_kinds;
	uint64_t variants;		/* bits 32 to 63 that are written */

	/* The bytes that LLVM writes beyond what readers need. */
	bool shrinks;			/* fits the filled hash table */
	bool sorted_names;		/* else the order of a StringMap */
	uint32_t (*map_hash)(uint64_t function_hash);	/* of a DenseMap */
};

/* NULL if the version is unknown. */
const struct indexed_row *indexed_row(uint64_t version);

/* Whether files of the version can have a section. */
bool indexed_row_has(const struct indexed_row *, enum indexed_section);

/* The first version whose files can have a section. */
unsigned indexed_first_with(enum indexed_section);

/* Bytes of the header. */
size_t indexed_header_size(const struct indexed_row *);

/* Offset in the header of a section's offset, which is there. */
size_t indexed_offset_at(const struct indexed_row *, enum indexed_section);

#endif
