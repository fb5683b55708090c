/*
 * The reader of version 2: the index first, then block after block.  With
 * selected names, only blocks of functions that hold one of them are read.
 */
#include "format/lprf/read2.h"

#include <stdlib.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "format/lprf/index.h"
#include "format/lprf/v2.h"
#include "format/stream/stream.h"

struct lprf2_reader {
	struct prof_reader base;
	struct prof_span image;
	uint64_t index_at, functions;
	struct lprf2_packer *packer;	/* NULL until it is needed */
	struct arena arena;		/* of the index */
	struct lprf2_entry *entries;
	size_t size, next;		/* blocks; the one to be read */
	bool *wanted;			/* by block; NULL: all are */
	bool ended;
	/* The block that is read, in its arena. */
	struct arena block_arena;
	struct lprf2_block block;
	struct prof_function *items, last;
	struct cursor lines;
	size_t item;
	uint64_t seen;			/* functions */
	struct stream_record record;
};

/* The offset behind a block. */
static uint64_t
lprf2_end_of(const struct lprf2_reader *r, size_t i)
{
	return i + 1 < r->size ? r->entries[i + 1].at : r->index_at;
}

static enum prof_status
lprf2_load(struct lprf2_reader *r, size_t i, struct arena *arena,
    struct lprf2_block *b, struct prof_error *err)
{
	const struct lprf2_entry *e = &r->entries[i];
	uint64_t end = lprf2_end_of(r, i);

	if (lprf2_get_block(r->image, e->at, end, b, err) != PROF_OK)
		return PROF_FAIL;
	if (b->kind != e->kind || b->stored != end - e->at || b->size == 0)
		return err_at(err, PROF_E_CORRUPT, e->at, "block: it is not "
		    "what the index says of it");
	return lprf2_inflate(b, &r->packer, arena, err);
}

/* Functions are in order from block to block, and begin as the index says. */
static enum prof_status
lprf2_check_first(struct lprf2_reader *r, size_t i, struct prof_error *err)
{
	const struct prof_function *f = &r->items[0];
	const struct prof_symbol *first = &r->entries[i].first;

	if (f->symbol.guid != first->guid ||
	    !prof_span_equal(f->symbol.name, first->name))
		return err_at(err, PROF_E_CORRUPT, r->block.at, "block: its "
		    "first function is not that of the index");
	return PROF_OK;
}

static enum prof_status
lprf2_begin_block(struct lprf2_reader *r, struct prof_error *err)
{
	size_t i = r->next++;

	arena_reset(&r->block_arena);
	r->item = 0;
	if (lprf2_load(r, i, &r->block_arena, &r->block, err) != PROF_OK)
		return PROF_FAIL;
	if (r->block.kind == LPRF2_RECORDS) {
		r->lines = (struct cursor){ .size = r->block.sections[0].size,
		    .data = r->block.sections[0].data };
		return PROF_OK;
	}
	r->items = lprf2_decode(&r->block, &r->block_arena, err);
	r->seen += r->block.size;
	return r->items == NULL ? PROF_FAIL : lprf2_check_first(r, i, err);
}

static enum prof_status
lprf2_parse(struct lprf2_reader *r, struct prof_span line,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_error why = { 0 };

	if (stream_scan(&r->record, line, out))
		return PROF_OK;
	if (jdoc_load(&r->record.doc, line, r->item + 1, &why) == PROF_OK) {
		r->record.doc.err = &why;
		if (stream_parse(&r->record, line, out) == PROF_OK)
			return PROF_OK;
	}
	return err_is_lack(why.code) ? err_set(err, why.code, "%s",
	    why.reason) : err_at(err, PROF_E_CORRUPT, r->block.at,
	    "block: record %zu: %s", r->item + 1, why.reason);
}

