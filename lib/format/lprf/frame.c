/* Blocks: the head, the checksum, sections packed and inflated. */
#include "format/lprf/v2.h"

#include "base/crc32c.h"
#include "base/error.h"
#include "format/lprf/lprf.h"

static void
lprf2_store_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

void
lprf2_put_header(struct buf *out)
{
	size_t start = out->size;

	buf_u32le(out, LPRF_MAGIC);
	buf_u32le(out, LPRF2_VERSION);
	buf_u32le(out, 0);
	if (!out->failed)
		buf_u32le(out, crc32c((struct prof_span){ out->data + start,
		    LPRF2_HEADER - 4 }));
}

void
lprf2_put_trailer(struct buf *out, uint64_t index, uint64_t functions)
{
	size_t start = out->size;

	buf_u64le(out, index);
	buf_u64le(out, functions);
	buf_u32le(out, 0);
	if (!out->failed)
		buf_u32le(out, crc32c((struct prof_span){ out->data + start,
		    20 }));
	buf_text(out, LPRF2_TRAILER_MAGIC);
}

/* Appends a section and stores its sizes, raw and as it is stored. */
static enum prof_status
lprf2_put_section(struct prof_span s, struct lprf2_packer *packer,
    struct buf *out, size_t sizes, struct prof_error *err)
{
	enum prof_status status = PROF_END;
	size_t start = out->size;

	if (s.size > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "a section of a block of "
		    "LPRF 2 takes %zu bytes: it holds 4 GiB", s.size);
	if (packer != NULL && s.size != 0 && s.size <= LPRF2_INFLATED_MAX)
		status = lprf2_pack(packer, s, out, err);
	if (status == PROF_FAIL)
		return status;
	if (status == PROF_END)
		buf_put(out, s.data, s.size);
	if (out->failed)
		return err_memory(err);
	lprf2_store_u32(out->data + sizes, (uint32_t)s.size);
	lprf2_store_u32(out->data + sizes + 4, (uint32_t)(out->size - start));
	return PROF_OK;
}

/* D is three parts in one: which are zero, counters, other members. */
static bool
lprf2_join_data(struct lprf2_building *b)
{
	struct buf *d = &b->sections[LPRF2_D], joined = b->zeros;

	buf_put(&joined, d->data, d->size);
	buf_put(&joined, b->more.data, b->more.size);
	b->zeros = *d;
	*d = joined;
	return !joined.failed && !b->more.failed && !b->last.failed &&
	    !b->zeros.failed;
}

enum prof_status
lprf2_put_block(struct lprf2_building *b, struct lprf2_packer *packer,
    struct buf *out, struct prof_error *err)
{
	size_t start = out->size;

	if (!lprf2_join_data(b))
		return err_memory(err);
	buf_zeros(out, 4);
	buf_u32le(out, b->kind);
	buf_u32le(out, b->size);
	buf_zeros(out, LPRF2_BLOCK_HEAD - 12);
	for (size_t i = 0; i < LPRF2_SECTIONS; i++) {
		const struct buf *s = &b->sections[i];

		if (s->failed || out->failed)
			return err_memory(err);
		if (lprf2_put_section((struct prof_span){ s->data, s->size },
		    packer, out, start + 12 + 8 * i, err) != PROF_OK)
			return PROF_FAIL;
		b->sections[i].size = 0;
	}
	lprf2_store_u32(out->data + start, crc32c((struct prof_span){
	    out->data + start + 4, out->size - start - 4 }));
	b->size = 0;
	b->zero_counts = 0;
	b->zeros.size = b->more.size = b->last.size = 0;
	return PROF_OK;
}

void
lprf2_building_free(struct lprf2_building *b)
{
	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		buf_free(&b->sections[i]);
	buf_free(&b->zeros);
	buf_free(&b->more);
	buf_free(&b->last);
}

/* Takes a section of its sizes in the head from the bytes behind it. */
static enum prof_status
lprf2_get_section(struct lprf2_block *b, size_t i, struct cursor *head,
    struct cursor *body, struct prof_error *err)
{
	uint32_t raw = cur_u32(head), stored = cur_u32(head);
	uint64_t at = body->pos;

	if (stored > raw || (stored != raw && raw > LPRF2_INFLATED_MAX))
		return err_at(err, PROF_E_CORRUPT, b->at + 12 + 8 * i,
		    "block: a section of %u bytes is stored in %u", raw,
		    stored);
	b->sections[i] = (struct prof_span){ cur_bytes(body, stored), stored };
	b->raw[i] = raw;
	if (body->failed)
		return err_at(err, PROF_E_CORRUPT, at, "block: a section of "
		    "%u bytes exceeds the %zu bytes left", stored,
		    cur_left(body));
	return PROF_OK;
}

enum prof_status
lprf2_get_block(struct prof_span image, uint64_t at, uint64_t end,
    struct lprf2_block *b, struct prof_error *err)
{
	struct cursor head = { .data = image.data, .size = (size_t)end,
	    .pos = (size_t)at }, body = head;
	uint32_t sum = cur_u32(&head), kind = cur_u32(&head);

	*b = (struct lprf2_block){ .kind = (enum lprf2_kind)kind, .at = at };
	b->size = cur_u32(&head);
	if (cur_bytes(&body, LPRF2_BLOCK_HEAD) == NULL)
		return err_at(err, PROF_E_CORRUPT, at, "block: its head takes "
		    "%d bytes, %zu are left", LPRF2_BLOCK_HEAD,
		    cur_left(&body));
	for (size_t i = 0; i < LPRF2_SECTIONS; i++) {
		if (lprf2_get_section(b, i, &head, &body, err) != PROF_OK)
			return PROF_FAIL;
	}
	b->stored = body.pos - (size_t)at;
	if (crc32c((struct prof_span){ image.data + at + 4, b->stored - 4 }) !=
	    sum)
		return err_at(err, PROF_E_CORRUPT, at,
		    "block: its checksum is not that of its bytes");
	if (kind < LPRF2_NAMES || kind > LPRF2_INDEX)
		return err_at(err, PROF_E_CORRUPT, at + 4,
		    "block: kind %u is not known", kind);
	return PROF_OK;
}

enum prof_status
lprf2_inflate(struct lprf2_block *b, struct lprf2_packer **packer,
    struct arena *arena, struct prof_error *err)
{
	for (size_t i = 0; i < LPRF2_SECTIONS; i++) {
		struct prof_span *s = &b->sections[i];
		uint8_t *raw;

		if (s->size == b->raw[i])
			continue;
		if (*packer == NULL && (*packer = lprf2_packer_new(err)) ==
		    NULL)
			return PROF_FAIL;
		raw = arena_alloc(arena, b->raw[i]);
		if (raw == NULL)
			return err_memory(err);
		if (lprf2_unpack(*packer, *s, raw, b->raw[i]) != PROF_OK)
			return err_at(err, PROF_E_CORRUPT, b->at, "block: "
			    "section %zu does not inflate to its %u bytes", i,
			    b->raw[i]);
		*s = (struct prof_span){ raw, b->raw[i] };
	}
	return PROF_OK;
}
