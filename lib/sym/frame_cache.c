/*
 * The frames of addresses of one module as bytes of a file.
 *
 * Layout: magic, u64 version, MD5 of all that follows.  Numbers are ULEB128
 * from here on.
 *	build id: size, bytes
 *	addresses: count, and for each
 *		difference to the address before
 *		frames: count, and for each
 *			flags, guid (u64), line, start line, line offset,
 *			column, discriminator
 *			function, file: 0 for none; 1, size and bytes for a new
 *			text; 2 + N for the N-th text of this file
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/digests.h"
#include "base/error.h"
#include "base/hash.h"
#include "sym/sym.h"

static const uint8_t magic[8] = { 'p', 'r', 'o', 'f', 's', 'y', 'm', 0xff };

/* Version 1 had no frames of symbols. */
#define CACHE_VERSION 2
#define HEADER_SIZE (8 + 8 + 16)

/* Least sizes: one byte for each number, eight for the guid. */
#define ADDRESS_SIZE_MIN 2
#define FRAME_SIZE_MIN 16

static int
frame_cache_by_address(const void *a, const void *b)
{
	const struct cached_address *x = a, *y = b;

	return compare_u64(x->address, y->address);
}

/* Writes a text at its first use, and its number from then on. */
static void
frame_cache_put_text(struct buf *b, struct intern *texts, struct prof_span text)
{
	size_t known = texts->size;
	uint32_t n;

	if (text.data == NULL) {
		buf_uleb(b, 0);
		return;
	}
	n = intern_add(texts, text.data, text.size);
	if (n == INDEX_NONE) {
		b->failed = true;
		return;
	}
	if (n != known) {
		buf_uleb(b, (uint64_t)n + 2);
		return;
	}
	buf_uleb(b, 1);
	buf_uleb(b, text.size);
	buf_put(b, text.data, text.size);
}

bool
frame_cache_write(struct buf *b, struct prof_span build_id,
    struct cached_address *addresses, size_t count)
{
	size_t body = b->size + HEADER_SIZE;
	struct intern t = { 0 };
	uint64_t last = 0;

	if (count != 0)
		qsort(addresses, count, sizeof(*addresses),
		    frame_cache_by_address);
	buf_put(b, magic, sizeof(magic));
	buf_u64le(b, CACHE_VERSION);
	buf_zeros(b, 16);
	buf_uleb(b, build_id.size);
	buf_put(b, build_id.data, build_id.size);
	buf_uleb(b, count);
	for (size_t i = 0; i < count; i++) {
		buf_uleb(b, addresses[i].address - last);
		last = addresses[i].address;
		buf_uleb(b, addresses[i].count);
		for (size_t j = 0; j < addresses[i].count; j++) {
			const struct prof_frame *f = &addresses[i].frames[j];

			buf_uleb(b, f->flags);
			buf_u64le(b, f->function.guid);
			buf_uleb(b, f->line);
			buf_uleb(b, f->start_line);
			buf_uleb(b, f->line_offset);
			buf_uleb(b, f->column);
			buf_uleb(b, f->discriminator);
			frame_cache_put_text(b, &t, f->function.name);
			frame_cache_put_text(b, &t, f->file);
		}
	}
	if (!b->failed)
		md5(b->data + body, b->size - body, b->data + body - 16);
	intern_free(&t);
	return !b->failed;
}

struct cache_reader {
	struct cursor c;
	struct arena *arena;
	struct prof_span *texts;
	size_t text_count, text_room;
};

static enum prof_status
frame_cache_err(const struct cache_reader *s, struct prof_error *err)
{
	return err_at(err, PROF_E_CORRUPT, s->c.pos, "the cache is damaged");
}

static uint32_t
frame_cache_get_u32(struct cache_reader *s)
{
	uint64_t n = cur_uleb(&s->c);

	if (n > UINT32_MAX)
		s->c.failed = true;
	return (uint32_t)n;
}

static struct prof_span
frame_cache_get_bytes(struct cache_reader *s)
{
	uint64_t size = cur_uleb(&s->c);
	const uint8_t *p = cur_bytes(&s->c, size);

	return (struct prof_span){ p, p == NULL ? 0 : (size_t)size };
}

