/*
 * format/memprof-raw/dump.h - one dump (header and sections) of a raw heap profile,
 * checked
 */
#ifndef FORMAT_MEMPROF_RAW_DUMP_H
#define FORMAT_MEMPROF_RAW_DUMP_H

#include "base/bytes.h"
#include "base/prefetch.h"
#include "format/memprof-raw/layout.h"

enum mraw_section { MRAW_SEGMENTS, MRAW_BLOCKS, MRAW_STACKS, MRAW_SECTIONS };

struct mraw_dump {
	const struct mraw_row *row;
	struct prof_span file;		/* all of it, other dumps too */
	bool big;			/* byte order */
	/* Offsets from the start of the file. */
	size_t start, end;
	size_t at[MRAW_SECTIONS];	/* of a section's first entry */
	size_t limit[MRAW_SECTIONS];	/* where its bytes end */
	uint64_t count[MRAW_SECTIONS];	/* entries */
	/*
	 * Bytes behind the entries once they were checked: below 8, for
	 * padding, unless the count is wrong.
	 */
	size_t unread[MRAW_SECTIONS];
};

/* A memory info block as it stands in the file. */
struct mraw_block {
	uint64_t stack;
	const uint8_t *fields;		/* packed, in order of their numbers */
	const uint8_t *histogram;
	uint32_t histogram_size;	/* entries */
	size_t next;			/* offset of what is behind it */
};

struct mraw_stack {
	uint64_t id;
	const uint8_t *pcs;
	size_t size;			/* PCs */
	size_t next;
};

/* Asked here, so that each has one load for each number. */
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

/* True, and the byte order, if a raw heap profile begins like that. */
bool mraw_magic(struct prof_span bytes, bool *big);

/*
 * Reads the header of the dump at `start` and places its sections inside the
 * file; their entries are not looked at yet.
 */
enum prof_status mraw_dump_place(struct mraw_dump *, struct prof_span file,
    size_t start, struct prof_error *);

/* Checks all entries of a dump, or its segments: before any is got. */
enum prof_status mraw_dump_check(struct mraw_dump *, struct prof_error *);
enum prof_status mraw_segments_check(struct mraw_dump *, struct prof_error *);

/* Entry i, below the number of segments. */
void mraw_segment_get(const struct mraw_dump *, uint64_t i,
    struct prof_segment *);

/* Where AccessHistogramSize stands: the pointer behind it is the last field. */
static inline size_t
mraw_histogram_size_at(const struct mraw_row *row)
{
	return row->block_size - 12u;
}

/* The entry at an offset of the file. */
static inline void
mraw_block_get(const struct mraw_dump *d, size_t at, struct mraw_block *b)
{
	const uint8_t *p = d->file.data + at;

	b->stack = mraw_u64(d, p);
	b->fields = p + 8;
	b->histogram = b->fields + d->row->block_size;
	b->histogram_size = d->row->histogram_width == 0 ? 0 :
	    mraw_u32(d, b->fields + mraw_histogram_size_at(d->row));
	b->next = at + 8 + d->row->block_size +
	    (size_t)b->histogram_size * d->row->histogram_width;
}

static inline void
mraw_stack_get(const struct mraw_dump *d, size_t at, struct mraw_stack *s)
{
	const uint8_t *p = d->file.data + at;

	s->id = mraw_u64(d, p);
	s->size = (size_t)mraw_u64(d, p + 8);
	s->pcs = p + MRAW_STACK;
	s->next = at + MRAW_STACK + 8 * s->size;
}

/*
 * Asks for an entry some way behind one, if those between are as large: where
 * each stands only the one before it says, so that the processor does not look
 * far ahead.
 */
PREFETCH_INLINE void
mraw_ask(const struct mraw_dump *d, size_t at, size_t next)
{
	enum { AHEAD = 16 };

	if ((d->end - next) / AHEAD > next - at)
		__builtin_prefetch(d->file.data + next + AHEAD * (next - at));
}

/* The same where it is not checked yet: false if it exceeds its section. */
static inline bool
mraw_block_check(const struct mraw_dump *d, size_t at, struct mraw_block *b)
{
	const size_t left = d->limit[MRAW_BLOCKS] - at;
	const size_t fixed = 8u + d->row->block_size;

	if (left < fixed)
		return false;
	mraw_block_get(d, at, b);
	if (b->histogram_size != 0 && b->histogram_size >
	    (left - fixed) / d->row->histogram_width)
		return false;
	mraw_ask(d, at, b->next);
	return true;
}

static inline bool
mraw_stack_check(const struct mraw_dump *d, size_t at, struct mraw_stack *s)
{
	const size_t left = d->limit[MRAW_STACKS] - at;

	if (left < MRAW_STACK || mraw_u64(d, d->file.data + at + 8) >
	    (left - MRAW_STACK) / 8)
		return false;
	mraw_stack_get(d, at, s);
	mraw_ask(d, at, s->next);
	return true;
}

/* What is wrong with entry i if it is. */
enum prof_status mraw_block_error(const struct mraw_dump *, uint64_t i,
    size_t at, struct prof_error *);
enum prof_status mraw_stack_error(const struct mraw_dump *, uint64_t i,
    size_t at, struct prof_error *);

/* Fields and size of the histogram; the histogram is NULL. */
void mraw_block_info(const struct mraw_dump *, const struct mraw_block *,
    struct prof_mib *);

/* As many numbers as the histogram has entries. */
void mraw_histogram(const struct mraw_dump *, const struct mraw_block *,
    uint64_t *out);

#endif
