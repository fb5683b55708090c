/*
 * format/memprof-raw/layout.h - bytes of a raw heap profile, one row a version
 *
 * A file holds one or more dumps.  A dump is a header and three sections; a
 * section is a u64 count, its entries, and zeros up to a multiple of 8.  All
 * numbers are in the program's byte order.  Reading, checking, salvaging and
 * writing use the row of the version and never compare version numbers.
 *
 * Facts: MemProfData.inc and MIBEntryDef.inc of the releases named in layout.c,
 * and what their runtimes write.
 */
#ifndef FORMAT_MEMPROF_RAW_LAYOUT_H
#define FORMAT_MEMPROF_RAW_LAYOUT_H

#include "base/bytes.h"
#include "prof.h"

/* MemProfData.inc, MEMPROF_RAW_MAGIC_64. */
#define MRAW_MAGIC UINT64_C(0xFF6D70726F667281)

/* The sections, in their order. */
enum mraw_section { MRAW_SEGMENTS, MRAW_BLOCKS, MRAW_STACKS, MRAW_SECTIONS };

/*
 * The header's members, u64 each, in all versions.  Offsets of sections count
 * from the beginning of the dump.
 */
enum mraw_header {
	MRAW_HEADER_MAGIC,
	MRAW_HEADER_VERSION,
	MRAW_HEADER_TOTAL_SIZE,
	MRAW_HEADER_OFFSETS,		/* one for each section */
	MRAW_HEADER_MEMBERS = MRAW_HEADER_OFFSETS + MRAW_SECTIONS
};

enum {
	MRAW_HEADER = 8 * MRAW_HEADER_MEMBERS,	/* bytes */
	MRAW_COUNT = 8,		/* bytes of a section's count */
	MRAW_BLOCK_ID = 8,	/* bytes of the stack id before a block */
	MRAW_STACK = 16,	/* bytes of a stack's id and number of PCs */
	MRAW_PC = 8,
	MRAW_BUILD_ID_MAX = 32	/* bytes that a segment has room for */
};

/* LLVM's name of the offset, and a name of the entries, for messages. */
struct mraw_section_names {
	const char *offset, *entries;
};
extern const struct mraw_section_names mraw_sections[MRAW_SECTIONS];

/* Offsets of the members of a segment entry, u64 but for the build id. */
struct mraw_segment_layout {
	uint8_t start, end, offset;
	uint8_t build_id_size, build_id;	/* 0: it has none */
	uint8_t size;				/* bytes of the entry */
};

struct mraw_row {
	uint8_t version;
	struct mraw_segment_layout segment;
	/* `offset` of a segment is one in its file, not the load bias. */
	bool file_addresses;
	/*
	 * Fields of a memory info block, packed in order of their numbers: bits
	 * 1 << field.  AccessHistogram is an address without meaning.
	 */
	uint32_t fields;
	uint32_t unknown;	/* fields whose values are wrong */
	uint8_t block_size;	/* bytes of all fields */
	uint8_t histogram_width;	/* bytes of an entry; 0: none */
};

/* NULL if the version is unknown. */
const struct mraw_row *mraw_row(uint64_t version);

/* The versions that are read; those written are in format/codec.h. */
extern const unsigned mraw_oldest, mraw_newest;

/* A member of the header of the dump at `dump`. */
static inline uint64_t
mraw_header_member(const uint8_t *dump, unsigned member, bool big)
{
	return load_u64(dump + 8 * (size_t)member, big);
}

/* Offset of AccessHistogramSize among the fields: before the address. */
static inline size_t
mraw_histogram_size_at(const struct mraw_row *row)
{
	return row->block_size - 12u;
}

/*
 * Counts of 16-bit histograms: a mantissa of 12 bits, and above it the number
 * of bits that it is shifted by (LLVM 22, MemProfData.inc).  Encoding rounds
 * up, or down to the largest.
 */
uint16_t mraw_scale(uint64_t count);

static inline uint64_t
mraw_unscale(uint16_t scaled)
{
	return (uint64_t)(scaled & 0xfff) << (scaled >> 12);
}

#endif
