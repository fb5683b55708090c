#include <stdlib.h>

#include "base/digests.h"
#include "base/error.h"
#include "format/lprf/v2.h"

/* Header, trailer, and blocks: checksums, sections packed and inflated. */

enum {
	FEATURES = 8, HEADER_SUM = 12,		/* of the header */
	/* of the trailer */
	TAIL = 8, FUNCTIONS = 16, TRAILER_SUM = 28, MAGIC = 32,
	/* of the head of a block, behind its checksum */
	KIND = 4, LEVEL = 5, SIZE = 8
};

static void
lprf2_store_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Appends the checksum of the bytes from `start` on. */
static void
lprf2_put_sum(struct buf *out, size_t start)
{
	if (!out->failed)
		buf_u32le(out, crc32c((struct prof_span){ out->data + start,
		    out->size - start }));
}

/* Whether the bytes have the checksum that follows them. */
static bool
lprf2_sum_is_right(const uint8_t *p, size_t size)
{
	return crc32c((struct prof_span){ p, size }) ==
	    load_u32(p + size, false);
}

void
lprf2_put_header(struct buf *out)
{
	size_t start = out->size;

	buf_u32le(out, LPRF_MAGIC);
	buf_u32le(out, LPRF2_VERSION);
	buf_u32le(out, 0);
	lprf2_put_sum(out, start);
}

enum prof_status
lprf2_get_header(struct prof_span image, struct prof_error *err)
{
	uint32_t version;

	if (image.size < LPRF2_HEADER)
		return err_at(err, PROF_E_TRUNCATED, image.size, "the header "
		    "needs %d bytes, but has %zu", LPRF2_HEADER, image.size);
	version = load_u32(image.data + 4, false);
	if (version != LPRF2_VERSION)
		return err_at(err, PROF_E_VERSION, 4, "version %u is unknown: "
		    "LPRF version %d is known", version, LPRF2_VERSION);
	if (!lprf2_sum_is_right(image.data, HEADER_SUM))
		return err_at(err, PROF_E_CORRUPT, HEADER_SUM, "header: its "
		    "checksum does not match its bytes");
	if (load_u32(image.data + FEATURES, false) != 0)
		return err_at(err, PROF_E_VERSION, FEATURES, "header: features "
		    "0x%x are unknown", load_u32(image.data + FEATURES, false));
	return PROF_OK;
}

void
lprf2_put_trailer(struct buf *out, const struct lprf2_trailer *t)
{
	size_t start = out->size;

	buf_u64le(out, t->root);
	buf_u64le(out, t->tail);
	buf_u64le(out, t->functions);
	buf_u32le(out, 0);
	lprf2_put_sum(out, start);
	buf_text(out, LPRF2_TRAILER_MAGIC);
}

/* Reads a trailer from the LPRF2_TRAILER bytes at an offset. */
static enum prof_status
lprf2_parse_trailer(const uint8_t *p, uint64_t at, struct lprf2_trailer *t,
    struct prof_error *err)
{
	if (memcmp(p + MAGIC, LPRF2_TRAILER_MAGIC, LPRF2_TRAILER - MAGIC) !=
	    0)
		return err_at(err, PROF_E_TRUNCATED, at + LPRF2_TRAILER,
		    "the file ends without its trailer");
	if (!lprf2_sum_is_right(p, TRAILER_SUM))
		return err_at(err, PROF_E_CORRUPT, at + TRAILER_SUM, "trailer: "
		    "its checksum does not match its bytes");
	*t = (struct lprf2_trailer){ load_u64(p, false),
	    load_u64(p + TAIL, false), load_u64(p + FUNCTIONS, false) };
	if (t->tail >= at)
		return err_at(err, PROF_E_CORRUPT, at + TAIL, "trailer: the "
		    "offset 0x%llx of the records after the functions is not "
		    "below 0x%llx", ull(t->tail), ull(at));
	if (t->root < LPRF2_HEADER || t->root >= at)
		return err_at(err, PROF_E_CORRUPT, at, "trailer: the root "
		    "0x%llx of the index is not between 0x%x and 0x%llx",
		    ull(t->root), LPRF2_HEADER, ull(at));
	return PROF_OK;
}

/* The header has been read. */
enum prof_status
lprf2_get_trailer(struct prof_span image, struct lprf2_trailer *t,
    struct prof_error *err)
{
	size_t at;

	if (image.size < LPRF2_HEADER + LPRF2_TRAILER)
		return err_at(err, PROF_E_TRUNCATED, image.size,
		    "the file ends without its trailer");
	at = image.size - LPRF2_TRAILER;
	return lprf2_parse_trailer(image.data + at, at, t, err);
}

/* Appends a section and stores its sizes, raw and as it is stored. */
static enum prof_status
lprf2_put_section(const struct lprf2_building *b, size_t i,
    struct lprf2_packer *packer, struct buf *out, size_t sizes,
    struct prof_error *err)
{
	const struct buf *s = &b->sections[i];
	size_t start = out->size;
	enum prof_status status = PROF_END;

