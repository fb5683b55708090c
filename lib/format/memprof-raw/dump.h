/*
 * format/memprof-raw/dump.h - one dump of a raw heap profile: its header, its
 * sections and their entries
 */
#ifndef FORMAT_MEMPROF_RAW_DUMP_H
#define FORMAT_MEMPROF_RAW_DUMP_H

#include "base/bytes.h"
#include "base/prefetch.h"
#include "format/memprof-raw/layout.h"

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
 * Prefetches an entry some way ahead, assuming that the entries up to there are
 * as large as this one.  The place of an entry follows only from the entry
 * before, so that the processor does not run ahead by itself.
 */
PREFETCH_INLINE void
mraw_prefetch(const struct mraw_dump *d, size_t at, size_t next)
{
	enum { AHEAD = 16 };

	if ((d->end - next) / AHEAD > next - at)
		__builtin_prefetch(d->file.data + next + AHEAD * (next - at));
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
	mraw_prefetch(d, at, b->next);
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
	mraw_prefetch(d, at, s->next);
	return true;
}

/* Reports why the i-th block, or stack, failed its check. */
enum prof_status mraw_block_error(const struct mraw_dump *, uint64_t i,
    size_t at, struct prof_error *);
enum prof_status mraw_stack_error(const struct mraw_dump *, uint64_t i,
    size_t at, struct prof_error *);

/* Reads the fields of a block; the histogram is NULL. */
void mraw_block_info(const struct mraw_dump *, const struct mraw_block *,
    struct prof_mib *);

/* Reads the histogram into an array of histogram_size numbers. */
void mraw_histogram(const struct mraw_dump *, const struct mraw_block *,
    uint64_t *out);

#endif
