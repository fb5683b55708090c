#include <stdlib.h>

#include "base/error.h"
#include "base/json_text.h"
#include "model/value_sites.h"
#include "format/lprf/v2.h"

/* The lines of a block of records.  All zero but for the context has none. */
struct lprf2_lines {
	struct stream_record record;
	struct cursor text;
	uint64_t at;			/* offset of the block */
	size_t size, next;
};

static enum prof_status
lprf2_parse_line(struct lprf2_lines *l, struct prof_span line,
    struct prof_record *out, struct prof_error *err)
{
	struct prof_error why = { 0 };

	if (stream_scan(&l->record, line, out))
		return PROF_OK;
	if (jdoc_load(&l->record.doc, line, l->next + 1, &why) == PROF_OK) {
		l->record.doc.err = &why;
		if (stream_parse(&l->record, line, out) == PROF_OK)
			return PROF_OK;
	}
	return err_is_lack(why.code) ? err_repeat(err, &why) :
	    err_at(err, PROF_E_CORRUPT, l->at,
	    "block: record %zu of %zu: %s", l->next + 1, l->size, why.reason);
}

/*
 * The next line, which is there; `head` if it is the first one of the file,
 * which is that of the profile.
 */
static enum prof_status
lprf2_next_line(struct lprf2_lines *l, bool head, struct prof_record *out,
    struct prof_error *err)
{
	struct cursor *c = &l->text;
	const uint8_t *start = c->data + c->pos;
	const uint8_t *newline = cur_left(c) == 0 ? NULL :
	    memchr(start, '\n', cur_left(c));
	struct prof_span line = { start, 0 };

	if (newline == NULL)
		return err_at(err, PROF_E_CORRUPT, l->at,
		    "block: record %zu of %zu: its line has no end",
		    l->next + 1, l->size);
	line.size = (size_t)(newline - start);
	c->pos += line.size + 1;
	line = json_text_trim(line);
	arena_reset(&l->record.arena);
	if (lprf2_parse_line(l, line, out, err) != PROF_OK)
		return PROF_FAIL;
	if (head != (out->kind == PROF_REC_PROFILE) ||
	    out->kind == PROF_REC_END || out->kind == PROF_REC_FUNCTION ||
	    out->kind == PROF_REC_RAW_COUNTERS)
		return err_at(err, PROF_E_CORRUPT, l->at, "block: record %zu "
		    "of %zu: %s", l->next + 1, l->size, head ? "the first of "
		    "the file is not a profile record" : "a record of its kind "
		    "cannot occur there");
	if (++l->next == l->size && cur_left(c) != 0)
		return err_at(err, PROF_E_CORRUPT, l->at, "block: %zu bytes "
		    "follow its last record", cur_left(c));
	return PROF_OK;
}

/* Whether the line of a function with that text has nothing but that. */
static bool
lprf2_extra_is_read(struct lprf2_lines *l, struct prof_span line,
    struct prof_span extra, struct prof_error *why)
{
	struct prof_record out;
	const struct prof_function *f = &out.u.function;

	if (jdoc_load(&l->record.doc, line, 1, why) != PROF_OK)
		return false;
	l->record.doc.err = why;
	return stream_parse(&l->record, line, &out) == PROF_OK &&
	    out.kind == PROF_REC_FUNCTION && f->counts_size == 0 &&
	    f->bitmap.size == 0 && f->uniform_size == 0 &&
	    value_sites_count(f->values) == 0 &&
	    prof_span_equal(f->extra, extra);
}

/*
 * The unknown keys of a function are text that becomes a part of a line of a
 * stream: fails unless the reader of such a line finds the same text.
 */
static enum prof_status
lprf2_check_extra(struct lprf2_lines *l, uint64_t at, struct prof_span extra,
    struct prof_error *err)
{
	struct prof_record function = { .kind = PROF_REC_FUNCTION,
	    .u.function = { .symbol.guid = 1, .extra = extra } };
	struct buf line = { 0 };
	struct prof_error why = { 0 };
	bool read;

	stream_put_record(&line, &function);
	arena_reset(&l->record.arena);
	read = !line.failed && lprf2_extra_is_read(l, (struct prof_span){
	    line.data, line.size - 1 }, extra, &why);
	if (line.failed || err_is_lack(why.code))
		err_memory(err);
	else if (!read)
		err_at(err, PROF_E_CORRUPT, at, "block: section M: the unknown "
		    "keys of a function are not members of JSON");
	buf_free(&line);
	return read ? PROF_OK : PROF_FAIL;
}