	if (s->size > UINT32_MAX)
		return err_set(err, PROF_E_LIMIT, "a section of a block of "
		    "LPRF 2 needs %zu bytes: the limit is 4 GiB", s->size);
	if (packer != NULL && s->size != 0 && s->size <= LPRF2_INFLATED_MAX)
		status = lprf2_pack(packer, buf_span(s), out, err);
	if (status == PROF_FAIL)
		return status;
	if (status == PROF_END)
		buf_put(out, s->data, s->size);
	if (out->failed)
		return err_memory(err);
	lprf2_store_u32(out->data + sizes, (uint32_t)s->size);
	lprf2_store_u32(out->data + sizes + 4, (uint32_t)(out->size - start));
	return PROF_OK;
}

enum prof_status
lprf2_put_block(struct lprf2_building *b, struct lprf2_packer *packer,
    struct buf *out, struct prof_error *err)
{
	size_t start = out->size;

	/* A look-up reads blocks of the index, which are small. */
	if (b->kind == LPRF2_INDEX || b->plain)
		packer = NULL;
	buf_zeros(out, 4);
	buf_u8(out, (uint8_t)b->kind);
	buf_u8(out, b->level);
	buf_u16le(out, 0);
	buf_u32le(out, b->size);
	buf_zeros(out, LPRF2_BLOCK_HEAD - LPRF2_SIZES);
	if (out->failed)
		return err_memory(err);
	for (size_t i = 0; i < LPRF2_SECTIONS; i++) {
		if (lprf2_put_section(b, i, packer, out,
		    start + LPRF2_SIZES + 8 * i, err) != PROF_OK)
			return PROF_FAIL;
	}
	lprf2_store_u32(out->data + start, crc32c((struct prof_span){
	    out->data + start + 4, out->size - start - 4 }));
	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		b->sections[i].size = 0;
	b->size = 0;
	b->memory = 0;
	b->names = b->functions_size = 0;
	b->plain = false;
	return PROF_OK;
}

void
lprf2_building_free(struct lprf2_building *b)
{
	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		buf_free(&b->sections[i]);
	free(b->functions);
}

/* Takes a section of its sizes in the head from the bytes behind it. */
static enum prof_status
lprf2_get_section(struct lprf2_block *b, size_t i, const uint8_t *sizes,
    struct cursor *body, struct prof_error *err)
{
	uint32_t raw = load_u32(sizes, false);
	uint32_t stored = load_u32(sizes + 4, false);
	uint64_t at = b->at + LPRF2_SIZES + 8 * i;

	if (stored > raw || (stored != raw && raw > LPRF2_INFLATED_MAX))
		return err_at(err, PROF_E_CORRUPT, at, "block: section %c of "
		    "%u bytes is stored in %u: it inflates to 1048576 at most",
		    LPRF2_LETTERS[i], raw, stored);
	b->sections[i] = (struct prof_span){ cur_bytes(body, stored), stored };
	b->raw[i] = raw;
	if (body->failed)
		return err_at(err, PROF_E_CORRUPT, at + 4, "block: section %c "
		    "of %u bytes exceeds the %zu bytes left", LPRF2_LETTERS[i],
		    stored, cur_left(body));
	return PROF_OK;
}

enum prof_status
lprf2_get_block(struct prof_span image, uint64_t at, struct lprf2_block *b,
    struct prof_error *err)
{
	struct cursor body = { .data = image.data, .size = image.size,
	    .pos = (size_t)at };
	const uint8_t *head;
	struct lprf2_trailer t;

	if (image.size - at >= LPRF2_TRAILER && lprf2_parse_trailer(
	    image.data + at, at, &t, NULL) == PROF_OK)
		return err_at(err, PROF_E_CORRUPT, at + LPRF2_TRAILER,
		    "another file follows the trailer");
	head = cur_bytes(&body, LPRF2_BLOCK_HEAD);
	if (head == NULL)
		return err_at(err, PROF_E_CORRUPT, at, "block: its head needs "
		    "%d bytes, but %zu are left", LPRF2_BLOCK_HEAD,
		    cur_left(&body));
	*b = (struct lprf2_block){ .kind = (enum lprf2_kind)head[KIND],
	    .level = head[LEVEL], .size = load_u32(head + SIZE, false),
	    .at = at };
	for (size_t i = 0; i < LPRF2_SECTIONS; i++) {
		if (lprf2_get_section(b, i, head + LPRF2_SIZES + 8 * i, &body,
		    err) != PROF_OK)
			return PROF_FAIL;
	}
	b->stored = body.pos - (size_t)at;
	if (crc32c((struct prof_span){ head + KIND, b->stored - KIND }) !=
	    load_u32(head, false))
		return err_at(err, PROF_E_CORRUPT, at, "block: the checksum of "
		    "its %zu bytes is not 0x%08x", b->stored,
		    load_u32(head, false));
	if (b->kind < LPRF2_HEAD ||
	    (b->kind > LPRF2_INDEX && b->kind < LPRF2_SKIPPED))
		return err_at(err, PROF_E_CORRUPT, at + KIND, "block: kind %u "
		    "is unknown", (unsigned)b->kind);
	if (b->size == 0 && b->kind < LPRF2_SKIPPED)
		return err_at(err, PROF_E_CORRUPT, at + SIZE, "block: it is "
		    "empty");
	return PROF_OK;
}

