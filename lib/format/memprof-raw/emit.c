/* The dump of a raw heap profile, as the runtime would lay it out. */
#include "format/memprof-raw/writer.h"

#include "base/error.h"

static void
put_segment(const struct mraw_writer *w, struct buf *b,
    const struct mraw_out_segment *s)
{
	const struct prof_span id = s->segment.build_id;

	mraw_number(w, b, s->segment.start, 8);
	mraw_number(w, b, s->segment.end, 8);
	mraw_number(w, b, s->segment.offset, 8);
	mraw_number(w, b, id.size, 8);
	buf_put(b, id.data, id.size);
	buf_zeros(b, MRAW_BUILD_ID_MAX - id.size);
}

enum prof_status
mraw_emit(const struct mraw_writer *w, struct buf *b, struct prof_error *err)
{
	const size_t start = b->size;
	uint64_t at = MRAW_HEADER;
	/* A section's count, its entries, and zeros up to a multiple of 8. */
	const uint64_t segments = 8 +
	    (uint64_t)w->row->segment_size * w->segment_count;
	const uint64_t blocks = 8 + w->blocks.size + pad8(w->blocks.size);
	const uint64_t stacks = 8 + w->stacks.size;

	mraw_number(w, b, MRAW_MAGIC, 8);
	mraw_number(w, b, w->row->version, 8);
	mraw_number(w, b, at + segments + blocks + stacks, 8);
	mraw_number(w, b, at, 8);
	mraw_number(w, b, at += segments, 8);
	mraw_number(w, b, at += blocks, 8);
	mraw_number(w, b, w->segment_count, 8);
	for (size_t i = 0; i < w->segment_count; i++)
		put_segment(w, b, &w->segments[i]);
	mraw_number(w, b, w->block_count, 8);
	buf_put(b, w->blocks.data, w->blocks.size);
	buf_zeros(b, (size_t)pad8(b->size - start));
	mraw_number(w, b, w->stack_count, 8);
	buf_put(b, w->stacks.data, w->stacks.size);
	return b->failed ? err_memory(err) : PROF_OK;
}
