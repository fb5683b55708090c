/*
 * format/raw/writer.h - the state of a writer of raw profiles, shared by its two parts:
 * format/raw/write.c takes records, format/raw/emit.c lays an image out
 */
#ifndef FORMAT_RAW_WRITER_H
#define FORMAT_RAW_WRITER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "model/symtab.h"
#include "format/codec.h"
#include "format/raw/layout.h"

/* A data record to be, with what it points to. */
struct raw_out_record {
	struct prof_symbol symbol;
	uint64_t hash, stamp;
	size_t counters, bitmap;	/* offsets in their sections */
	uint32_t num_counters, num_bitmap_bytes;
	struct prof_sites values[PROF_VALUE_KINDS];
};

struct raw_writer {
	struct prof_writer base;
	const struct raw_row *row;
	struct raw_record_layout layout;
	bool big, began;
	unsigned pointer_bytes, value_kinds;
	/* Of the profile being put. */
	struct prof_header header;
	struct arena arena;
	struct raw_out_record *records;
	size_t size, room;
	struct buf counters, bitmap, ids;
	struct symtab functions;	/* a symbol stands once */
	size_t *first;			/* by its index: its first record */
	struct symtab vtables;
	bool any_trace;			/* in any profile */
	/* What is left out, to be told once. */
	uint64_t cut, clamped, empty_traces, wave_size, traces_seen;
	bool salvaged;
};

/* A number of so many bytes, in the byte order of the profile. */
static inline void
raw_put_number(const struct raw_writer *w, struct buf *b, uint64_t v,
    unsigned width)
{
	buf_number(b, v, width, w->big);
}

/* Bytes of a counter. */
static inline unsigned
raw_written_width(const struct raw_writer *w)
{
	return w->header.flags & PROF_BYTE_COVERAGE ? 1 : 8;
}

/* The symbol's index among the functions, or SYMTAB_NONE. */
static inline size_t
raw_function_index(const struct raw_writer *w, uint64_t guid)
{
	return symtab_find(&w->functions, guid, NULL);
}

/* PROF_FAIL: the version cannot hold what is named. */
enum prof_status raw_refuse_name(const struct raw_writer *, const char *what,
    struct prof_span name, struct prof_error *);

/*
 * Appends the image of the profile that was put.  Targets of values become
 * addresses in place.
 */
enum prof_status raw_emit(struct raw_writer *, struct buf *,
    struct prof_error *);

#endif
