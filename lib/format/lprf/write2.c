/*
 * The writer of version 2.  Blocks are written as they fill if the caller
 * promises functions in order (prof_target.borrows); if not, the functions are
 * kept and sorted, and the records behind the first of them are kept as text.
 */
#include "format/lprf/write2.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "format/codec.h"
#include "format/lprf/index.h"
#include "format/lprf/v2.h"
#include "format/stream/stream.h"
#include "model/record_copy.h"

/* Names and hashes, or text, of a block, before it is packed. */
enum { PLAIN_SIZE = 1 << 12, PACKED_SIZE = 1 << 14 };

struct lprf2_writer {
	struct prof_writer base;
	struct lprf2_packer *packer;	/* NULL: plain */
	size_t block_size;
	bool began;
	bool in_order;			/* see prof_target.borrows */
	bool any;			/* a function was put */
	struct prof_function last;	/* in order: the last one, its name */
	struct buf last_name;		/* in last_name */
	uint64_t written, functions;
	struct lprf2_index index;
	struct lprf2_building block;	/* of functions */
	struct stream_output records;	/* lines of a block of records */
	uint32_t lines;
	struct buf out;
	/* If not in order. */
	struct arena arena;
	struct prof_function *kept;
	size_t kept_size, kept_room;
};

static enum prof_status
lprf2_flush(struct lprf2_writer *w, struct prof_error *err)
{
	enum prof_status status = w->out.failed ? err_memory(err) :
	    sink_write(&w->base, w->out.data, w->out.size, err);

	w->written += w->out.size;
	w->out.size = 0;
	return status;
}

static enum prof_status
lprf2_flush_block(struct lprf2_writer *w, struct lprf2_building *b,
    struct prof_error *err)
{
	if (lprf2_put_block(b, w->packer, &w->out, err) != PROF_OK)
		return PROF_FAIL;
	return lprf2_flush(w, err);
}

static enum prof_status
lprf2_end_functions(struct lprf2_writer *w, struct prof_error *err)
{
	return w->block.size == 0 ? PROF_OK :
	    lprf2_flush_block(w, &w->block, err);
}

/* The lines are a block of records, which has one section. */
static enum prof_status
lprf2_end_records(struct lprf2_writer *w, struct prof_error *err)
{
	struct lprf2_building b = { .kind = LPRF2_RECORDS, .size = w->lines };
	enum prof_status status;

	if (w->lines == 0)
		return PROF_OK;
	if (!lprf2_index_add(&w->index, LPRF2_RECORDS, w->written, NULL))
		return err_memory(err);
	b.sections[LPRF2_N] = w->records.text;
	status = lprf2_flush_block(w, &b, err);
	w->records.text = b.sections[LPRF2_N];
	w->records.text.size = 0;
	b.sections[LPRF2_N] = (struct buf){ 0 };
	lprf2_building_free(&b);
	w->lines = 0;
	return status;
}

static enum prof_status
lprf2_put_line(struct lprf2_writer *w, const struct prof_record *r,
    struct prof_error *err)
{
	stream_put_record(&w->records, r);
	w->lines++;
	if (w->records.text.failed)
		return err_memory(err);
	if (w->kept_size != 0 || w->records.text.size < w->block_size)
		return PROF_OK;
	if (lprf2_end_functions(w, err) != PROF_OK)
		return PROF_FAIL;
	return lprf2_end_records(w, err);
}

/* Whether a function begins a block: never between two of one name. */
static bool
lprf2_cuts(const struct lprf2_writer *w, const struct prof_function *f)
{
	const struct lprf2_building *b = &w->block;
	bool named = f->symbol.name.size != 0;

	if (b->size == 0)
		return false;
	return named != (b->kind == LPRF2_NAMES) ||
	    (b->sections[LPRF2_N].size + b->sections[LPRF2_H].size >=
	    w->block_size && (named ? !prof_span_equal(f->symbol.name,
	    w->last.symbol.name) : f->symbol.guid != w->last.symbol.guid));
}

/* Keeps what the next function is compared with. */
static enum prof_status
lprf2_note_last(struct lprf2_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	w->last_name.size = 0;
	buf_put(&w->last_name, f->symbol.name.data, f->symbol.name.size);
	if (w->last_name.failed)
		return err_memory(err);
	w->last = *f;
	w->last.symbol.name = (struct prof_span){ w->last_name.data,
	    w->last_name.size };
	w->any = true;
	w->functions++;
	return PROF_OK;
}

static enum prof_status
lprf2_put_in_order(struct lprf2_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	int order = w->any ? lprf2_compare(&w->last, f) : -1;

	if (order >= 0)
		return err_set(err, PROF_E_MISMATCH, order == 0 ?
		    "a name and hash stand twice: use prof-merge" :
		    "functions are not in order: use prof-merge");
	if (lprf2_cuts(w, f) && lprf2_end_functions(w, err) != PROF_OK)
		return PROF_FAIL;
	if (w->block.size == 0) {
		w->block.kind = f->symbol.name.size != 0 ? LPRF2_NAMES :
		    LPRF2_GUIDS;
		if (!lprf2_index_add(&w->index, w->block.kind, w->written,
		    &f->symbol))
			return err_memory(err);
	}
	lprf2_encode(&w->block, f);
	return lprf2_note_last(w, f, err);
}

