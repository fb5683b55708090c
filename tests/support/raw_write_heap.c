/*
 * Raw heap profiles, one dump a profile, as the runtimes of LLVM 17 to 22 would
 * have written them.
 */
#include "tests/support/raw_write.h"

#include "base/error.h"
#include "format/memprof-raw/layout.h"
#include "model/mib.h"

struct mraw_writer {
	struct prof_writer base;
	const struct mraw_row *row;
	bool big, began;
	/* Of the profile that is being put. */
	struct id_map biases;		/* of segments, by id */
	struct id_map stack_ids;	/* id to the place in stacks */
	struct buf segments, blocks, stacks;	/* entries */
	uint64_t segment_count, block_count, stack_count;
};

/* A count as a histogram of 16 bits holds it: rounded up, or the largest. */
static uint16_t
mraw_scale(uint64_t count)
{
	const uint64_t mantissa = 0xfff, most = mantissa << 15;
	unsigned exponent = 0;

	if (count > most)
		count = most;
	for (; count > mantissa; exponent++)
		count = (count + 1) >> 1;
	return (uint16_t)(exponent << 12 | count);
}

static void
mraw_write_number(const struct mraw_writer *w, struct buf *b, uint64_t v,
    size_t width)
{
	buf_number(b, v, width, w->big);
}

static enum prof_status
mraw_write_refuse(const char *what, struct prof_error *err)
{
	return err_set(err, PROF_E_UNSUPPORTED,
	    "raw heap profiles cannot hold %s", what);
}

static void
mraw_write_start(struct mraw_writer *w)
{
	id_map_free(&w->biases);
	id_map_free(&w->stack_ids);
	w->segments.size = w->blocks.size = w->stacks.size = 0;
	w->segment_count = w->block_count = w->stack_count = 0;
	w->began = true;
}

/* The bias of a segment is added to its addresses modulo 2^64. */
static enum prof_status
mraw_write_segment(struct mraw_writer *w, const struct prof_segment *s,
    struct prof_error *err)
{
	const struct mraw_segment_layout *l = &w->row->segment;
	struct buf *b = &w->segments;

	if (s->file_addresses || !s->has_range)
		return mraw_write_refuse("segments without addresses", err);
	if (s->build_id.size > MRAW_BUILD_ID_MAX)
		return mraw_write_refuse("a build id above 32 bytes", err);
	if (id_map_add(&w->biases, s->id, s->offset) == NULL)
		return err_memory(err);
	mraw_write_number(w, b, s->start, 8);
	mraw_write_number(w, b, s->end, 8);
	mraw_write_number(w, b, s->offset, 8);
	mraw_write_number(w, b, s->build_id.size, 8);
	buf_put(b, s->build_id.data, s->build_id.size);
	buf_zeros(b, l->size - l->build_id - s->build_id.size);
	w->segment_count++;
	return b->failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
mraw_write_stack(struct mraw_writer *w, const struct prof_stack *s,
    struct prof_error *err)
{
	if (s->pcs_size == 0 && s->frames_size != 0)
		return mraw_write_refuse("stacks without addresses", err);
	if (id_map_add(&w->stack_ids, s->id, w->stack_count) == NULL)
		return err_memory(err);
	mraw_write_number(w, &w->stacks, s->id, 8);
	mraw_write_number(w, &w->stacks, s->pcs_size, 8);
	for (size_t i = 0; i < s->pcs_size; i++) {
		bool moved = s->segments != NULL &&
		    s->segments[i] != PROF_NO_SEGMENT;
		const uint64_t *bias = moved ? id_map_find(&w->biases,
		    s->segments[i]) : NULL;

		if (moved && bias == NULL)
			return mraw_write_refuse("an address of a segment "
			    "that is missing", err);
		mraw_write_number(w, &w->stacks, s->pcs[i] +
		    (moved ? *bias : 0), 8);
	}
	w->stack_count++;
	return w->stacks.failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
mraw_write_allocation(struct mraw_writer *w, const struct prof_allocation *a,
    struct prof_error *err)
{
	const struct prof_mib *m = &a->info;
	const size_t size = m->histogram == NULL ? 0 :
	    (size_t)m->value[PROF_MIB_ACCESS_HISTOGRAM_SIZE];

