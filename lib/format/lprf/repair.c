/*
 * The whole blocks of a damaged file of version 2, as a file with an index of
 * its own.  A block is whole if its checksum is right, its contents are read,
 * and an outline takes it where it stands in that file: a reader refuses none
 * that was kept.  Of a block of records, those that refer to lost ones are left
 * out.
 */
#include <stdio.h>

#include "base/error.h"
#include "format/lprf/file.h"
#include "format/lprf/lines.h"
#include "format/lprf/lprf.h"
#include "format/lprf/outline.h"
#include "format/lprf/search.h"
#include "format/salvage.h"
#include "model/heap_refs.h"

enum {
	NAME_MAX_SHOWN = 40,
	/* Sets of kinds of blocks. */
	FUNCTIONS = 1 << LPRF2_GUIDS | 1 << LPRF2_NAMES,
	RECORDS = 1 << LPRF2_HEAD | 1 << LPRF2_TAIL
};

struct lprf2_repairer {
	struct prof_context *context;
	struct prof_span image;		/* up to the trailer */
	struct lprf2_search search;	/* of that image */
	struct lprf2_trailer trailer;	/* all zero if damaged */
	struct lprf2_file file;		/* that is made */
	struct lprf2_outline outline;	/* of its blocks */
	struct lprf2_packer *packer;	/* to inflate */
	struct arena arena;		/* of one block */
	struct lprf2_lines lines;
	bool began;			/* the record of the profile is kept */
	enum lprf2_kind last_kind;	/* of the last block that is kept */
	uint64_t lost, lost_end;	/* bytes that are lost, if lost_end */
	unsigned lost_kinds;		/* of blocks that they may be */
	struct heap_refs refs;		/* what the file has so far */
	uint64_t without_refs;		/* records that are left out */
	struct buf kept_lines, kept_block;	/* of the others */
};

/* Whether the lines of a block are records that may stand there. */
static enum prof_status
lprf2_repair_check_lines(struct lprf2_repairer *r, const struct lprf2_block *b,
    struct prof_error *why)
{
	struct prof_record record;

