#include <stdlib.h>

#include "base/error.h"
#include "base/json_text.h"
#include "model/value_sites.h"
#include "format/lprf/lprf.h"
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
	struct stream_output line = { .text = { 0 } };
	struct prof_error why = { 0 };
	bool read;

	stream_put_record(&line, &function);
	arena_reset(&l->record.arena);
	read = !line.text.failed && lprf2_extra_is_read(l, (struct prof_span){
	    line.text.data, line.text.size - 1 }, extra, &why);
	if (line.text.failed || err_is_lack(why.code))
		err_memory(err);
	else if (!read)
		err_at(err, PROF_E_CORRUPT, at, "block: section M: the unknown "
		    "keys of a function are not members of JSON");
	buf_free(&line.text);
	return read ? PROF_OK : PROF_FAIL;
}

/*
 * The reader of version 2.  It reads block after block, and passes over the
 * index; with selected names it looks these up in the index, and reads no other
 * functions.
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

/* Reads all functions of a block, but for targets if these may be left out. */
static enum prof_status
lprf2_begin_functions(struct lprf2_reader *r, struct prof_error *err)
{
	static const struct lprf2_targets unread = { .unread = true };
	const struct prof_context *c = r->base.context;
	bool all = c == NULL || !c->without_targets;

	if ((all ? lprf2_inflate : lprf2_inflate_but_targets)(&r->block,
	    r->packer, &r->arena, err) != PROF_OK)
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
	if (lprf2_inflate(b, r->packer, &r->arena, err) != PROF_OK)
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
	bool selected = r->lookup.packer != NULL &&
	    (r->selects || r->lookup.ranges != NULL);

	if (!selected && lprf2_check_trailer(r, err) != PROF_OK)
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
	    .root = r->trailer.root, .packer = r->packer };
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
	const bool head = !r->began;
	enum prof_status status;

	if (r->ended)
		return PROF_END;
	status = lprf2_next_block(r, err);
	if (status != PROF_OK)
		return status == PROF_END ? lprf2_end(r, out, err) : PROF_FAIL;
	if (r->item == r->block.size)
		return lprf2_return_function(r,
		    &r->lookup.found[r->lookup.next++], out, err);
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
	lprf2_lookup_free(&r->lookup);
}

static const struct reader_ops lprf2_ops = {
	.size = sizeof(struct lprf2_reader),
	.sorted = true,
	.next = lprf2_next,
	.select = lprf2_select,
	.close = lprf2_close,
};

static struct prof_reader *
lprf2_open(struct prof_context *context, struct prof_span image,
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

struct lprf_reader {
	struct prof_reader base;
	struct cursor index;		/* its size is the start of the data */
	struct prof_span image;
	bool began, ended;
	struct arena arena;
};

/* An entry of the index, and the head of the counter data that it points to. */
struct lprf_function {
	size_t at;			/* offset of the entry */
	struct prof_span name;
	uint64_t data;			/* offset of the counter data */
	uint64_t hash, count;		/* the head */
};

bool
lprf_sniff(struct prof_span first_bytes)
{
	/* A text profile may begin with a function named LPRF... */
	return first_bytes.size >= 4 &&
	    load_u32(first_bytes.data, false) == LPRF_MAGIC &&
	    (first_bytes.size < 8 || first_bytes.data[7] == 0);
}

/* Reads hash and number of the counters of an entry. */
static enum prof_status
lprf_read_counters_head(const struct lprf_reader *r, struct lprf_function *e,
    struct prof_error *err)
{
	struct cursor c = { .data = r->image.data, .size = r->image.size };
	uint64_t at = e->data, index_end = r->index.size;

	if (at % 8 != 0 || at < index_end || at > c.size ||
	    c.size - at < LPRF_DATA_MIN)
		return err_at(err, PROF_E_CORRUPT, e->at, "index: counter "
		    "data at 0x%llx is not at a multiple of 8 from the index "
		    "end 0x%llx to %d bytes before the end 0x%zx",
		    (unsigned long long)at, (unsigned long long)index_end,
		    LPRF_DATA_MIN, c.size);
	c.pos = (size_t)at;
	e->hash = cur_u64(&c);
	e->count = cur_u64(&c);
	if (e->count == 0)
		return err_at(err, PROF_E_CORRUPT, at + 8, "number of "
		    "counters is 0");
	if (e->count > cur_left(&c) / 8)
		return err_at(err, PROF_E_CORRUPT, at + 8, "number of "
		    "counters %llu exceeds the %zu bytes left",
		    (unsigned long long)e->count, cur_left(&c));
	return PROF_OK;
}

/* Reads the next entry of the index; PROF_END at the padding or the end. */
static enum prof_status
lprf_next_entry(const struct lprf_reader *r, struct cursor *c,
    struct lprf_function *e, struct prof_error *err)
{
	uint32_t size;

	e->at = c->pos;
	if (cur_left(c) < 4)
		return PROF_END;
	size = cur_u32(c);
	if (size == 0)
		return PROF_END;
	e->name = (struct prof_span){ cur_bytes(c, size), size };
	e->data = cur_u64(c);
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, e->at, "index: an entry of "
		    "name length %u exceeds the %zu bytes left", size,
		    c->size - e->at);
	return lprf_read_counters_head(r, e, err);
}