uint64_t
lprf2_memory(const struct lprf2_block *b, uint64_t more)
{
	bool functions = b->kind == LPRF2_GUIDS || b->kind == LPRF2_NAMES;
	uint64_t sum = more + b->members + (functions ? (uint64_t)b->size *
	    LPRF2_MEMORY_FUNCTION : 0);

	for (size_t i = 0; i < LPRF2_SECTIONS; i++)
		sum += b->raw[i];
	return sum;
}

uint64_t
lprf2_memory_max(uint64_t end)
{
	return LPRF2_MEMORY_FREE + LPRF2_MEMORY_RATIO * end;
}

enum prof_status
lprf2_take_memory(uint64_t *sum, const struct lprf2_block *b,
    uint64_t more, uint64_t end, struct prof_error *err)
{
	uint64_t taken = *sum + lprf2_memory(b, more);

	if (taken > lprf2_memory_max(end))
		return err_at(err, PROF_E_LIMIT, b->at, "block: the file up to "
		    "it would need %llu bytes of memory, but the limit is %llu "
		    "for %llu bytes", ull(taken), ull(lprf2_memory_max(end)),
		    ull(end));
	*sum = taken;
	return PROF_OK;
}

enum prof_status
lprf2_inflate(struct lprf2_block *b, bool targets,
    struct lprf2_packer **packer, struct arena *arena, struct prof_error *err)
{
	for (size_t i = 0; i < LPRF2_SECTIONS; i++) {
		struct prof_span *s = &b->sections[i];
		uint8_t *raw;

		if (s->size == b->raw[i] || (i == LPRF2_T && !targets))
			continue;
		if (*packer == NULL && (*packer = lprf2_packer_new(err)) ==
		    NULL)
			return PROF_FAIL;
		raw = arena_alloc(arena, b->raw[i]);
		if (raw == NULL)
			return err_memory(err);
		if (lprf2_unpack(*packer, *s, raw, b->raw[i]) != PROF_OK)
			return err_at(err, PROF_E_CORRUPT, b->at +
			    LPRF2_SIZES + 8 * i, "block: section %c does not "
			    "inflate to %u bytes", LPRF2_LETTERS[i],
			    b->raw[i]);
		*s = (struct prof_span){ raw, b->raw[i] };
	}
	return PROF_OK;
}

/* Bytes that both begin with. */
static size_t
lprf2_shared(const uint8_t *a, const uint8_t *b, size_t n)
{
	size_t i = 0;

	while (n - i >= 8 && load_u64(a + i, false) == load_u64(b + i, false))
		i += 8;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

size_t
lprf2_put_suffix(struct buf *out, struct prof_span last, struct prof_span name)
{
	size_t shared = lprf2_shared(last.data, name.data,
	    last.size < name.size ? last.size : name.size);

	buf_uleb(out, shared);
	buf_uleb(out, name.size - shared);
	buf_put(out, name.data + shared, name.size - shared);
	return shared;
}

const char *
lprf2_next_suffix(struct lprf2_names *n, struct lprf2_suffix *s)
{
	uint64_t shared = cur_uleb(&n->in), size = cur_uleb(&n->in);

	s->text = (struct prof_span){ cur_bytes(&n->in, size), (size_t)size };
	if (n->in.failed)
		return "its name exceeds the section";
	if (shared > n->last || shared + size == 0)
		return "its name is empty, or shares more than the one before "
		    "it has";
	s->shared = (size_t)shared;
	n->last = s->shared + s->text.size;
	return NULL;
}

/*
 * The last name was below, and so differs from this one behind `same` bytes, or
 * ends there.  One that shares more differs alike.  One that shares fewer is
 * above the last name in a byte that the last one has in common with this one.
 */
int
lprf2_place_next(struct lprf2_place *p, const struct lprf2_suffix *s)
{
	const uint8_t *rest = p->name.data + p->same;
	size_t left = p->name.size - p->same, n;

	if (s->shared != p->same)
		return s->shared > p->same ? -1 : 1;
	n = lprf2_shared(s->text.data, rest, left < s->text.size ? left :
	    s->text.size);
	p->same += n;
	if (n < left && n < s->text.size)
		return s->text.data[n] < rest[n] ? -1 : 1;
	return (s->text.size > left) - (s->text.size < left);
}
