#include <stdlib.h>

#include "base/arena.h"
#include "base/error.h"
#include "format/lprf/v2.h"
#include "model/record.h"

/*
 * The writer.  Blocks are written as they fill if the caller
 * promises functions in order (prof_target.in_order); if not, the functions are
 * stored and sorted, and the records behind the first of them stored as text.
 */

/*
 * Names and shapes of a block before it is packed; text of one of records, none
 * of which is looked up, so that a large block costs nothing and packs better.
 */
enum { PLAIN_SIZE = 1 << 11, PACKED_SIZE = 1 << 14, RECORDS_SIZE = 1 << 18 };

/* A look-up inflates all functions of a block, with names of any length. */
enum { BLOCK_FUNCTIONS = 512 };

struct lprf2_writer {
	struct prof_writer base;
	struct lprf2_file file;
	size_t block_size;
	bool began;			/* a profile was put */
	bool any;			/* and a function of it */
	bool in_order;			/* see prof_target */
	struct lprf2_building block;	/* of functions */
	struct prof_function last;	/* the last one: symbol and hash */
	struct buf records;		/* lines of blocks of records */
	struct arena arena;		/* functions: of the block, or stored */
	/* Functions that are not in order. */
	struct prof_function *stored;
	size_t stored_size, stored_room;
};

static enum prof_status
lprf2_flush(struct lprf2_writer *w, struct prof_error *err)
{
	struct buf *out = &w->file.out;
	enum prof_status status = sink_write(&w->base, out->data, out->size,
	    err);

	w->file.taken += out->size;
	out->size = 0;
	return status;
}

static enum prof_status
lprf2_end_functions(struct lprf2_writer *w, struct prof_error *err)
{
	if (w->block.size == 0)
		return PROF_OK;
	if (lprf2_file_put_block(&w->file, &w->block, err) != PROF_OK)
		return PROF_FAIL;
	w->last.symbol = w->file.last;
	if (w->in_order)
		arena_reset(&w->arena);
	return lprf2_flush(w, err);
}

/* Puts lines as a block of records, which has one section. */
static enum prof_status
lprf2_put_records(struct lprf2_writer *w, struct prof_span lines, uint32_t n,
    struct prof_error *err)
{
	struct lprf2_building b = { .size = n,
	    .kind = w->any ? LPRF2_TAIL : LPRF2_HEAD,
	    .plain = lprf2_file_is_full(&w->file) };
	enum prof_status status;

	/* The text is only read. */
	b.sections[LPRF2_N] = (struct buf){ .size = lines.size,
	    .data = (uint8_t *)(uintptr_t)lines.data };
	status = lprf2_file_put_block(&w->file, &b, err);
	b.sections[LPRF2_N] = (struct buf){ 0 };
	lprf2_building_free(&b);
	return status == PROF_OK ? lprf2_flush(w, err) : status;
}

/* Puts the lines so far: those behind functions that are sorted fill blocks. */
static enum prof_status
lprf2_end_records(struct lprf2_writer *w, struct prof_error *err)
{
	struct buf *text = &w->records;
	enum prof_status status = PROF_OK;

	for (size_t at = 0, end; at < text->size && status == PROF_OK;
	    at = end) {
		uint32_t n = 0;

		/* The last line is that with which the size is reached. */
		for (end = at; end < text->size && end - at < RECORDS_SIZE;
		    n++) {
			const uint8_t *line = text->data + end, *newline;

			newline = memchr(line, '\n', text->size - end);
			end += (size_t)(newline - line) + 1;
		}
		status = lprf2_put_records(w, (struct prof_span){
		    text->data + at, end - at }, n, err);
	}
	text->size = 0;
	return status;
}

static enum prof_status
lprf2_put_line(struct lprf2_writer *w, const struct prof_record *r,
    struct prof_error *err)
{
	if (!w->began)
		return err_set(err, PROF_E_CORRUPT, "a record outside a "
		    "profile");
	stream_put_record(&w->records, r);
	if (w->records.failed)
		return err_memory(err);
	if (w->stored_size != 0 || w->records.size < RECORDS_SIZE)
		return PROF_OK;
	return lprf2_end_functions(w, err) == PROF_OK ?
	    lprf2_end_records(w, err) : PROF_FAIL;
}

/* Whether a function begins a block: never between two of one name. */
static bool
lprf2_cuts(const struct lprf2_writer *w, const struct prof_function *f)
{
	const struct lprf2_building *b = &w->block;
	bool full = b->size >= BLOCK_FUNCTIONS || b->sections[LPRF2_N].size +
	    b->sections[LPRF2_H].size + (size_t)8 * b->size >= w->block_size;

	return !lprf2_fits(b, f) || (full &&
	    lprf2_compare_symbols(&w->last.symbol, &f->symbol) != 0);
}

static enum prof_status
lprf2_put_in_order(struct lprf2_writer *w, const struct prof_function *f,
    struct prof_error *err)
{
	int order = w->any ? lprf2_compare(&w->last, f) : -1;
	struct prof_function copy = *f;
	bool same;			/* the name is that of the last one */

