/*
 * The whole blocks of a damaged file of version 2, as a file with an index of
 * its own.  A block is whole if its checksum is right, its contents are read,
 * and an outline takes it where it stands in that file: a reader refuses none
 * that was kept.  Behind a damaged block, the next whole one is searched for.
 */
#include <stdio.h>

#include "base/error.h"
#include "format/lprf/file.h"
#include "format/lprf/lines.h"
#include "format/lprf/lprf.h"
#include "format/lprf/outline.h"
#include "format/salvage.h"

enum {
	/* Bytes hashed by a search that finds nothing, by byte of the file. */
	SEARCH_MAX = 16,
	NAME_MAX_SHOWN = 40
};

struct lprf2_repairer {
	struct prof_context *context;
	struct prof_span image;		/* up to the trailer, if it is whole */
	struct lprf2_file file;		/* that is made */
	struct lprf2_outline outline;	/* of its blocks */
	struct lprf2_packer *packer;	/* to inflate */
	struct arena arena;		/* of one block */
	struct lprf2_lines lines;
	bool began;			/* the record of the profile is kept */
	uint64_t lost, lost_end;	/* bytes that are lost, if lost_end */
	uint64_t searched;		/* bytes hashed in vain */
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

/* Reports the bytes that were lost before a function, or up to the end. */
static void
lprf2_repair_warn_lost(struct lprf2_repairer *r, const struct prof_symbol *next)
{
	char before[NAME_MAX_SHOWN + 32], behind[NAME_MAX_SHOWN + 32];
	const struct prof_symbol *last = r->file.last_kind == 0 ? NULL :
	    &r->file.last;

	if (r->lost_end == 0)
		return;
	warn_lost_at(r->context, r->lost, "%llu bytes are lost: any functions "
	    "%s%s%s%s", ull(r->lost_end - r->lost),
	    last != NULL ? "after " : "up to ",
	    last != NULL ? lprf2_repair_name(last, before, sizeof(before)) : "",
	    last != NULL && next != NULL ? ", before " : "",
	    next != NULL ? lprf2_repair_name(next, behind, sizeof(behind)) :
	    last == NULL ? "the end" : "");
	r->lost_end = 0;
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
	}
	if (first != NULL || b->kind == LPRF2_TAIL)
		lprf2_repair_warn_lost(r, first);
	r->began = r->began || items == NULL;
	if (!lprf2_file_begin_block(&r->file, b->kind, first))
		return err_memory(why);
	return lprf2_file_copy_block(&r->file, bytes, b->size, last, why);
}

/* Whether a block of functions or records may be where these bytes are. */
static bool
lprf2_repair_may_begin(const struct lprf2_repairer *r, uint64_t at)
{
	return r->image.size - at >= LPRF2_BLOCK_HEAD &&
	    r->image.data[at + 4] >= LPRF2_HEAD &&
	    r->image.data[at + 4] <= LPRF2_INDEX;
}

/* The next place with the right checksum of a block; the end if none is. */
static uint64_t
lprf2_repair_search(struct lprf2_repairer *r, uint64_t at)
{
	struct lprf2_block b;

	for (; at < r->image.size &&
	    r->searched / SEARCH_MAX <= r->image.size; at++) {
		if (!lprf2_repair_may_begin(r, at))
			continue;
		if (lprf2_get_block(r->image, at, r->image.size, &b, NULL) ==
		    PROF_OK)
			return at;
		r->searched += b.stored;
	}
	return r->image.size;
}

/* Keeps or skips the block at an offset; *at becomes where the next one is. */
static enum prof_status
lprf2_repair_step(struct lprf2_repairer *r, uint64_t *at,
    struct prof_error *err)
{
	struct prof_error why = { 0 };
	struct lprf2_block b;

	if (lprf2_get_block(r->image, *at, r->image.size, &b, NULL) !=
	    PROF_OK) {
		if (r->lost_end == 0)
			r->lost = *at;
		*at = r->lost_end = lprf2_repair_search(r, *at + 1);
		return PROF_OK;
	}
	*at += b.stored;
	if (b.kind >= LPRF2_INDEX || lprf2_repair_keep(r, &b, &why) == PROF_OK)
		return PROF_OK;
	if (err_is_lack(why.code))
		return err_set(err, why.code, "%s", why.reason);
	if (r->lost_end == 0)
		r->lost = *at - b.stored;
	r->lost_end = *at;
	return PROF_OK;
}

static enum prof_status
lprf2_repair_run(struct lprf2_repairer *r, struct repaired *m,
    struct prof_error *err)
{
	struct lprf2_trailer trailer;
	uint64_t at = LPRF2_HEADER;
	bool whole = lprf2_get_trailer(r->image, &trailer, NULL) == PROF_OK;
	struct prof_error why = { 0 };

	/* A damaged header does not matter, one of another version does. */
	if (lprf2_get_header(r->image, &why) != PROF_OK &&
	    why.code == PROF_E_VERSION)
		return err_set(err, why.code, "%s", why.reason);
	if (whole)
		r->image.size -= LPRF2_TRAILER;
	lprf2_file_begin(&r->file);
	while (at < r->image.size) {
		if (lprf2_repair_step(r, &at, err) != PROF_OK)
			return PROF_FAIL;
	}
	lprf2_repair_warn_lost(r, NULL);
	if (whole && trailer.functions > r->file.trailer.functions)
		warn_lost(r->context, "%llu of %llu functions are lost",
		    ull(trailer.functions - r->file.trailer.functions),
		    ull(trailer.functions));
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
	stream_record_free(&r.lines.record);
	return status;
}
