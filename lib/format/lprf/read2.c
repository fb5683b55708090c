/*
 * The reader of version 2.  It reads block after block, and compares what they
 * hold with the index; with selected names it looks these up in the index, and
 * reads no other functions.
 */
#include "format/lprf/read2.h"

#include <stdlib.h>

#include "base/error.h"
#include "format/lprf/lines.h"
#include "format/lprf/lookup.h"
#include "format/lprf/outline.h"
#include "format/lprf/reuse.h"
#include "format/lprf/v2.h"

struct lprf2_reader {
	struct prof_reader base;
	struct prof_span image;		/* up to the trailer */
	struct lprf2_trailer trailer;
	struct lprf2_reuse *reuse;
	uint64_t at;			/* of the next block */
	bool began, ended;
	uint64_t returned;		/* functions */
	struct lprf2_outline outline;	/* of the blocks so far */
	/* The block that is read, all of which is in the arena. */
	struct arena arena;
	struct lprf2_block block;
	const struct prof_function *items;
	size_t item;
	struct lprf2_lines lines;
	bool known;			/* its records are those of reuse */
	/* With selected names, unless one is not there, or prefixes. */
	bool selects;
	struct lprf2_lookup lookup;	/* functions that were found, ranges */
};

/* Whether the selected functions were found, and others are passed over. */
static bool
lprf2_has_selected(const struct lprf2_reader *r)
{
	return r->lookup.packer != NULL &&
	    (r->selects || r->lookup.ranges != NULL);
}

/* Begins the first block of the file; true if its records are known. */
static bool
lprf2_begin_head(struct lprf2_reader *r)
{
	r->known = lprf2_reuse_has(r->reuse, &r->block);
	if (r->known)
		r->item = 0;
	else
		lprf2_reuse_begin(r->reuse, &r->block);
	return r->known;
}

/* Reads all functions of a block, but for targets if these may be left out. */
static enum prof_status
lprf2_begin_functions(struct lprf2_reader *r, struct prof_error *err)
{
	static const struct lprf2_targets unread = { .unread = true };
	const struct prof_context *c = r->base.context;
	bool all = c == NULL || !c->without_targets;

	if ((all ? lprf2_inflate : lprf2_inflate_but_targets)(&r->block,
	    &r->reuse->packer, &r->arena, err) != PROF_OK)
		return PROF_FAIL;
	r->items = lprf2_decode(&r->block, all ? NULL : &unread, &r->arena,
	    err);
	return r->items == NULL ? PROF_FAIL : lprf2_outline_block(&r->outline,
	    &r->block, r->items, err);
}

/* Reads the next block; there may be nothing in it that is a record. */
static enum prof_status
lprf2_begin_block(struct lprf2_reader *r, struct prof_error *err)
{
	struct lprf2_block *b = &r->block;

	arena_reset(&r->arena);
	r->items = NULL;
	r->known = false;
	r->item = 0;
	if (lprf2_get_block_within(r->image, r->at, b, err) != PROF_OK)
		return PROF_FAIL;
	r->at += b->stored;
	r->item = b->size;
	if (b->kind >= LPRF2_SKIPPED || (lprf2_has_selected(r) &&
	    b->kind == LPRF2_INDEX))
		return PROF_OK;
	if (b->at == LPRF2_HEADER && b->kind == LPRF2_HEAD &&
	    lprf2_begin_head(r))
		return lprf2_outline_block(&r->outline, b, NULL, err);
	if (b->kind == LPRF2_NAMES || b->kind == LPRF2_GUIDS) {
		r->item = 0;
		return lprf2_begin_functions(r, err);
	}
	if (lprf2_inflate(b, &r->reuse->packer, &r->arena, err) != PROF_OK)
		return PROF_FAIL;
	if (b->kind == LPRF2_INDEX)
		return lprf2_outline_index(&r->outline, b, err);
	r->item = 0;
	lprf2_lines_begin(&r->lines, b);
	return lprf2_outline_block(&r->outline, b, NULL, err);
}