/* Gives a text; a new one gets the next number. */
static struct prof_span
frame_cache_get_text(struct cache_reader *s)
{
	uint64_t n = cur_uleb(&s->c);

	if (n == 1 && s->text_count < s->text_room)
		return s->texts[s->text_count++] = frame_cache_get_bytes(s);
	if (n >= 2 && n - 2 < s->text_count)
		return s->texts[n - 2];
	if (n != 0)
		s->c.failed = true;
	return (struct prof_span){ NULL, 0 };
}

static enum prof_status
frame_cache_get_addresses(struct cache_reader *s, struct frame_cache *out,
    struct prof_error *err)
{
	uint64_t n = cur_uleb(&s->c), last = 0, more, count;
	struct cached_address *addresses;
	struct prof_frame *frames;

	if (s->c.failed || n > cur_left(&s->c) / ADDRESS_SIZE_MIN)
		return frame_cache_err(s, err);
	addresses = arena_array(s->arena, (size_t)n, sizeof(*addresses));
	if (addresses == NULL)
		return err_memory(err);
	for (size_t i = 0; i < n; i++) {
		more = cur_uleb(&s->c);
		if ((i != 0 && more == 0) || !add_u64(last, more, &last))
			return frame_cache_err(s, err);
		count = cur_uleb(&s->c);
		if (s->c.failed || count > cur_left(&s->c) / FRAME_SIZE_MIN)
			return frame_cache_err(s, err);
		frames = arena_array(s->arena, (size_t)count, sizeof(*frames));
		if (frames == NULL)
			return err_memory(err);
		for (struct prof_frame *f = frames; f < frames + count; f++) {
			f->flags = frame_cache_get_u32(s) &
			    ((1u << PROF_FRAME_FLAGS) - 1);
			f->function.guid = cur_u64(&s->c);
			f->line = frame_cache_get_u32(s);
			f->start_line = frame_cache_get_u32(s);
			f->line_offset = frame_cache_get_u32(s);
			f->column = frame_cache_get_u32(s);
			f->discriminator = frame_cache_get_u32(s);
			f->function.name = frame_cache_get_text(s);
			f->file = frame_cache_get_text(s);
		}
		addresses[i] = (struct cached_address){ last, frames,
		    (size_t)count };
	}
	if (s->c.failed || cur_left(&s->c) != 0)
		return frame_cache_err(s, err);
	*out = (struct frame_cache){ addresses, (size_t)n };
	return PROF_OK;
}

enum prof_status
frame_cache_read(struct prof_span bytes, struct prof_span build_id,
    struct arena *arena, struct frame_cache *out, struct prof_error *err)
{
	struct cache_reader s = { .c = { .data = bytes.data, .size = bytes.size,
	    .pos = HEADER_SIZE }, .arena = arena };
	enum prof_status status;
	uint8_t digest[16];
	uint64_t version;

	if (bytes.size < HEADER_SIZE ||
	    memcmp(bytes.data, magic, sizeof(magic)) != 0)
		return err_set(err, PROF_E_FORMAT, "not a cache of frames");
	version = load_u64(bytes.data + 8, false);
	if (version != CACHE_VERSION)
		return err_set(err, PROF_E_VERSION, "a cache of version %llu, "
		    "not %d", ull(version), CACHE_VERSION);
	md5(bytes.data + HEADER_SIZE, bytes.size - HEADER_SIZE, digest);
	if (memcmp(digest, bytes.data + 16, 16) != 0)
		return err_set(err, PROF_E_CORRUPT, "the cache is damaged");
	if (!prof_span_equal(frame_cache_get_bytes(&s), build_id) || s.c.failed)
		return err_set(err, PROF_E_MISMATCH, "the cache of another "
		    "build id");
	/* Each text takes three bytes at least. */
	s.text_room = bytes.size / 3;
	s.texts = calloc(s.text_room + 1, sizeof(*s.texts));
	if (s.texts == NULL)
		return err_memory(err);
	status = frame_cache_get_addresses(&s, out, err);
	free(s.texts);
	return status;
}