/*
 * The reader.  It reads block after block, and passes over the index; it looks
 * selected names up in the index.
 */

struct lprf2_reader {
	struct prof_reader base;
	struct prof_span image;		/* up to the trailer */
	struct lprf2_trailer trailer, seen;	/* seen: of the blocks so far */
	struct lprf2_packer **packer;	/* of the context, or own; points to
					   NULL until it is needed */
	struct lprf2_packer *own;
	uint64_t at;			/* of the next block */
	bool began, ended;
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
	/* With selected names, unless one is not there. */
	bool selects;
	struct lprf2_lookup lookup;
	struct prof_function *found;	/* of the selected names */
	size_t found_size, found_room, next_found;
};

/*
 * Bytes of counters and names.  Functions of one name that follow one another
 * have the same bytes.
 */
static uint64_t
lprf2_functions_memory(const struct prof_function *f, size_t n)
{
	const uint8_t *last = NULL;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += LPRF2_MEMORY_COUNTER * (uint64_t)f[i].counts_size;
		if (f[i].symbol.name.data != last)
			sum += f[i].symbol.name.size;
		last = f[i].symbol.name.data;
	}
	return sum;
}

/* Adds what the block takes in memory. */
static enum prof_status
lprf2_count_memory(struct lprf2_reader *r, struct prof_error *err)
{
	const struct lprf2_block *b = &r->block;

	return lprf2_take_memory(&r->memory, b, r->items == NULL ? 0 :
	    lprf2_functions_memory(r->items, b->size), b->at + b->stored, err);
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
	/* The functions of the next block have to follow the last of this. */
	r->last = r->items[b->size - 1].symbol;
	r->last_name.size = 0;
	buf_put(&r->last_name, r->last.name.data, r->last.name.size);
	r->last.name = buf_span(&r->last_name);
	return r->last_name.failed ? err_memory(err) : PROF_OK;
}

/* The functions of a block, without targets if these may be left out. */
static const struct prof_function *
lprf2_read_functions(struct lprf2_reader *r, struct lprf2_block *b,
    struct arena *arena, struct prof_error *err)
{
	const struct prof_context *c = r->base.context;

	return lprf2_decode(b, c == NULL || !c->without_targets, r->packer,
	    arena, err);
}

