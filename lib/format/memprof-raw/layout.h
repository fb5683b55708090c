/*
 * format/memprof-raw/layout.h - what differs from one version of raw heap profiles to
 * the next
 *
 * One row a version; who reads and who writes asks the row and never compares
 * numbers.  Facts: MemProfData.inc and MIBEntryDef.inc of the releases named in
 * format/memprof-raw/layout.c, and what their runtimes write.
 */
#ifndef FORMAT_MEMPROF_RAW_LAYOUT_H
#define FORMAT_MEMPROF_RAW_LAYOUT_H

#include "prof.h"

/* MemProfData.inc, MEMPROF_RAW_MAGIC_64. */
#define MRAW_MAGIC UINT64_C(0xFF6D70726F667281)

enum {
	MRAW_HEADER = 48,	/* bytes; the same in all versions */
	MRAW_BUILD_ID_MAX = 32,	/* bytes that a segment has room for */
	MRAW_STACK = 16		/* bytes of a stack without its PCs */
};

struct mraw_row {
	uint8_t version;
	uint8_t segment_size;	/* bytes of an entry */
	bool has_build_id;	/* with its size in front */
	/* Offset of a segment is one in its file, and not the load bias. */
	bool file_addresses;
	uint32_t fields;	/* of a memory info block: bit 1 << N */
	uint32_t unknown;	/* fields that hold what is of no use */
	uint8_t last_field;	/* that has a value */
	uint8_t block_size;	/* bytes of one, without the stack's id */
	uint8_t histogram_width;	/* bytes of an entry, 0: there are none */
};

/* NULL if the version is unknown. */
const struct mraw_row *mraw_row(uint64_t version);
extern const unsigned mraw_oldest, mraw_newest;		/* read */

/*
 * Counts in 16 bits: a mantissa of 12, and above it how far it is shifted (LLVM
 * 22, MemProfData.inc).  Encoding rounds up, and stops at the largest.
 */
uint16_t mraw_scale(uint64_t count);

static inline uint64_t
mraw_unscale(uint16_t scaled)
{
	return (uint64_t)(scaled & 0xfff) << (scaled >> 12);
}

#endif