	lprf2_lines_begin(&r->lines, b);
	for (size_t i = 0; i < b->size; i++) {
		if (lprf2_next_line(&r->lines, !r->began && i == 0, &record,
		    why) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

static enum prof_status
lprf2_repair_check_functions(struct lprf2_repairer *r,
    const struct lprf2_block *b, const struct prof_function *items,
    struct prof_error *why)
{
	for (size_t i = 0; i < b->size; i++) {
		if (items[i].extra.size != 0 && lprf2_check_extra(&r->lines,
		    b->at, items[i].extra, why) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

/* Writes a name, or a guid, that stands at the border of what is lost. */
static const char *
lprf2_repair_name(const struct prof_symbol *s, char *text, size_t size)
{
	if (s->name.size == 0)
		snprintf(text, size, "guid 0x%016llx", ull(s->guid));
	else
		snprintf(text, size, "'%.*s'%s", (int)(s->name.size <
		    NAME_MAX_SHOWN ? s->name.size : NAME_MAX_SHOWN),
		    (const char *)s->name.data,
		    s->name.size > NAME_MAX_SHOWN ? "..." : "");
	return text;
}

/*
 * What may be lost before a block of that kind, or the end: blocks stand in the
 * order of their kinds, and the trailer may say that all functions are there.
 */
static unsigned
lprf2_repair_lost_kinds(const struct lprf2_repairer *r, enum lprf2_kind next)
{
	unsigned kinds = r->lost_kinds;

	if ((r->trailer.root != 0 && r->file.trailer.functions >=
	    r->trailer.functions) || r->last_kind == LPRF2_TAIL ||
	    next == LPRF2_HEAD)
		kinds &= ~(unsigned)FUNCTIONS;
	if ((1u << r->last_kind & FUNCTIONS) != 0 &&
	    (1u << next & FUNCTIONS) != 0)
		kinds &= ~(unsigned)RECORDS;
	return kinds;
}

/* Reports bytes that were lost between two functions, or up to the end. */
static void
lprf2_repair_warn_functions(const struct lprf2_repairer *r, const char *what,
    const struct prof_symbol *next)
{
	char before[NAME_MAX_SHOWN + 32], behind[NAME_MAX_SHOWN + 32];
	const struct prof_symbol *last = r->file.last_kind == 0 ? NULL :
	    &r->file.last;

	warn_lost_at(r->context, r->lost, "%llu bytes are lost: any %s "
	    "%s%s%s%s", ull(r->lost_end - r->lost), what,
	    last != NULL ? "after " : "up to ",
	    last != NULL ? lprf2_repair_name(last, before, sizeof(before)) : "",
	    last != NULL && next != NULL ? ", before " : "",
	    next != NULL ? lprf2_repair_name(next, behind, sizeof(behind)) :
	    last == NULL ? "the end" : "");
}

/* Reports losses before a block of that kind; kind 0: before the end. */
static void
lprf2_repair_warn_lost(struct lprf2_repairer *r, enum lprf2_kind kind,
    const struct prof_symbol *next)
{
	unsigned kinds;

	if (r->lost_end == 0)
		return;
	kinds = lprf2_repair_lost_kinds(r, kind);
	if ((kinds & FUNCTIONS) != 0)
		lprf2_repair_warn_functions(r, (kinds & RECORDS) == 0 ?
		    "functions" : "functions and other records", next);
	else
		warn_lost_at(r->context, r->lost, "%llu bytes are lost: %s",
		    ull(r->lost_end - r->lost), (kinds & RECORDS) != 0 ?
		    "any records other than functions" : "a part of the index");
	r->lost_end = 0;
}

/* Bytes are lost, of blocks of these kinds. */
static void
lprf2_repair_lose(struct lprf2_repairer *r, uint64_t from, uint64_t end,
    unsigned kinds)
{
	if (r->lost_end == 0) {
		r->lost = from;
		r->lost_kinds = 0;
	}
	r->lost_end = end;
	r->lost_kinds |= kinds;
}

/*
 * Reads all of a block, with *items the functions that it has, or NULL, and
 * notes it where it will stand.
 */
static enum prof_status
lprf2_repair_read(struct lprf2_repairer *r, struct lprf2_block *b,
    const struct prof_function **items, struct prof_error *why)
{
	arena_reset(&r->arena);
	*items = NULL;
	if (lprf2_inflate(b, &r->packer, &r->arena, why) != PROF_OK)
		return PROF_FAIL;
	if (b->kind == LPRF2_HEAD || b->kind == LPRF2_TAIL) {
		if (lprf2_repair_check_lines(r, b, why) != PROF_OK)
			return PROF_FAIL;
	} else {
		*items = lprf2_decode(b, NULL, &r->arena, why);
		if (*items == NULL || lprf2_repair_check_functions(r, b,
		    *items, why) != PROF_OK)
			return PROF_FAIL;
	}
	b->at = r->file.out.size;
	return lprf2_outline_block(&r->outline, b, *items, why);
}

/*
 * Whether a record refers to nothing lost.  If a block of stacks or segments is
 * lost, records of other blocks may refer to what is no longer there; what else
 * contradicts them stood in the file already.
 */
static enum prof_status
lprf2_repair_refer(struct lprf2_repairer *r, const struct prof_record *record,
    bool *whole, struct prof_error *why)
{
	struct prof_error e = { 0 };

	*whole = true;
	if (heap_refs_check(&r->refs, record, &e) == PROF_OK)
		return PROF_OK;
	if (e.code == PROF_E_MEMORY)
		return err_memory(why);
	*whole = r->refs.fault != HEAP_REFS_NO_SEGMENT &&
	    r->refs.fault != HEAP_REFS_NO_STACK;
	return PROF_OK;
}

/* Stores the lines of a block that refer to nothing lost, and counts them. */
static enum prof_status
lprf2_repair_select_lines(struct lprf2_repairer *r, const struct lprf2_block *b,
    uint32_t *kept, struct prof_error *why)
{
	struct prof_record record;
	bool whole;

	*kept = 0;
	r->kept_lines.size = 0;
	lprf2_lines_begin(&r->lines, b);
	for (size_t i = 0; i < b->size; i++) {
		size_t start = r->lines.text.pos;

		if (lprf2_next_line(&r->lines, !r->began && i == 0, &record,
		    why) != PROF_OK ||
		    lprf2_repair_refer(r, &record, &whole, why) != PROF_OK)
			return PROF_FAIL;
		if (!whole)
			continue;
		buf_put(&r->kept_lines, r->lines.text.data + start,
		    r->lines.text.pos - start);
		++*kept;
	}
	return r->kept_lines.failed ? err_memory(why) : PROF_OK;
}

/*
 * Leaves out the records of a block that refer to what is lost: *bytes becomes
 * a block of the others, or empty if there are none.
 */
static enum prof_status
lprf2_repair_leave_out(struct lprf2_repairer *r, const struct lprf2_block *b,
    struct prof_span *bytes, struct prof_error *why)
{
	struct lprf2_building left = { .kind = b->kind };
	enum prof_status status = PROF_OK;

	if (lprf2_repair_select_lines(r, b, &left.size, why) != PROF_OK)
		return PROF_FAIL;
	if (left.size == b->size)
		return PROF_OK;
	r->without_refs += b->size - left.size;
	r->kept_block.size = 0;
	left.sections[LPRF2_N] = r->kept_lines;
	if (left.size != 0)
		status = lprf2_put_block(&left, NULL, &r->kept_block, why);
	r->kept_lines = left.sections[LPRF2_N];
	left.sections[LPRF2_N] = (struct buf){ 0 };
	lprf2_building_free(&left);
	*bytes = buf_span(&r->kept_block);
	return status;
}

/* Puts a block, and counts the memory of an index that follows it. */
static enum prof_status
lprf2_repair_copy(struct lprf2_repairer *r, struct prof_span bytes,
    uint64_t functions, const struct prof_symbol *last, struct prof_error *why)
{
	uint64_t index = r->file.memory;

	if (lprf2_file_copy_block(&r->file, bytes, functions, last, why) !=
	    PROF_OK)
		return PROF_FAIL;
	r->outline.memory += r->file.memory - index;
	return PROF_OK;
}

/* Copies a block whose checksum is right, if all of it is read. */
static enum prof_status
lprf2_repair_keep(struct lprf2_repairer *r, struct lprf2_block *b,
    struct prof_error *why)
{
	struct prof_span bytes = { r->image.data + b->at, b->stored };
	const struct prof_function *items;
	const struct prof_symbol *first = NULL, *last = NULL;

	if (lprf2_repair_read(r, b, &items, why) != PROF_OK)
		return PROF_FAIL;
	if (items != NULL) {
		first = &items[0].symbol;
		last = &items[b->size - 1].symbol;
	} else if (lprf2_repair_leave_out(r, b, &bytes, why) != PROF_OK) {
		return PROF_FAIL;
	}
	lprf2_repair_warn_lost(r, b->kind, first);
	r->began = r->began || items == NULL;
	r->last_kind = b->kind;
	if (bytes.size == 0)
		return PROF_OK;
	if (!lprf2_file_begin_block(&r->file, b->kind, first))
		return err_memory(why);
	return lprf2_repair_copy(r, bytes, b->size, last, why);
}

/* Keeps or skips the block at an offset; *at becomes where the next one is. */
static enum prof_status
lprf2_repair_step(struct lprf2_repairer *r, uint64_t *at,
    struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct lprf2_block b;
	uint64_t start = *at;
	unsigned kinds;

	if (lprf2_get_block(r->image, start, r->image.size, &b, NULL) !=
	    PROF_OK) {
		*at = lprf2_search_next(&r->search, start, &kinds);
		lprf2_repair_lose(r, start, *at, kinds);
		return PROF_OK;
	}
	*at += b.stored;
	if (b.kind >= LPRF2_INDEX || lprf2_repair_keep(r, &b, &why) == PROF_OK)
		return PROF_OK;
	if (err_is_lack(why.code))
		return err_repeat(err, &why);
	lprf2_repair_lose(r, start, *at, 1u << b.kind);
	return PROF_OK;
}

/*
 * Finds the trailer, which is known by its checksum or its magic, one of which
 * may be damaged; it is no part of the image then.
 */
static void
lprf2_repair_take_trailer(struct lprf2_repairer *r)
{
	const size_t magic = LPRF2_TRAILER - sizeof(LPRF2_TRAILER_MAGIC) + 1;
	uint8_t bytes[LPRF2_TRAILER];
	size_t at;

	if (r->image.size < LPRF2_HEADER + LPRF2_TRAILER)
		return;
	at = r->image.size - LPRF2_TRAILER;
	memcpy(bytes, r->image.data + at, LPRF2_TRAILER);
	memcpy(bytes + magic, LPRF2_TRAILER_MAGIC, LPRF2_TRAILER - magic);
	if (lprf2_parse_trailer(bytes, at, &r->trailer, NULL) == PROF_OK ||
	    memcmp(bytes + magic, r->image.data + at + magic,
	    LPRF2_TRAILER - magic) == 0)
		r->image.size = at;
}

/* Another file may follow, of which no block is taken. */
static void
lprf2_repair_end_before(struct lprf2_repairer *r, uint64_t at, uint64_t size)
{
	uint64_t next = at + (r->trailer.root != 0 ? LPRF2_TRAILER : 0);

	warn_lost_at(r->context, next, "%llu bytes are lost: another file "
	    "follows", ull(size - next));
}

static enum prof_status
lprf2_repair_blocks(struct lprf2_repairer *r, struct prof_error *err)
{
	uint64_t at = LPRF2_HEADER, size = r->image.size;
	struct lprf2_trailer trailer;
	bool follows = false;

	lprf2_repair_take_trailer(r);
	r->search.image = r->image;
	while (at < r->image.size && !follows) {
		follows = lprf2_ends_at(r->image, at, &trailer);
		if (follows)
			r->trailer = trailer;
		else if (lprf2_repair_step(r, &at, err) != PROF_OK)
			return PROF_FAIL;
	}
	lprf2_repair_warn_lost(r, 0, NULL);
	if (follows)
		lprf2_repair_end_before(r, at, size);
	return PROF_OK;
}

/* Reports losses of blocks that were kept, or of all blocks. */
static void
lprf2_repair_warn_counts(const struct lprf2_repairer *r)
{
	uint64_t functions = r->trailer.functions;
	uint64_t kept = r->file.trailer.functions;

	if (functions > kept)
		warn_lost(r->context, "%llu of %llu functions are lost",
		    ull(functions - kept), ull(functions));
	if (r->without_refs != 0)
		warn_lost(r->context, "%llu records refer to stacks or "
		    "segments that are lost: also lost", ull(r->without_refs));
}

static enum prof_status
lprf2_repair_run(struct lprf2_repairer *r, struct repaired *m,
    struct prof_error *err)
{
	struct prof_error why = { 0 };

	/* A damaged header does not matter, one of another version does. */
	if (lprf2_get_header(r->image, &why) != PROF_OK &&
	    why.code == PROF_E_VERSION)
		return err_repeat(err, &why);
	lprf2_file_begin(&r->file);
	if (lprf2_repair_blocks(r, err) != PROF_OK)
		return PROF_FAIL;
	lprf2_repair_warn_counts(r);
	if (lprf2_file_end(&r->file, err) != PROF_OK)
		return PROF_FAIL;
	if (!repaired_begin(m, 0, true))
		return err_memory(err);
	buf_free(&m->image);
	m->image = r->file.out;
	r->file.out = (struct buf){ 0 };
	return PROF_OK;
}

/* Files of version 1 have nothing that could be found behind damage. */
enum prof_status
lprf_repair(struct prof_context *context, struct prof_span image,
    struct repaired *m, struct prof_error *err)
{
	struct lprf2_repairer r = { .context = context, .image = image,
	    .lines.record.context = context };
	enum prof_status status;

	if (image.size < LPRF2_HEADER || load_u32(image.data + 4, false) !=
	    LPRF2_VERSION)
		return PROF_END;
	status = lprf2_repair_run(&r, m, err);
	lprf2_file_free(&r.file);
	lprf2_outline_free(&r.outline);
	lprf2_packer_free(r.packer);
	arena_free(&r.arena);
	heap_refs_free(&r.refs);
	buf_free(&r.kept_lines);
	buf_free(&r.kept_block);
	stream_record_free(&r.lines.record);
	return status;
}
