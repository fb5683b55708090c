/* format/memprof-raw/emit.h - laying out a dump from its sections */
#ifndef FORMAT_MEMPROF_RAW_EMIT_H
#define FORMAT_MEMPROF_RAW_EMIT_H

#include "format/memprof-raw/layout.h"

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