static int
lprf_compare_entries(const void *a, const void *b)
{
	const struct lprf_function *x = a, *y = b;

	if (x->data != y->data)
		return x->data < y->data ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

/*
 * Checks entries against each other.  Bytes may follow the data of the last
 * one, but no other file, which would be ignored.
 */
static enum prof_status
lprf_check_overlap(const struct lprf_reader *r, struct lprf_function *e,
    size_t n, struct prof_error *err)
{
	uint64_t end = r->index.size;

	qsort(e, n, sizeof(*e), lprf_compare_entries);
	for (size_t i = 1; i < n; i++) {
		if (e[i].data < e[i - 1].data + LPRF_HEAD + 8 * e[i - 1].count)
			return err_at(err, PROF_E_CORRUPT, e[i].at, "index: "
			    "counter data at 0x%llx lies inside that at 0x%llx",
			    (unsigned long long)e[i].data,
			    (unsigned long long)e[i - 1].data);
	}
	if (n != 0)
		end = e[n - 1].data + LPRF_HEAD + 8 * e[n - 1].count;
	return r->image.size - end < 4 || load_u32(r->image.data + end,
	    false) != LPRF_MAGIC ? PROF_OK : err_at(err, PROF_E_CORRUPT, end,
	    "another file follows the last counter data");
}

/* Checks that the counter data of all entries are there and do not overlap. */
static enum prof_status
lprf_check(struct lprf_reader *r, struct prof_error *err)
{
	struct cursor c = r->index;
	size_t room = cur_left(&c) / LPRF_ENTRY_MIN + 1, n = 0;
	struct lprf_function *entries = calloc(room, sizeof(*entries));
	enum prof_status status;

	if (entries == NULL)
		return err_memory(err);
	while ((status = lprf_next_entry(r, &c, &entries[n], err)) == PROF_OK)
		n++;
	if (status == PROF_END)
		status = lprf_check_overlap(r, entries, n, err);
	free(entries);
	for (; status == PROF_OK && c.pos < c.size; c.pos++) {
		if (c.data[c.pos] != 0)
			status = err_at(err, PROF_E_CORRUPT, c.pos,
			    "index: padding is not zero");
	}
	return status;
}

static enum prof_status
lprf_next_function(struct lprf_reader *r, struct prof_record *out,
    struct prof_error *err)
{
	struct lprf_function e;
	enum prof_status status = lprf_next_entry(r, &r->index, &e, err);
	uint64_t *counts;

	if (status != PROF_OK)
		return status;
	counts = arena_array(&r->arena, (size_t)e.count, sizeof(*counts));
	if (counts == NULL)
		return err_memory(err);
	for (size_t i = 0; i < e.count; i++)
		counts[i] = load_u64(r->image.data + e.data + LPRF_HEAD + 8 * i,
		    false);
	out->kind = PROF_REC_FUNCTION;
	out->u.function = (struct prof_function){ .symbol.name = e.name,
	    .hash = e.hash, .counts = counts, .counts_size = (size_t)e.count };
	return PROF_OK;
}

static enum prof_status
lprf_next(struct prof_reader *base, struct prof_record *out,
    struct prof_error *err)
{
	struct lprf_reader *r = (struct lprf_reader *)base;
	enum prof_status status;

	arena_reset(&r->arena);
	if (!r->began) {
		r->began = true;
		out->kind = PROF_REC_PROFILE;
		out->u.profile = (struct prof_header){ .source = {
		    .format = "lprf", .version = LPRF_VERSION,
		    .endian = 'l' } };
		return PROF_OK;
	}
	if (r->ended)
		return PROF_END;
	status = lprf_next_function(r, out, err);
	if (status != PROF_END)
		return status;
	r->ended = true;
	out->kind = PROF_REC_END;
	return PROF_OK;
}

static void
lprf_close(struct prof_reader *base)
{
	struct lprf_reader *r = (struct lprf_reader *)base;

	arena_free(&r->arena);
}

static const struct reader_ops lprf_ops = {
	.size = sizeof(struct lprf_reader),
	.next = lprf_next,
	.close = lprf_close,
};

/* The offset of the index end; 0 if the header is damaged. */
static uint64_t
lprf_read_header(struct prof_span image, struct prof_error *err)
{
	struct cursor c = { .data = image.data, .size = image.size };
	uint32_t version;
	uint64_t end;

	cur_u32(&c);
	version = cur_u32(&c);
	end = cur_u64(&c);
	cur_u64(&c);
	if (c.failed) {
		err_at(err, PROF_E_TRUNCATED, image.size, "the header needs %d "
		    "bytes, but has %zu", LPRF_HEADER, image.size);
		return 0;
	}
	if (version != LPRF_VERSION) {
		err_at(err, PROF_E_VERSION, 4, "version %u is unknown: LPRF "
		    "versions %d and %d are known", version, LPRF_VERSION,
		    LPRF2_VERSION);
		return 0;
	}
	if (end < LPRF_HEADER || end > image.size || end % 8 != 0) {
		err_at(err, PROF_E_CORRUPT, 8, "index end %llu is not a "
		    "multiple of 8 between %d and the size %zu of the file",
		    (unsigned long long)end, LPRF_HEADER, image.size);
		return 0;
	}
	return end;
}

struct prof_reader *
lprf_open(struct prof_context *context, struct prof_span image,
    struct prof_error *err)
{
	struct lprf_reader *r;
	uint64_t end;

	if (image.size >= 8 && load_u32(image.data + 4, false) ==
	    LPRF2_VERSION)
		return lprf2_open(context, image, err);
	end = lprf_read_header(image, err);
	if (end == 0)
		return NULL;
	r = codec_reader_new(&lprf_ops, context, err);
	if (r == NULL)
		return NULL;
	r->image = image;
	r->index = (struct cursor){ .data = image.data, .size = (size_t)end,
	    .pos = LPRF_HEADER };
	if (lprf_check(r, err) != PROF_OK) {
		prof_close(&r->base);
		return NULL;
	}
	return &r->base;
}