static enum prof_status
lprf2_end(struct lprf2_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	if (!lprf2_has_selected(r) && lprf2_outline_end(&r->outline,
	    &r->trailer, r->image.size, err) != PROF_OK)
		return PROF_FAIL;
	r->base.passed = r->trailer.functions > r->returned ?
	    r->trailer.functions - r->returned : 0;
	r->ended = true;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

/* Goes on where the next range is, or behind all functions. */
static enum prof_status
lprf2_go_on(struct lprf2_reader *r, struct prof_error *err)
{
	const struct prof_span *last = r->outline.kind == LPRF2_NAMES ?
	    &r->outline.last.symbol.name : NULL;
	enum prof_status status = lprf2_next_range(&r->lookup, last, &r->at,
	    err);

	if (status == PROF_END)
		r->at = r->trailer.tail == 0 ? r->image.size : r->trailer.tail;
	return status == PROF_FAIL ? status : PROF_OK;
}

/* Whether a function of the block is one of the ranges, if there are any. */
static bool
lprf2_is_in_ranges(const struct lprf2_reader *r, struct prof_span name)
{
	return r->lookup.ranges == NULL ||
	    prof_span_begins_in(name, r->base.prefixes,
	    r->base.prefixes_size) || prof_span_in(name, r->base.selected,
	    r->base.selected_size);
}

/* Finds what is selected, and goes on behind the functions. */
static enum prof_status
lprf2_begin_selected(struct lprf2_reader *r, struct prof_error *err)
{
	enum prof_status status;

	r->lookup = (struct lprf2_lookup){ .image = r->image,
	    .root = r->trailer.root, .packer = &r->reuse->packer };
	if (lprf2_check_root(&r->lookup, err) != PROF_OK)
		return PROF_FAIL;
	if (r->base.prefixes_size != 0)
		return lprf2_set_ranges(&r->lookup, &r->base) ?
		    lprf2_go_on(r, err) : err_memory(err);
	status = lprf2_look_up(&r->lookup, r->base.selected,
	    r->base.selected_size, err);
	if (status == PROF_FAIL)
		return PROF_FAIL;
	if (status == PROF_END) {
		r->selects = false;
		return PROF_OK;
	}
	r->at = r->trailer.tail == 0 ? r->image.size : r->trailer.tail;
	return PROF_OK;
}

/* Whether the functions that are looked up come now, by the kind of a block. */
static bool
lprf2_selected_are_next(const struct lprf2_reader *r)
{
	return (r->selects || r->base.prefixes_size != 0) &&
	    r->lookup.packer == NULL && r->at +
	    LPRF2_BLOCK_HEAD <= r->image.size && r->image.data[r->at + 4] >=
	    LPRF2_GUIDS && r->image.data[r->at + 4] <= LPRF2_NAMES;
}

/* Reads blocks up to one that has a record; PROF_END behind the last. */
static enum prof_status
lprf2_next_block(struct lprf2_reader *r, struct prof_error *err)
{
	for (;;) {
		while (r->items != NULL && r->item < r->block.size &&
		    !lprf2_is_in_ranges(r, r->items[r->item].symbol.name))
			r->item++;
		if (r->item != r->block.size || (r->selects &&
		    r->lookup.next < r->lookup.size))
			return PROF_OK;
		if (r->at == r->image.size)
			return PROF_END;
		if (r->lookup.ranges != NULL && r->items != NULL) {
			r->items = NULL;
			if (lprf2_go_on(r, err) != PROF_OK)
				return PROF_FAIL;
		} else if (lprf2_selected_are_next(r)) {
			if (lprf2_begin_selected(r, err) != PROF_OK)
				return PROF_FAIL;
		} else if (lprf2_begin_block(r, err) != PROF_OK) {
			return PROF_FAIL;
		}
	}
	return PROF_OK;
}

static enum prof_status
lprf2_return_line(struct lprf2_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	bool head = !r->began;

	if (r->known) {
		*out = r->reuse->records[r->item++];
		r->began = true;
		return PROF_OK;
	}
	r->item++;
	if (lprf2_next_line(&r->lines, head, out, err) != PROF_OK)
		return PROF_FAIL;
	r->began = true;
	if (head)
		out->u.profile.source = (struct prof_source){
		    .format = "lprf", .version = LPRF2_VERSION,
		    .endian = 'l' };
	/* The next reader warns again of what was warned of. */
	if (r->block.at == LPRF2_HEADER && !r->lines.record.warned)
		lprf2_reuse_note(r->reuse, out);
	return PROF_OK;
}

static enum prof_status
lprf2_return_function(struct lprf2_reader *r, const struct prof_function *f,
    struct prof_record *out, struct prof_error *err)
{
	if (!r->began)
		return err_at(err, PROF_E_CORRUPT, r->block.at, "block: "
		    "functions precede the record of the profile");
	r->returned++;
	out->kind = PROF_REC_FUNCTION;
	out->u.function = *f;
	return f->extra.size == 0 ? PROF_OK : lprf2_check_extra(&r->lines,
	    r->block.at, f->extra, err);
}

static enum prof_status
lprf2_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct lprf2_reader *r = (struct lprf2_reader *)base;
	enum prof_status status;

	if (r->ended)
		return PROF_END;
	status = lprf2_next_block(r, err);
	if (status != PROF_OK)
		return status == PROF_END ? lprf2_end(r, out, err) : PROF_FAIL;
	if (r->item == r->block.size)
		return lprf2_return_function(r,
		    &r->lookup.found[r->lookup.next++], out, err);
	if (r->items == NULL)
		return lprf2_return_line(r, out, err);
	return lprf2_return_function(r, &r->items[r->item++], out, err);
}

static void
lprf2_select(struct prof_reader *base)
{
	((struct lprf2_reader *)base)->selects = true;
}

static void
lprf2_close(struct prof_reader *base)
{
	struct lprf2_reader *r = (struct lprf2_reader *)base;

	lprf2_reuse_leave(base->context, r->reuse);
	lprf2_outline_free(&r->outline);
	arena_free(&r->arena);
	stream_record_free(&r->lines.record);
	lprf2_lookup_free(&r->lookup);
}

static const struct reader_ops lprf2_ops = {
	.size = sizeof(struct lprf2_reader),
	.sorted = true,
	.next = lprf2_next,
	.select = lprf2_select,
	.close = lprf2_close,
};

struct prof_reader *
lprf2_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct lprf2_reader *r = codec_reader_new(&lprf2_ops, context, err);

	if (r == NULL)
		return NULL;
	r->lines.record.context = context;
	r->reuse = lprf2_reuse_take(context);
	r->at = LPRF2_HEADER;
	if (r->reuse == NULL)
		err_memory(err);
	else if (lprf2_get_header(image, err) == PROF_OK &&
	    lprf2_get_trailer(image, &r->trailer, err) == PROF_OK) {
		r->base.input_size = image.size;
		r->image = (struct prof_span){ image.data,
		    image.size - LPRF2_TRAILER };
		return &r->base;
	}
	prof_close(&r->base);
	return NULL;
}
