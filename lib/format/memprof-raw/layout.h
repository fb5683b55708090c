/*
 * format/memprof-raw/layout.h - bytes of a raw heap profile, one row a version,
 * and its dumps as they are read
 *
 * A file holds one or more dumps.  A dump is a header and three sections; a
 * section is a u64 count, its entries, and zeros up to a multiple of 8.  All
 * numbers are in the program's byte order.  Reading, checking and salvaging
 * use the row of the version and never compare version numbers.
 *
 * Facts: MemProfData.inc and MIBEntryDef.inc of the releases named in dump.c,
 * and what their runtimes write.
 */
#ifndef FORMAT_MEMPROF_RAW_LAYOUT_H
#define FORMAT_MEMPROF_RAW_LAYOUT_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "format/codec.h"
#include "model/mib.h"
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

/* The versions that are read. */
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
 * of bits that it is shifted by (LLVM 22, MemProfData.inc).
 */
static inline uint64_t
mraw_unscale(uint16_t scaled)
{
	return (uint64_t)(scaled & 0xfff) << (scaled >> 12);
}

/* One dump: its header, its sections and their entries. */

struct mraw_dump {
	const struct mraw_row *row;
	struct prof_span file;		/* the whole file, other dumps too */
	bool big;			/* byte order */
	/* Offsets from the beginning of the file. */
	size_t start, end;
	size_t at[MRAW_SECTIONS];	/* of a section's first entry */
	size_t limit[MRAW_SECTIONS];	/* of the end of a section */
	uint64_t count[MRAW_SECTIONS];	/* entries */
	/*
	 * Bytes after the last entry, once the entries were checked: below 8,
	 * as padding is, unless the count is wrong.
	 */
	size_t unread[MRAW_SECTIONS];
};

/* A memory info block in the file. */
struct mraw_block {
	uint64_t stack;			/* id */
	const uint8_t *fields;		/* packed */
	const uint8_t *histogram;
	uint32_t histogram_size;	/* entries */
	size_t next;			/* offset of the next block */
};

/* A stack in the file. */
struct mraw_stack {
	uint64_t id;
	const uint8_t *pcs;
	size_t size;			/* PCs */
	size_t next;			/* offset of the next stack */
};

/* The byte order is tested here, so that each case is a single load. */
static inline uint32_t
mraw_u32(const struct mraw_dump *d, const uint8_t *p)
{
	return d->big ? load_u32(p, true) : load_u32(p, false);
}

static inline uint64_t
mraw_u64(const struct mraw_dump *d, const uint8_t *p)
{
	return d->big ? load_u64(p, true) : load_u64(p, false);
}

/* True, and the byte order, if these bytes begin a raw heap profile. */
bool mraw_magic(struct prof_span bytes, bool *big);

/*
 * Reads the header of the dump at `start` and finds its sections.  Entries are
 * not checked yet.
 */
enum prof_status mraw_dump_open(struct mraw_dump *, struct prof_span file,
    size_t start, struct prof_error *);

/*
 * As mraw_dump_open for a damaged file: the sections end with the file at the
 * latest, and their counts may exceed what is there.  A count that is cut off
 * is 0.  PROF_FAIL if the header is not whole or its offsets are wrong.
 */
enum prof_status mraw_dump_open_damaged(struct mraw_dump *,
    struct prof_span file, size_t start);

/* Check all entries, or the segments only.  To be called before the getters. */
enum prof_status mraw_dump_check(struct mraw_dump *, struct prof_error *);
enum prof_status mraw_segments_check(struct mraw_dump *, struct prof_error *);

/* The bytes of all segment entries. */
struct prof_span mraw_segment_bytes(const struct mraw_dump *);

/* Segment i, below the number of segments. */
void mraw_segment_get(const struct mraw_dump *, uint64_t i,
    struct prof_segment *);

