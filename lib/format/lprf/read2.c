/*
 * The reader of version 2.  It reads block after block, and compares what they
 * hold with the index; with selected names it looks these up in the index, and
 * reads no other functions.
 */
#include "format/lprf/read2.h"

#include <stdlib.h>

#include "base/error.h"
#include "format/lprf/index.h"
#include "format/lprf/lines.h"
#include "format/lprf/lookup.h"
#include "format/lprf/v2.h"

struct lprf2_reader {
	struct prof_reader base;
	struct prof_span image;		/* up to the trailer */
	struct lprf2_trailer trailer;
	struct lprf2_packer *packer;	/* NULL until it is needed */
	uint64_t at;			/* of the next block */
	bool began, ended;
	/* What the blocks so far say of the file. */
	struct lprf2_trailer seen;
	struct lprf2_index index;
	enum lprf2_kind kind;		/* of the last one, but for INDEX */
	struct prof_function last;	/* the last one; its name is in */
	struct buf last_name;		/* last_name */
	/* The block that is read, all of which is in the arena. */
	struct arena arena;
	struct lprf2_block block;
	const struct prof_function *items;
	size_t item;
	struct lprf2_lines lines;
	/* With selected names, unless one is not there, or prefixes. */
	bool selects;
	struct lprf2_lookup lookup;	/* functions that were found, ranges */
};

/* Stores the last function of the block. */
static enum prof_status
lprf2_note_end(struct lprf2_reader *r, struct prof_error *err)
{
	struct prof_span name;

	r->last = r->items[r->block.size - 1];
	name = r->last.symbol.name;
	r->last_name.size = 0;
	buf_put(&r->last_name, name.data, name.size);
	r->last.symbol.name = (struct prof_span){ r->last_name.data,
	    r->last_name.size };
	return r->last_name.failed ? err_memory(err) : PROF_OK;
}

/* Adds the block to what the index has to be. */
static enum prof_status
lprf2_note_block(struct lprf2_reader *r, struct prof_error *err)
{
	bool functions = r->items != NULL, same = r->kind == r->block.kind;
	struct lprf2_entry e = { .kind = r->block.kind, .at = r->block.at };

	if (r->kind > r->block.kind || (same && functions &&
	    lprf2_compare(&r->last, &r->items[0]) >= 0))
		return err_at(err, PROF_E_CORRUPT, r->block.at,
		    "block: it does not come behind the one before it");
	if (functions)
		e.separator = lprf2_separator(same ? &r->last.symbol : NULL,
		    &r->items[0].symbol);
	if (!lprf2_index_add(&r->index, 0, &e))
		return err_memory(err);
	r->kind = r->block.kind;
	if (r->kind == LPRF2_TAIL && r->seen.tail == 0)
		r->seen.tail = r->block.at;
	if (!functions)
		return PROF_OK;
	r->seen.functions += r->block.size;
	return lprf2_note_end(r, err);
}

/* A block of the index lists the blocks since the last one of its level. */
static enum prof_status
lprf2_check_index(struct lprf2_reader *r, struct prof_error *err)
{
	unsigned level = r->block.level;
	const struct lprf2_building *b = level + 1 < LPRF2_LEVELS ?
	    &r->index.levels[level].block : NULL;

	if (b == NULL || b->size != r->block.size ||
	    r->block.sections[LPRF2_H].size != 0 ||
	    r->block.sections[LPRF2_D].size != 0 ||
	    !prof_span_equal(r->block.sections[LPRF2_N], (struct prof_span){
	    b->sections[LPRF2_N].data, b->sections[LPRF2_N].size }))
		return err_at(err, PROF_E_CORRUPT, r->block.at, "index: it is "
		    "not that of the blocks before it, on level %u", level);
	r->seen.root = r->block.at;
	return lprf2_index_close(&r->index, level, r->block.at) ? PROF_OK :
	    err_memory(err);
}

/* Whether the selected functions were found, and others are passed over. */
static bool
lprf2_has_selected(const struct lprf2_reader *r)
{
	return r->lookup.packer != NULL &&
	    (r->selects || r->lookup.ranges != NULL);
}