/* Reads the next block; there may be nothing in it that is a record. */
static enum prof_status
lprf2_begin_block(struct lprf2_reader *r, struct prof_error *err)
{
	struct lprf2_block *b = &r->block;

	arena_reset(&r->arena);
	r->items = NULL;
	if (lprf2_get_block(r->image, r->at, b, err) != PROF_OK)
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
	if (b->kind == LPRF2_NAMES || b->kind == LPRF2_GUIDS) {
		r->items = lprf2_read_functions(r, b, &r->arena, err);
		return r->items == NULL ? PROF_FAIL :
		    lprf2_check_block(r, err);
	}
	if (lprf2_inflate(b, true, r->packer, &r->arena, err) != PROF_OK)
		return PROF_FAIL;
	r->lines.text = (struct cursor){ .data = b->sections[LPRF2_N].data,
	    .size = b->sections[LPRF2_N].size };
	r->lines.at = b->at;
	r->lines.size = b->size;
	r->lines.next = 0;
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
	/* Selected functions were looked up, and others passed over. */
	bool selected = r->lookup.packer != NULL && r->selects;

	if (!selected && lprf2_check_trailer(r, err) != PROF_OK)
		return PROF_FAIL;
	r->ended = true;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

/* Finds the functions of all selected names; PROF_END if one is not there. */
static enum prof_status
lprf2_find_selected(struct lprf2_reader *r, struct prof_error *err)
{
	const struct prof_function *f = NULL;
	struct lprf2_lookup *l = &r->lookup;
	struct lprf2_block b = { .stored = 0 };
	enum prof_status status;
	uint64_t at = 0;
	size_t i = 0;

	/* Names are in order, as are functions: none is compared twice. */
	for (size_t n = 0; n < r->base.selected_size; n++) {
		const struct prof_span name = r->base.selected[n];
		size_t before = r->found_size;

		status = name.size == 0 ? PROF_END :
		    lprf2_descend(l, name, &at, err);
		if (status != PROF_OK)
			return status;
		if (f == NULL || b.at != at) {
			if (lprf2_load(l, at, &b, err) != PROF_OK)
				return PROF_FAIL;
			if (b.kind != LPRF2_NAMES)
				return err_at(err, PROF_E_CORRUPT, at, "block: "
				    "there are no functions where the index "
				    "has some");
			f = lprf2_read_functions(r, &b, &l->arena, err);
			if (f == NULL)
				return PROF_FAIL;
			l->memory += b.members +
			    lprf2_functions_memory(f, b.size);
			i = 0;
		}
		while (i < b.size && prof_span_compare(f[i].symbol.name,
		    name) < 0)
			i++;
		for (; i < b.size && prof_span_equal(f[i].symbol.name, name);
		    i++) {
			if (!ARRAY_ADD(r->found, r->found_size, r->found_room,
			    f[i]))
				return err_memory(err);
		}
		if (r->found_size == before)
			return PROF_END;
	}
	return PROF_OK;
}

/* Finds what is selected, and goes on behind the functions. */
static enum prof_status
lprf2_begin_selected(struct lprf2_reader *r, struct prof_error *err)
{
	enum prof_status status;

	r->lookup = (struct lprf2_lookup){ .image = r->image,
	    .root = r->trailer.root, .packer = r->packer };
	if (lprf2_check_root(&r->lookup, err) != PROF_OK)
		return PROF_FAIL;
	status = lprf2_find_selected(r, err);
	if (status == PROF_OK)
		r->at = r->trailer.tail == 0 ? r->image.size : r->trailer.tail;
	/* With a name that is not there, all functions are returned. */
	if (status == PROF_END)
		r->selects = false;
	return status == PROF_FAIL ? status : PROF_OK;
}

/* Whether the functions that are looked up come now, by the kind of a block. */
static bool
lprf2_selected_are_next(const struct lprf2_reader *r)
{
	return r->selects && r->lookup.packer == NULL &&
	    r->at + LPRF2_BLOCK_HEAD <= r->image.size &&
	    r->image.data[r->at + 4] >= LPRF2_GUIDS &&
	    r->image.data[r->at + 4] <= LPRF2_NAMES;
}

/* Reads blocks up to one that has a record; PROF_END behind the last. */
static enum prof_status
lprf2_next_block(struct lprf2_reader *r, struct prof_error *err)
{
	for (;;) {
		if (r->item != r->block.size || (r->selects &&
		    r->next_found < r->found_size))
			return PROF_OK;
		if (r->at == r->image.size)
			return PROF_END;
		if (lprf2_selected_are_next(r)) {
			if (lprf2_begin_selected(r, err) != PROF_OK)
				return PROF_FAIL;
		} else if (lprf2_begin_block(r, err) != PROF_OK) {
			return PROF_FAIL;
		}
	}
	return PROF_OK;
}

static enum prof_status
lprf2_return_function(struct lprf2_reader *r, const struct prof_function *f,
    struct prof_record *out, struct prof_error *err)
{
	if (!r->began)
		return err_at(err, PROF_E_CORRUPT, r->block.at, "block: "
		    "functions precede the record of the profile");
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
	const bool head = !r->began;
	enum prof_status status;

	if (r->ended)
		return PROF_END;
	status = lprf2_next_block(r, err);
	if (status != PROF_OK)
		return status == PROF_END ? lprf2_end(r, out, err) : PROF_FAIL;
	if (r->item == r->block.size)
		return lprf2_return_function(r,
		    &r->found[r->next_found++], out, err);
	if (r->items != NULL)
		return lprf2_return_function(r, &r->items[r->item++], out,
		    err);
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

static void
lprf2_select(struct prof_reader *base)
{
	((struct lprf2_reader *)base)->selects = true;
}

static void
lprf2_close(struct prof_reader *base)
{
	struct lprf2_reader *r = (struct lprf2_reader *)base;

	lprf2_packer_free(r->own);
	buf_free(&r->last_name);
	arena_free(&r->arena);
	stream_record_free(&r->lines.record);
	arena_free(&r->lookup.arena);
	free(r->found);
}

static const struct reader_ops lprf2_ops = {
	.size = sizeof(struct lprf2_reader),
	.next = lprf2_next,
	.select = lprf2_select,
	.close = lprf2_close,
};

bool
lprf_sniff(struct prof_span first_bytes)
{
	/* A text profile may begin with a function named LPRF... */
	return first_bytes.size >= 4 &&
	    load_u32(first_bytes.data, false) == LPRF_MAGIC &&
	    (first_bytes.size < 8 || first_bytes.data[7] == 0);
}

struct prof_reader *
lprf_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct lprf2_reader *r = codec_reader_new(&lprf2_ops, context, err);

	if (r == NULL)
		return NULL;
	r->lines.record.context = context;
	r->packer = context == NULL ? &r->own : &context->lprf_packer;
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