static enum prof_status
lprf2_keep(struct lprf2_writer *w, struct prof_function f,
    struct prof_error *err)
{
	if (!record_copy(&w->arena, PROF_REC_FUNCTION, &f) ||
	    !ARRAY_ADD(w->kept, w->kept_size, w->kept_room, f))
		return err_memory(err);
	return PROF_OK;
}

static enum prof_status
lprf2_put_function(struct lprf2_writer *w, const struct prof_function *given,
    struct prof_error *err)
{
	struct prof_function f = *given;

	if (f.symbol.name.size == 0)
		f.symbol = (struct prof_symbol){ .guid =
		    prof_symbol_guid(&f.symbol) };
	if (!w->any && w->kept_size == 0 && lprf2_end_records(w, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (!w->in_order)
		return lprf2_keep(w, f, err);
	if (w->lines != 0)
		return err_set(err, PROF_E_MISMATCH,
		    "functions are not in order: use prof-merge");
	return lprf2_put_in_order(w, &f, err);
}

/* The line of the header does not say where the profile came from. */
static enum prof_status
lprf2_put_profile(struct lprf2_writer *w, const struct prof_record *r,
    struct prof_error *err)
{
	struct prof_record head = *r;

	if (w->began)
		return err_set(err, PROF_E_MISMATCH,
		    "LPRF holds one profile: use prof-merge");
	w->began = true;
	lprf2_put_header(&w->out);
	if (lprf2_flush(w, err) != PROF_OK)
		return PROF_FAIL;
	head.u.profile.source = (struct prof_source){ 0 };
	return lprf2_put_line(w, &head, err);
}

static enum prof_status
lprf2_put(struct prof_writer *base, const struct prof_record *r,
    struct prof_error *err)
{
	struct lprf2_writer *w = (struct lprf2_writer *)base;

	switch (r->kind) {
	case PROF_REC_PROFILE:
		return lprf2_put_profile(w, r, err);
	case PROF_REC_FUNCTION:
		return lprf2_put_function(w, &r->u.function, err);
	case PROF_REC_END:
		return PROF_OK;
	default:
		return lprf2_put_line(w, r, err);
	}
}

static int
lprf2_compare_kept(const void *a, const void *b)
{
	return lprf2_compare(a, b);
}

/* Functions that were kept stand before the records that were. */
static enum prof_status
lprf2_put_kept(struct lprf2_writer *w, struct prof_error *err)
{
	if (w->kept_size != 0)
		qsort(w->kept, w->kept_size, sizeof(*w->kept),
		    lprf2_compare_kept);
	for (size_t i = 0; i < w->kept_size; i++) {
		if (lprf2_put_in_order(w, &w->kept[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
lprf2_finish(struct prof_writer *base, struct prof_error *err)
{
	struct lprf2_writer *w = (struct lprf2_writer *)base;
	struct lprf2_building index = { .kind = LPRF2_INDEX };
	enum prof_status status;
	uint64_t at;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (lprf2_put_kept(w, err) != PROF_OK ||
	    lprf2_end_functions(w, err) != PROF_OK ||
	    lprf2_end_records(w, err) != PROF_OK)
		return PROF_FAIL;
	at = w->written;
	lprf2_index_take(&w->index, &index);
	status = lprf2_put_block(&index, w->packer, &w->out, err);
	lprf2_building_free(&index);
	lprf2_put_trailer(&w->out, at, w->functions);
	return status == PROF_OK ? lprf2_flush(w, err) : status;
}

static void
lprf2_free(struct prof_writer *base)
{
	struct lprf2_writer *w = (struct lprf2_writer *)base;

	lprf2_packer_free(w->packer);
	lprf2_index_free(&w->index);
	lprf2_building_free(&w->block);
	buf_free(&w->records.text);
	stream_frames_free(&w->records.frames);
	buf_free(&w->last_name);
	buf_free(&w->out);
	arena_free(&w->arena);
	free(w->kept);
}

static const struct writer_ops lprf2_ops = {
	.size = sizeof(struct lprf2_writer),
	.put = lprf2_put,
	.finish = lprf2_finish,
	.free = lprf2_free,
};

struct prof_writer *
lprf2_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct lprf2_writer *w = codec_writer_new(&lprf2_ops, context, sink,
	    arg, err);

	if (w == NULL)
		return NULL;
	w->block_size = t->plain ? PLAIN_SIZE : PACKED_SIZE;
	w->in_order = t->borrows && !t->as_arrived;
	if (t->plain || (w->packer = lprf2_packer_new(err)) != NULL)
		return &w->base;
	prof_writer_free(&w->base);
	return NULL;
}
