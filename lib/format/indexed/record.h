/*
 * format/indexed/record.h - function records: reading and writing one
 *
 * u64 FuncHash, u64 NumCounts (v2), counters, u64 NumBitmapBytes (v11), bitmap
 * bytes as u64 each, value data (v3).  The data of a name are one or more of
 * them (InstrProfWriter.cpp, InstrProfRecordWriterTrait::EmitData).
 */
#ifndef FORMAT_INDEXED_RECORD_H
#define FORMAT_INDEXED_RECORD_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/vector_add.h"
#include "prof.h"
#include "format/indexed/layout.h"

/*
 * A record with this bit in its hash is context-sensitive (InstrProf.h,
 * NamedInstrProfRecord::CS_FLAG_IN_FUNC_HASH).
 */
#define INDEXED_HASH_CONTEXT_SENSITIVE ((uint64_t)1 << 60)

/*
 * This hash and the next mark empty slots in LLVM's map of a name's records, so
 * no function can have them (DenseMapInfo.h, getEmptyKey, getTombstoneKey).
 */
#define INDEXED_HASH_RESERVED (UINT64_MAX - 1)

/* As stored: words are u64, little-endian and not aligned. */
struct indexed_record {
	uint64_t hash;
	const uint8_t *counts, *bitmap;
	size_t num_counts, num_bitmap_bytes;	/* words of each */
	size_t values;			/* offset of the block, if any */
};

/*
 * Reads the record at the cursor, whose end is that of the name's data.  The
 * contents of bitmap and value data are not checked.
 */
enum prof_status indexed_record_read(const struct indexed_row *,
    struct cursor *, struct indexed_record *, struct prof_error *);

/*
 * The counters as numbers: borrowed from the image if it has them aligned and
 * in the order of this machine, else in the arena.  NULL if out of memory.
 */
const uint64_t *indexed_record_counts(const struct indexed_record *,
    struct arena *);

/* The bitmap as bytes; start is the image, for the offset in errors. */
enum prof_status indexed_record_bitmap(const struct indexed_record *,
    const uint8_t *start, struct arena *, struct prof_span *out,
    struct prof_error *);

/* Whether a record has value sites only of kinds that its version has. */
enum prof_status indexed_check_kinds(const struct indexed_row *,
    const struct indexed_record *, const struct prof_sites[PROF_VALUE_KINDS],
    struct prof_error *);

/* Numbers of value sites of a record, one for each kind. */
struct indexed_site_counts {
	uint32_t sites[PROF_VALUE_KINDS];
};

/*
 * Counts the sites of the value data at the cursor and moves behind them.
 * False if they are damaged, or their kinds do not ascend (LLVM's always do).
 */
bool indexed_count_sites(struct cursor *, const struct indexed_row *,
    struct indexed_site_counts *);

/* Offset of the value data of a record whose counters begin at counts_at. */
static inline size_t
indexed_values_at(const struct indexed_row *row, size_t counts_at,
    size_t counts_size)
{
	return counts_at + 8 * counts_size + (row->bitmap ? 8 : 0);
}

/* Size of hash, NumCounts and counters; appends them. */
size_t indexed_head_size(const struct indexed_row *, size_t counts_size);
void indexed_head_write(const struct indexed_row *, uint64_t hash,
    const uint64_t *counts, size_t counts_size, struct buf *out);

/* How records are encoded, and which values the format could not hold. */
struct indexed_encoder {
	const struct indexed_row *row;
	struct arena scratch;		/* sorted values; reset by the caller */
	uint64_t cut;			/* values beyond 255 of a site */
};

/*
 * Appends bitmap and value data.  Values of a site are written in descending
 * order of their counts.
 */
enum prof_status indexed_tail_write(struct indexed_encoder *,
    const struct prof_function *, struct buf *out, struct prof_error *);

/* Copies words of an image; returns the bits that are set in some of them. */
static inline uint64_t
indexed_copy_words(uint64_t *to, const uint8_t *from, size_t n)
{
	uint64_t any = 0;

	if (host_order(false))
		return vector_copy(to, from, n);
	for (size_t i = 0; i < n; i++) {
		to[i] = load_u64(from + 8 * i, false);
		any |= to[i];
	}
	return any;
}

#endif