/* Reads the next block; there may be nothing in it that is a record. */
static enum prof_status
lprf2_begin_block(struct lprf2_reader *r, struct prof_error *err)
{
	struct lprf2_block *b = &r->block;

	arena_reset(&r->arena);
	r->items = NULL;
	r->item = 0;
	if (lprf2_get_block(r->image, r->at, r->image.size, b, err) != PROF_OK)
		return PROF_FAIL;
	r->at += b->stored;
	r->item = b->size;
	if (b->kind >= LPRF2_SKIPPED || (lprf2_has_selected(r) &&
	    b->kind == LPRF2_INDEX))
		return PROF_OK;
	if (lprf2_inflate(b, &r->packer, &r->arena, err) != PROF_OK)
		return PROF_FAIL;
	if (b->kind == LPRF2_INDEX)
		return lprf2_check_index(r, err);
	r->item = 0;
	if (b->kind == LPRF2_NAMES || b->kind == LPRF2_GUIDS) {
		r->items = lprf2_decode(b, &r->arena, err);
		if (r->items == NULL)
			return PROF_FAIL;
	} else {
		lprf2_lines_begin(&r->lines, b);
	}
	return lprf2_note_block(r, err);
}

/* One entry is left, of the root, which no block lists. */
static enum prof_status
lprf2_end(struct lprf2_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	unsigned height = lprf2_index_height(&r->index);
	bool whole = !lprf2_has_selected(r);
	size_t left = 0;

	for (unsigned i = 0; i < height; i++)
		left += r->index.levels[i].block.size;
	if (whole && (left != 1 || r->seen.root != r->trailer.root ||
	    r->index.levels[height - 1].last != r->trailer.root))
		return err_at(err, PROF_E_CORRUPT, r->image.size, "trailer: "
		    "the root of the index is not at 0x%llx, or does not list "
		    "all blocks", ull(r->trailer.root));
	if (whole && (r->seen.functions != r->trailer.functions ||
	    r->seen.tail != r->trailer.tail))
		return err_at(err, PROF_E_CORRUPT, r->image.size, "trailer: "
		    "%llu functions and records at 0x%llx, %llu and at 0x%llx "
		    "are there", ull(r->trailer.functions),
		    ull(r->trailer.tail), ull(r->seen.functions),
		    ull(r->seen.tail));
	r->ended = true;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

/* Goes on where the next range is, or behind all functions. */
static enum prof_status
lprf2_go_on(struct lprf2_reader *r, struct prof_error *err)
{
	const struct prof_span *last = r->kind == LPRF2_NAMES ?
	    &r->last.symbol.name : NULL;
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
	    .root = r->trailer.root, .packer = &r->packer };
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

	r->item++;
	if (lprf2_next_line(&r->lines, head, out, err) != PROF_OK)
		return PROF_FAIL;
	r->began = true;
	if (head)
		out->u.profile.source = (struct prof_source){
		    .format = "lprf", .version = LPRF2_VERSION,
		    .endian = 'l' };
	return PROF_OK;
}

static enum prof_status
lprf2_return_function(struct lprf2_reader *r, const struct prof_function *f,
    struct prof_record *out, struct prof_error *err)
{
	if (!r->began)
		return err_at(err, PROF_E_CORRUPT, r->block.at, "block: "
		    "functions stand before the record of the profile");
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

	lprf2_packer_free(r->packer);
	lprf2_index_free(&r->index);
	buf_free(&r->last_name);
	arena_free(&r->arena);
	stream_record_free(&r->lines.record);
	lprf2_lookup_free(&r->lookup);
}

static const struct reader_ops lprf2_ops = {
	.size = sizeof(struct lprf2_reader),
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
	r->at = LPRF2_HEADER;
	if (lprf2_get_header(image, err) == PROF_OK &&
	    lprf2_get_trailer(image, &r->trailer, err) == PROF_OK) {
		r->image = (struct prof_span){ image.data,
		    image.size - LPRF2_TRAILER };
		return &r->base;
	}
	prof_close(&r->base);
	return NULL;
}
