/*
 * The reader of version 2.  It reads block after block, and passes over the
 * index; with selected names it looks these up in the index, and reads no other
 * functions.
 */
#include "format/lprf/read2.h"

#include <stdlib.h>

#include "base/error.h"
#include "format/lprf/lines.h"
#include "format/lprf/lookup.h"
#include "format/lprf/v2.h"

struct lprf2_reader {
	struct prof_reader base;
	struct prof_span image;		/* up to the trailer */
	struct lprf2_trailer trailer, seen;	/* seen: of the blocks so far */
	struct lprf2_packer *packer;	/* NULL until it is needed */
	uint64_t at;			/* of the next block */
	bool began, ended;
	uint64_t returned;		/* functions */
	uint64_t memory;		/* that the blocks so far take */
	enum lprf2_kind kind;		/* of the last one, but for INDEX */
	struct prof_symbol last;	/* its last function; the name is in */
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

/* Whether the selected functions were found, and others are passed over. */
static bool
lprf2_has_selected(const struct lprf2_reader *r)
{
	return r->lookup.packer != NULL &&
	    (r->selects || r->lookup.ranges != NULL);
}

/*
 * Adds what the block takes in memory.  Functions of one name that follow one
 * another have the same bytes.
 */
static enum prof_status
lprf2_count_memory(struct lprf2_reader *r, struct prof_error *err)
{
	const struct lprf2_block *b = &r->block;
	const uint8_t *last = NULL;
	uint64_t more = 0;

	for (size_t i = 0; r->items != NULL && i < b->size; i++) {
		const struct prof_span *name = &r->items[i].symbol.name;

		more += LPRF2_MEMORY_COUNTER *
		    (uint64_t)r->items[i].counts_size;
		if (name->data != last)
			more += name->size;
		last = name->data;
	}
	return lprf2_take_memory(&r->memory, b, more, b->at + b->stored, err);
}

/* Stores the last function of the block, which the next ones have to follow. */
static enum prof_status
lprf2_store_last(struct lprf2_reader *r, struct prof_error *err)
{
	r->last = r->items[r->block.size - 1].symbol;
	r->last_name.size = 0;
	buf_put(&r->last_name, r->last.name.data, r->last.name.size);
	r->last.name = buf_span(&r->last_name);
	return r->last_name.failed ? err_memory(err) : PROF_OK;
}

/* Compares a block of functions or records with those before it. */
static enum prof_status
lprf2_check_block(struct lprf2_reader *r, struct prof_error *err)
{
	const struct lprf2_block *b = &r->block;

	if (r->kind > b->kind || (r->kind == b->kind && r->items != NULL &&
	    lprf2_compare_symbols(&r->last, &r->items[0].symbol) >= 0))
		return err_at(err, PROF_E_CORRUPT, b->at, "block: it does not "
		    "follow the one before it");
	for (size_t i = LPRF2_N + 1; i < LPRF2_SECTIONS; i++) {
		if (r->items == NULL && b->raw[i] != 0)
			return err_at(err, PROF_E_CORRUPT, b->at,
			    "block: records have other sections than N");
	}
	if (lprf2_count_memory(r, err) != PROF_OK)
		return PROF_FAIL;
	r->kind = b->kind;
	if (r->kind == LPRF2_TAIL && r->seen.tail == 0)
		r->seen.tail = b->at;
	if (r->items == NULL)
		return PROF_OK;
	r->seen.functions += b->size;
	return lprf2_store_last(r, err);
}

/* Reads all functions of a block, but for targets if these may be left out. */
static enum prof_status
lprf2_begin_functions(struct lprf2_reader *r, struct prof_error *err)
{
	static const struct lprf2_targets unread = { .unread = true };
	const struct prof_context *c = r->base.context;
	bool all = c == NULL || !c->without_targets;

	if ((all ? lprf2_inflate : lprf2_inflate_but_targets)(&r->block,
	    &r->packer, &r->arena, err) != PROF_OK)
		return PROF_FAIL;
	r->items = lprf2_decode(&r->block, all ? NULL : &unread, &r->arena,
	    err);
	return r->items == NULL ? PROF_FAIL : lprf2_check_block(r, err);
}

/* Reads the next block; there may be nothing in it that is a record. */
static enum prof_status
lprf2_begin_block(struct lprf2_reader *r, struct prof_error *err)
{
	struct lprf2_block *b = &r->block;

	arena_reset(&r->arena);
	r->items = NULL;
	if (lprf2_get_block_within(r->image, r->at, b, err) != PROF_OK)
		return PROF_FAIL;
	r->at += b->stored;
	r->item = b->size;
	if (b->kind >= LPRF2_SKIPPED)
		return PROF_OK;
	if (b->kind == LPRF2_INDEX) {
		r->seen.root = b->at;
		return lprf2_count_memory(r, err);
	}
	r->item = 0;
	if (b->kind == LPRF2_NAMES || b->kind == LPRF2_GUIDS)
		return lprf2_begin_functions(r, err);
	if (lprf2_inflate(b, &r->packer, &r->arena, err) != PROF_OK)
		return PROF_FAIL;
	lprf2_lines_begin(&r->lines, b);
	return lprf2_check_block(r, err);
}

/* Compares the trailer with the blocks, all of which were read. */
static enum prof_status
lprf2_check_trailer(const struct lprf2_reader *r, struct prof_error *err)
{
	const struct lprf2_trailer *t = &r->trailer, *seen = &r->seen;

	if (seen->root != t->root)
		return err_at(err, PROF_E_CORRUPT, r->image.size, "trailer: "
		    "the root of the index is not at 0x%llx", ull(t->root));
	return seen->functions == t->functions && seen->tail == t->tail ?
	    PROF_OK : err_at(err, PROF_E_CORRUPT, r->image.size, "trailer: "
	    "%llu functions and records at 0x%llx, but %llu and at 0x%llx "
	    "were found", ull(t->functions), ull(t->tail),
	    ull(seen->functions), ull(seen->tail));
}

static enum prof_status
lprf2_end(struct lprf2_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	if (!lprf2_has_selected(r) && lprf2_check_trailer(r, err) != PROF_OK)
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
	const struct prof_span *last = r->kind == LPRF2_NAMES ?
	    &r->last.name : NULL;
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

	lprf2_packer_free(r->packer);
	buf_free(&r->last_name);
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
	r->at = LPRF2_HEADER;
	if (lprf2_get_header(image, err) == PROF_OK &&
	    lprf2_get_trailer(image, &r->trailer, err) == PROF_OK) {
		r->base.input_size = image.size;
		r->image = (struct prof_span){ image.data,
		    image.size - LPRF2_TRAILER };
		return &r->base;
	}
	prof_close(&r->base);
	return NULL;
}
