/*
 * format/memprof-raw/writer.h - the state of a writer of raw heap profiles, shared by
 * its parts: format/memprof-raw/write.c takes records, format/memprof-raw/place.c finds
 * addresses for modules that have none, format/memprof-raw/emit.c lays a dump out
 */
#ifndef FORMAT_MEMPROF_RAW_WRITER_H
#define FORMAT_MEMPROF_RAW_WRITER_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/id_map.h"
#include "format/codec.h"
#include "format/memprof-raw/layout.h"

struct mraw_out_segment {
	struct prof_segment segment;	/* the build id is a copy */
	/* Of one without range: the largest of its addresses that is used. */
	uint64_t used;
};

/* An address of a segment whose bias is not known yet. */
struct mraw_fixup {
	size_t at;			/* in the stacks */
	size_t segment;			/* index */
};

struct mraw_writer {
	struct prof_writer base;
	const struct mraw_row *row;
	bool big, began;
	/* Of the profile being put. */
	struct arena arena;
	struct mraw_out_segment *segments;
	size_t segment_count, segment_room;
	struct id_map segment_index;	/* id to index, one above it */
	struct id_map stack_ids;
	/* Sections as they will be written, without their counts. */
	struct buf blocks, stacks;
	uint64_t block_count, stack_count;
	struct mraw_fixup *fixups;
	size_t fixup_count, fixup_room;
	/* What is left out or changed, to be told once. */
	uint64_t frames, histograms, sizes, rounded, unknown, shared, others;
	bool salvaged;
};

static inline void
mraw_number(const struct mraw_writer *w, struct buf *b, uint64_t v,
    size_t width)
{
	buf_number(b, v, width, w->big);
}

/*
 * Gives each segment without range one that nothing else is in, and its
 * addresses their place.  PROF_FAIL if there is no room for it.
 */
enum prof_status mraw_place(struct mraw_writer *, struct prof_error *);

/* Appends the dump of the profile that was put. */
enum prof_status mraw_emit(const struct mraw_writer *, struct buf *,
    struct prof_error *);

#endif