	if (id_map_find(&w->stack_ids, a->stack) == NULL)
		return mraw_write_refuse("an allocation of a stack that is "
		    "missing", err);
	mraw_write_number(w, &w->blocks, a->stack, MRAW_BLOCK_ID);
	for (unsigned i = 1; i < PROF_MIB_FIELDS; i++) {
		uint64_t value = mib_stored_value(m, i);

		if ((w->row->fields >> i & 1) == 0)
			continue;
		/* The address of a histogram has no meaning. */
		if (i == PROF_MIB_ACCESS_HISTOGRAM_SIZE)
			value = size;
		else if (i == PROF_MIB_ACCESS_HISTOGRAM)
			value = 0;
		mraw_write_number(w, &w->blocks, value, mib_bytes(i));
	}
	for (size_t i = 0; i < size && w->row->histogram_width != 0; i++)
		mraw_write_number(w, &w->blocks, w->row->histogram_width == 8 ?
		    m->histogram[i] : mraw_scale(m->histogram[i]),
		    w->row->histogram_width);
	w->block_count++;
	return w->blocks.failed ? err_memory(err) : PROF_OK;
}

static enum prof_status
mraw_write_dump(struct mraw_writer *w, struct prof_error *err)
{
	struct buf dump = { 0 };
	enum prof_status status;

	mraw_emit(w->row, w->big,
	    (struct mraw_entries[MRAW_SECTIONS]){
		[MRAW_SEGMENTS] = mraw_entries_of(w->segment_count,
		    &w->segments),
		[MRAW_BLOCKS] = mraw_entries_of(w->block_count, &w->blocks),
		[MRAW_STACKS] = mraw_entries_of(w->stack_count, &w->stacks) },
	    &dump);
	status = dump.failed ? err_memory(err) :
	    sink_write(&w->base, dump.data, dump.size, err);
	buf_free(&dump);
	return status;
}

static enum prof_status
mraw_write_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		if (r->u.profile.kind == PROF_INSTR)
			return mraw_write_refuse("functions", err);
		mraw_write_start(w);
		return PROF_OK;
	case PROF_REC_SEGMENT:
		return mraw_write_segment(w, &r->u.segment, err);
	case PROF_REC_STACK:
		return mraw_write_stack(w, &r->u.stack, err);
	case PROF_REC_ALLOCATION:
		return mraw_write_allocation(w, &r->u.allocation, err);
	case PROF_REC_MEMPROF_FUNCTION:
	case PROF_REC_FUNCTION:
	case PROF_REC_RAW_COUNTERS:
	case PROF_REC_VTABLE:
	case PROF_REC_TRACE:
		return mraw_write_refuse("functions", err);
	case PROF_REC_END:
		return mraw_write_dump(w, err);
	default:
		return PROF_OK;
	}
}

static enum prof_status
mraw_write_finish(struct prof_writer *base, struct prof_error *err)
{
	const struct mraw_writer *w = (struct mraw_writer *)base;

	return w->began ? PROF_OK : err_set(err, PROF_E_FORMAT, "no profile");
}

static void
mraw_write_free(struct prof_writer *base)
{
	struct mraw_writer *w = (struct mraw_writer *)base;

	id_map_free(&w->biases);
	id_map_free(&w->stack_ids);
	buf_free(&w->segments);
	buf_free(&w->blocks);
	buf_free(&w->stacks);
}

static const struct writer_ops mraw_writer_ops = {
	.size = sizeof(struct mraw_writer),
	.put = mraw_write_put,
	.finish = mraw_write_finish,
	.free = mraw_write_free,
};

struct prof_writer *
raw_heap_writer_new(const struct raw_target *to, prof_sink *sink, void *arg,
    struct prof_error *err)
{
	const struct mraw_row *row = mraw_row(to->version);
	struct mraw_writer *w;

	/* Versions 1 and 2 need offsets in the files of modules. */
	if (row == NULL || row->segment.build_id == 0) {
		err_set(err, PROF_E_UNSUPPORTED, "memprof-raw version %u "
		    "cannot be written", to->version);
		return NULL;
	}
	w = codec_writer_new(&mraw_writer_ops, NULL, sink, arg, err);
	if (w == NULL)
		return NULL;
	w->row = row;
	w->big = to->big;
	return &w->base;
}