/* The block, or the stack, at an offset of the file. */
static inline void
mraw_block_get(const struct mraw_dump *d, size_t at, struct mraw_block *b)
{
	const uint8_t *p = d->file.data + at;

	b->stack = mraw_u64(d, p);
	b->fields = p + MRAW_BLOCK_ID;
	b->histogram = b->fields + d->row->block_size;
	b->histogram_size = d->row->histogram_width == 0 ? 0 :
	    mraw_u32(d, b->fields + mraw_histogram_size_at(d->row));
	b->next = at + MRAW_BLOCK_ID + d->row->block_size +
	    (size_t)b->histogram_size * d->row->histogram_width;
}

static inline void
mraw_stack_get(const struct mraw_dump *d, size_t at, struct mraw_stack *s)
{
	const uint8_t *p = d->file.data + at;

	s->id = mraw_u64(d, p);
	s->size = (size_t)mraw_u64(d, p + 8);
	s->pcs = p + MRAW_STACK;
	s->next = at + MRAW_STACK + MRAW_PC * s->size;
}

/*
 * As mraw_block_get and mraw_stack_get for an entry that was not checked, at or
 * before the end of its section: false if the entry exceeds the section.
 */
static inline bool
mraw_block_check(const struct mraw_dump *d, size_t at, struct mraw_block *b)
{
	const size_t left = d->limit[MRAW_BLOCKS] - at;
	const size_t fixed = (size_t)MRAW_BLOCK_ID + d->row->block_size;

	if (left < fixed)
		return false;
	mraw_block_get(d, at, b);
	if (b->histogram_size != 0 && b->histogram_size >
	    (left - fixed) / d->row->histogram_width)
		return false;
	return true;
}

static inline bool
mraw_stack_check(const struct mraw_dump *d, size_t at, struct mraw_stack *s)
{
	const size_t left = d->limit[MRAW_STACKS] - at;

	if (left < MRAW_STACK || mraw_u64(d, d->file.data + at + 8) >
	    (left - MRAW_STACK) / MRAW_PC)
		return false;
	mraw_stack_get(d, at, s);
	return true;
}

/* Reads the fields of a block; the histogram is NULL. */
void mraw_block_info(const struct mraw_dump *, const struct mraw_block *,
    struct prof_mib *);

/* Reads the histogram into an array of histogram_size numbers. */
void mraw_histogram(const struct mraw_dump *, const struct mraw_block *,
    uint64_t *out);

/* Memory info blocks of one stack, added up. */

/* The sum of a stack's blocks so far; info.histogram is that of the sum. */
struct mraw_sum {
	uint64_t stack;			/* id */
	struct prof_mib info;
	struct mib_histogram histogram;
};

/* All zero is empty. */
struct mraw_sums {
	struct mraw_sum *items;		/* in the order of first blocks */
	size_t size, room;
	struct id_map index;		/* stack id to index + 1 */
	struct arena histograms;
	uint64_t saturated;		/* blocks that did not fit a sum */
	uint64_t first_saturated;	/* the stack of the first of them */
};

/*
 * Adds a later block by LLVM's rules (mib_merge).  The histogram may be NULL;
 * its size is AccessHistogramSize.  False if out of memory.
 */
bool mraw_sums_add(struct mraw_sums *, uint64_t stack, const struct prof_mib *,
    const uint64_t *histogram);

void mraw_sums_clear(struct mraw_sums *);
void mraw_sums_free(struct mraw_sums *);

/* The entries of a section: their number and bytes, without the padding. */
struct mraw_entries {
	uint64_t count;
	struct prof_span bytes;
};

static inline struct mraw_entries
mraw_entries_of(uint64_t count, const struct buf *b)
{
	return (struct mraw_entries){ count, buf_span(b) };
}

/* Appends header and sections, as the runtime of that version writes them. */
void mraw_emit(const struct mraw_row *, bool big,
    const struct mraw_entries sections[MRAW_SECTIONS], struct buf *);

#endif
