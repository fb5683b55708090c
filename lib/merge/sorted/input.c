#include "merge/sorted/input.h"

#include "merge/core/kinds.h"

/* Whether all of the record may be added before functions are known. */
static bool
sorted_takes_record(const struct prof_record *r)
{
	const struct prof_trace *t = &r->u.trace;

	switch (r->kind) {
	case PROF_REC_PROFILE:
	case PROF_REC_BINARY:
		return true;
	case PROF_REC_VTABLE:
		return r->u.vtable.symbol.name.size != 0;
	case PROF_REC_TRACE:
		for (size_t i = 0; i < t->size; i++) {
			if (t->functions[i].name.size == 0)
				return false;
		}
		return true;
	default:
		return false;
	}
}

/* A profile with functions is one of a kind, before any of them is added. */
static enum prof_status
sorted_begin_profile(const struct sorted_input *in, struct merge *m)
{
	if (m->main_worker.start.correlated)
		return PROF_FAIL;
	return in->blocks.trailer.functions == 0 ? PROF_OK :
	    merge_note_function(&m->main_worker, NULL);
}

static enum prof_status
sorted_add_lines(struct sorted_input *in, struct lprf2_block *b, bool *began,
    struct sorted_scratch *s, struct merge *m)
{
	struct prof_record r;

	arena_reset(&s->block);
	if (lprf2_inflate(b, &s->packer, &s->block, NULL) != PROF_OK)
		return PROF_FAIL;
	lprf2_lines_begin(&s->lines, b);
	for (size_t i = 0; i < b->size; i++) {
		if (lprf2_next_line(&s->lines, !*began, &r, NULL) != PROF_OK ||
		    !sorted_takes_record(&r) ||
		    merge_add(m, &r, &in->file.weight, NULL) != PROF_OK)
			return PROF_FAIL;
		if (!*began && sorted_begin_profile(in, m) != PROF_OK)
			return PROF_FAIL;
		*began = true;
	}
	return PROF_OK;
}

/* Adds the records of blocks of a kind, up to one of another or the end. */
static enum prof_status
sorted_add_records(struct sorted_input *in, enum lprf2_kind kind, bool *began,
    struct sorted_scratch *s, struct merge *m)
{
	struct lprf2_block b;
	enum prof_status status;

	while ((status = lprf2_blocks_next(&in->blocks, &b)) == PROF_OK) {
		if (b.kind >= LPRF2_INDEX)
			continue;
		if (b.kind != kind)
			return PROF_OK;
		if (sorted_add_lines(in, &b, began, s, m) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_END ? PROF_OK : PROF_FAIL;
}

enum prof_status
sorted_input_begin(struct sorted_input *in, struct sorted_scratch *s,
    struct merge *m)
{
	struct lprf2_source source = { in->file.arg, in->file.read,
	    in->file.size };
	bool began = false;

	if (lprf2_blocks_open(&in->blocks, &source) != PROF_OK ||
	    sorted_add_records(in, LPRF2_HEAD, &began, s, m) != PROF_OK ||
	    !began)
		return PROF_FAIL;
	if (in->blocks.trailer.tail != 0) {
		in->blocks.at = in->blocks.trailer.tail;
		if (sorted_add_records(in, LPRF2_TAIL, &began, s, m) !=
		    PROF_OK)
			return PROF_FAIL;
	}
	in->blocks.at = LPRF2_HEADER;
	return merge_add(m, &(struct prof_record){ .kind = PROF_REC_END },
	    &in->file.weight, NULL);
}

/* A block without functions is compared with the others of the file. */
static enum prof_status
sorted_pass_block(struct sorted_input *in, struct sorted_scratch *s)
{
	struct lprf2_outline *o = &in->blocks.outline;
	struct lprf2_block *b = &in->block;

	if (b->kind >= LPRF2_SKIPPED)
		return PROF_OK;
	if (b->kind != LPRF2_INDEX)
		return lprf2_outline_block(o, b, NULL, NULL);
	arena_reset(&s->block);
	return lprf2_inflate(b, &s->packer, &s->block, NULL) == PROF_OK ?
	    lprf2_outline_index(o, b, NULL) : PROF_FAIL;
}

enum prof_status
sorted_input_next(struct sorted_input *in, struct sorted_scratch *s)
{
	struct lprf2_blocks *b = &in->blocks;
	enum prof_status status;

	while ((status = lprf2_blocks_next(b, &in->block)) == PROF_OK) {
		if (in->block.kind == LPRF2_NAMES)
			return PROF_OK;
		if (in->block.kind == LPRF2_GUIDS ||
		    sorted_pass_block(in, s) != PROF_OK)
			return PROF_FAIL;
	}
	return status == PROF_FAIL ? PROF_FAIL : lprf2_outline_end(&b->outline,
	    &b->trailer, b->end, NULL) == PROF_OK ? PROF_END : PROF_FAIL;
}

void
sorted_input_end(struct sorted_input *in)
{
	lprf2_blocks_free(&in->blocks);
}