	if (order >= 0)
		return err_set(err, PROF_E_MISMATCH, order == 0 ? "a name and "
		    "hash occur twice: use prof-merge" : "functions are not in "
		    "order: use prof-merge");
	if (w->block.size != 0 && lprf2_cuts(w, f) &&
	    lprf2_end_functions(w, err) != PROF_OK)
		return PROF_FAIL;
	same = w->block.size != 0 &&
	    prof_span_equal(w->last.symbol.name, f->symbol.name);
	if (same)
		copy.symbol.name = (struct prof_span){ NULL, 0 };
	if (w->in_order && !record_copy(&w->arena, PROF_REC_FUNCTION, &copy))
		return err_memory(err);
	if (same)
		copy.symbol.name = w->last.symbol.name;
	if (w->block.size == 0)
		w->block.plain = lprf2_file_is_full(&w->file);
	lprf2_encode(&w->block, &copy);
	if (w->block.failed)
		return err_memory(err);
	w->last = copy;
	w->any = true;
	return PROF_OK;
}

static enum prof_status
lprf2_put_function(struct lprf2_writer *w, const struct prof_function *given,
    struct prof_error *err)
{
	struct prof_function f = *given;

	if (!w->began)
		return err_set(err, PROF_E_CORRUPT, "a record outside a "
		    "profile");
	/* The guid of a name is not stored, nor an empty name. */
	if (f.symbol.name.size == 0) {
		f.symbol.guid = prof_symbol_guid(&f.symbol);
		f.symbol.name.data = NULL;
	} else {
		f.symbol.guid = 0;
	}
	if (!w->any && w->stored_size == 0 && lprf2_end_records(w, err) !=
	    PROF_OK)
		return PROF_FAIL;
	if (!w->in_order)
		return record_copy(&w->arena, PROF_REC_FUNCTION, &f) &&
		    ARRAY_ADD(w->stored, w->stored_size, w->stored_room, f) ?
		    PROF_OK : err_memory(err);
	if (w->records.size != 0)
		return err_set(err, PROF_E_MISMATCH, "a function after the "
		    "records that follow functions: use prof-merge");
	return lprf2_put_in_order(w, &f, err);
}

/* The line of the header does not name the file that it came from. */
static enum prof_status
lprf2_put_profile(struct lprf2_writer *w, const struct prof_record *r,
    struct prof_error *err)
{
	struct prof_record head = *r;

	if (w->began)
		return err_set(err, PROF_E_MISMATCH,
		    "LPRF holds one profile: use prof-merge");
	w->began = true;
	lprf2_put_header(&w->file.out);
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
	case PROF_REC_RAW_COUNTERS:
		/* prof-symbolize has to know from what raw profile they are. */
		return err_set(err, PROF_E_UNSUPPORTED, "counters of a "
		    "correlated profile have no functions yet: run "
		    "prof-symbolize");
	case PROF_REC_END:
		return PROF_OK;
	default:
		return lprf2_put_line(w, r, err);
	}
}

static int
lprf2_compare_stored(const void *a, const void *b)
{
	return lprf2_compare(a, b);
}

static enum prof_status
lprf2_finish(struct prof_writer *base, struct prof_error *err)
{
	struct lprf2_writer *w = (struct lprf2_writer *)base;

	if (!w->began)
		return err_set(err, PROF_E_FORMAT, "no profile");
	if (w->stored_size != 0)
		qsort(w->stored, w->stored_size, sizeof(*w->stored),
		    lprf2_compare_stored);
	for (size_t i = 0; i < w->stored_size; i++) {
		if (lprf2_put_in_order(w, &w->stored[i], err) != PROF_OK)
			return PROF_FAIL;
	}
	return lprf2_end_functions(w, err) == PROF_OK &&
	    lprf2_end_records(w, err) == PROF_OK &&
	    lprf2_file_end(&w->file, err) == PROF_OK ?
	    lprf2_flush(w, err) : PROF_FAIL;
}

static void
lprf2_free(struct prof_writer *base)
{
	struct lprf2_writer *w = (struct lprf2_writer *)base;

	lprf2_file_free(&w->file);
	lprf2_building_free(&w->block);
	buf_free(&w->records);
	arena_free(&w->arena);
	free(w->stored);
}

static const struct writer_ops lprf2_ops = {
	.size = sizeof(struct lprf2_writer),
	.put = lprf2_put,
	.finish = lprf2_finish,
	.free = lprf2_free,
};

struct prof_writer *
lprf_writer_new(struct prof_context *context, const struct prof_target *t,
    prof_sink *sink, void *arg, struct prof_error *err)
{
	struct lprf2_writer *w = codec_writer_new(&lprf2_ops, context, sink,
	    arg, err);
	bool plain = t->plain || !lprf2_can_pack;

	if (w == NULL)
		return NULL;
	w->block_size = plain ? PLAIN_SIZE : PACKED_SIZE;
	w->in_order = t->in_order;
	if (plain || (w->file.packer = lprf2_packer_new(err)) != NULL)
		return &w->base;
	prof_writer_free(&w->base);
	return NULL;
}

void
lprf_versions(struct prof_versions *v)
{
	*v = (struct prof_versions){ LPRF2_VERSION, LPRF2_VERSION,
	    LPRF2_VERSION };
}