/* A line of a block of records; the first of the file is the profile's. */
static enum prof_status
lprf2_next_line(struct lprf2_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct cursor *c = &r->lines;
	const uint8_t *start = c->data + c->pos;
	const uint8_t *newline = cur_left(c) == 0 ? NULL :
	    memchr(start, '\n', cur_left(c));
	bool head = r->next == 1 && r->item == 0;
	struct prof_span line;

	if (newline == NULL)
		return err_at(err, PROF_E_CORRUPT, r->block.at,
		    "block: record %zu has no end", r->item + 1);
	line = (struct prof_span){ start, (size_t)(newline - start) };
	c->pos += line.size + 1;
	arena_reset(&r->record.arena);
	if (lprf2_parse(r, line, out, err) != PROF_OK)
		return PROF_FAIL;
	if (head != (out->kind == PROF_REC_PROFILE) ||
	    out->kind == PROF_REC_END || out->kind == PROF_REC_FUNCTION)
		return err_at(err, PROF_E_CORRUPT, r->block.at, "block: record "
		    "%zu may not stand there", r->item + 1);
	if (++r->item == r->block.size && cur_left(c) != 0)
		return err_at(err, PROF_E_CORRUPT, r->block.at,
		    "block: bytes behind the last record");
	if (head)
		out->u.profile.source = (struct prof_source){
		    .format = "lprf", .version = LPRF2_VERSION,
		    .endian = 'l' };
	return PROF_OK;
}

static enum prof_status
lprf2_end(struct lprf2_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	if (r->ended)
		return PROF_END;
	if (r->wanted == NULL && r->seen != r->functions)
		return err_at(err, PROF_E_CORRUPT, r->image.size -
		    LPRF2_TRAILER + 8, "trailer: %llu functions, %llu are "
		    "there", ull(r->functions), ull(r->seen));
	r->ended = true;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

static enum prof_status
lprf2_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct lprf2_reader *r = (struct lprf2_reader *)base;

	if (r->item == r->block.size) {
		while (r->wanted != NULL && r->next < r->size &&
		    !r->wanted[r->next])
			r->next++;
		if (r->next == r->size)
			return lprf2_end(r, out, err);
		if (lprf2_begin_block(r, err) != PROF_OK)
			return PROF_FAIL;
	}
	if (r->block.kind == LPRF2_RECORDS)
		return lprf2_next_line(r, out, err);
	out->kind = PROF_REC_FUNCTION;
	out->u.function = r->items[r->item++];
	return PROF_OK;
}

/* The last block whose first name is not behind the name; size if none. */
static size_t
lprf2_find(const struct lprf2_reader *r, struct prof_span name)
{
	size_t found = r->size;

	for (size_t i = 0; i < r->size; i++) {
		if (r->entries[i].kind == LPRF2_NAMES && prof_span_compare(
		    r->entries[i].first.name, name) <= 0)
			found = i;
	}
	return found;
}

/* Marks the block of a name; false if no block has it. */
static bool
lprf2_want(struct lprf2_reader *r, struct prof_span name)
{
	size_t i = lprf2_find(r, name);
	struct lprf2_block b;
	struct prof_function *all;
	bool found = false;

	if (i == r->size)
		return false;
	arena_reset(&r->block_arena);
	if (lprf2_load(r, i, &r->block_arena, &b, NULL) != PROF_OK ||
	    (all = lprf2_decode(&b, &r->block_arena, NULL)) == NULL)
		return false;
	for (size_t k = 0; k < b.size && !found; k++)
		found = prof_span_equal(all[k].symbol.name, name);
	r->wanted[i] = true;
	return found;
}

static void
lprf2_select(struct prof_reader *base)
{
	struct lprf2_reader *r = (struct lprf2_reader *)base;
	bool all = true;

	r->wanted = calloc(r->size + 1, sizeof(*r->wanted));
	if (r->wanted == NULL)
		return;
	for (size_t i = 0; i < r->size; i++)
		r->wanted[i] = r->entries[i].kind == LPRF2_RECORDS;
	for (size_t i = 0; i < base->selected_size && all; i++)
		all = lprf2_want(r, base->selected[i]);
	if (!all) {
		free(r->wanted);
		r->wanted = NULL;
	}
}

static void
lprf2_close(struct prof_reader *base)
{
	struct lprf2_reader *r = (struct lprf2_reader *)base;

	lprf2_packer_free(r->packer);
	free(r->wanted);
	arena_free(&r->arena);
	arena_free(&r->block_arena);
	stream_record_free(&r->record);
}

static const struct reader_ops lprf2_ops = {
	.size = sizeof(struct lprf2_reader),
	.next = lprf2_next,
	.select = lprf2_select,
	.close = lprf2_close,
};

/* Header and trailer. */
static enum prof_status
lprf2_read_ends(struct lprf2_reader *r, struct prof_error *err)
{
	size_t size = r->image.size, at = size - LPRF2_TRAILER;
	const uint8_t *p = r->image.data, *t = p + at;

	if (size < LPRF2_HEADER + LPRF2_BLOCK_HEAD + LPRF2_TRAILER)
		return err_at(err, PROF_E_TRUNCATED, size, "%zu bytes are no "
		    "LPRF 2: header, index and trailer take %d", size,
		    LPRF2_HEADER + LPRF2_BLOCK_HEAD + LPRF2_TRAILER);
	if (crc32c((struct prof_span){ p, 12 }) != load_u32(p + 12, false))
		return err_at(err, PROF_E_CORRUPT, 0, "header: its checksum is "
		    "not that of its bytes");
	if (load_u32(p + 8, false) != 0)
		return err_at(err, PROF_E_VERSION, 8, "header: features 0x%x "
		    "are not known", load_u32(p + 8, false));
	if (memcmp(t + 24, LPRF2_TRAILER_MAGIC, 8) != 0)
		return err_at(err, PROF_E_TRUNCATED, size,
		    "the file ends without a trailer");
	if (crc32c((struct prof_span){ t, 20 }) != load_u32(t + 20, false))
		return err_at(err, PROF_E_CORRUPT, at, "trailer: its checksum "
		    "is not that of its bytes");
	r->index_at = load_u64(t, false);
	r->functions = load_u64(t + 8, false);
	if (r->index_at < LPRF2_HEADER || r->index_at > at)
		return err_at(err, PROF_E_CORRUPT, at, "trailer: the index at "
		    "0x%llx is not in the file", ull(r->index_at));
	return PROF_OK;
}

/* Blocks follow each other from the header to the index. */
static enum prof_status
lprf2_check_places(const struct lprf2_reader *r, struct prof_error *err)
{
	uint64_t last = 0;

	for (size_t i = 0; i < r->size; i++) {
		uint64_t at = r->entries[i].at;

		if ((i == 0 ? at != LPRF2_HEADER : at <= last) ||
		    at >= r->index_at)
			return err_at(err, PROF_E_CORRUPT, r->index_at,
			    "index: block %zu is not behind the one before",
			    i);
		last = at;
	}
	if (r->size == 0 || r->entries[0].kind != LPRF2_RECORDS)
		return err_at(err, PROF_E_CORRUPT, r->index_at,
		    "index: the first block is not one of records");
	return PROF_OK;
}

static enum prof_status
lprf2_read_index(struct lprf2_reader *r, struct prof_error *err)
{
	struct lprf2_block b;

	if (lprf2_read_ends(r, err) != PROF_OK ||
	    lprf2_get_block(r->image, r->index_at, r->image.size -
	    LPRF2_TRAILER, &b, err) != PROF_OK ||
	    lprf2_inflate(&b, &r->packer, &r->arena, err) != PROF_OK)
		return PROF_FAIL;
	r->entries = lprf2_index_read(&b, &r->arena, err);
	r->size = b.size;
	return r->entries == NULL ? PROF_FAIL : lprf2_check_places(r, err);
}

struct prof_reader *
lprf2_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct lprf2_reader *r = codec_reader_new(&lprf2_ops, context, err);

	if (r == NULL)
		return NULL;
	r->image = image;
	r->record.context = context;
	if (lprf2_read_index(r, err) == PROF_OK)
		return &r->base;
	prof_close(&r->base);
	return NULL;
}
