#include "model/name_section.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/huge_pages.h"
#include "base/md5.h"

/* What no deflate stream can beat (zlib, "Maximum Expansion Factor"). */
enum { DEFLATE_RATIO = 1032, NAME_SEPARATOR = 0x01, BATCH = 64 };

struct names_chunk {
	struct names_chunk *next;
	uint8_t bytes[];
};

static void
free_text(void *thing)
{
	struct names_text *text = thing;

	while (text->chunks != NULL) {
		struct names_chunk *next = text->chunks->next;

		free(text->chunks);
		text->chunks = next;
	}
	free(text);
}

/* Room for bytes of the names; NULL if out of memory. */
static uint8_t *
add_chunk(struct names *n, size_t size)
{
	static const struct lru_entry_ops kind = { .free = free_text };
	struct names_chunk *chunk;

	if (n->text == NULL)
		n->text = calloc(1, sizeof(*n->text));
	if (n->text == NULL)
		return NULL;
	if (n->text->chunks == NULL)
		n->text->shelf = (struct lru_entry){ &kind, 1 };
	chunk = huge_alloc(sizeof(*chunk) + size);
	if (chunk == NULL)
		return NULL;
	chunk->next = n->text->chunks;
	n->text->chunks = chunk;
	n->inflated += size;
	return chunk->bytes;
}

/* *d is made for the first of many chunks. */
static enum prof_status
inflate_chunk(struct names *out, struct libdeflate_decompressor **d,
    struct prof_span packed, uint64_t size, uint64_t offset,
    struct prof_span *plain, struct prof_error *err)
{
	uint8_t *bytes;
	enum libdeflate_result result;
	size_t got = 0;

	if (size / DEFLATE_RATIO > packed.size)
		return err_at(err, PROF_E_CORRUPT, offset, "names: "
		    "uncompressed size %llu is more than %zu compressed bytes "
		    "can hold", (unsigned long long)size, packed.size);
	bytes = add_chunk(out, (size_t)size);
	if (bytes == NULL)
		return err_memory(err);
	if (*d == NULL)
		*d = libdeflate_alloc_decompressor();
	if (*d == NULL)
		return err_memory(err);
	result = libdeflate_zlib_decompress(*d, packed.data, packed.size,
	    bytes, (size_t)size, &got);
	if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
		return err_at(err, PROF_E_CORRUPT, offset,
		    "names: %zu compressed bytes inflate to more than the "
		    "uncompressed size %llu", packed.size,
		    (unsigned long long)size);
	if (result != LIBDEFLATE_SUCCESS)
		return err_at(err, PROF_E_CORRUPT, offset,
		    "names: %zu compressed bytes do not inflate", packed.size);
	if (got != size)
		return err_at(err, PROF_E_CORRUPT, offset,
		    "names: inflated size %zu is not the uncompressed size "
		    "%llu", got, (unsigned long long)size);
	*plain = (struct prof_span){ bytes, (size_t)size };
	return PROF_OK;
}

static enum prof_status
copy_chunk(struct names *out, const uint8_t *from, size_t size,
    struct prof_span *plain, struct prof_error *err)
{
	uint8_t *bytes = add_chunk(out, size);

	if (bytes == NULL)
		return err_memory(err);
	memcpy(bytes, from, size);
	*plain = (struct prof_span){ bytes, size };
	return PROF_OK;
}

/*
 * Larger than anything known: names are a few times as long as their file when
 * inflated, and each function takes tens of bytes of it.
 */
struct names_limit
names_limit_of(size_t file_size)
{
	return (struct names_limit){
	    .bytes = ((uint64_t)32 << 20) + (uint64_t)6 * file_size,
	    .count = ((uint64_t)1 << 19) + file_size / 8 };
}

static size_t
count_names(struct prof_span joined)
{
	size_t n = 1;

	for (const uint8_t *p = joined.data, *end = p + joined.size;
	    (p = memchr(p, NAME_SEPARATOR, (size_t)(end - p))) != NULL; p++)
		n++;
	return n;
}

static bool
reserve(struct names *out, size_t more)
{
	struct prof_span *p;

	if (!out->listed)
		return symtab_reserve(&out->table, more);
	if (more > SIZE_MAX / sizeof(*p) - out->list_size)
		return false;
	p = realloc(out->list, (out->list_size + more) * sizeof(*p));
	if (p != NULL)
		out->list = p;
	return p != NULL;
}

/* Several digests at a time take less than half as long. */
static bool
add_names(struct names *out, const struct prof_span *names, size_t n)
{
	uint64_t guids[BATCH];

	if (out->listed) {
		memcpy(out->list + out->list_size, names, n * sizeof(*names));
		out->list_size += n;
		return true;
	}
	md5_u64_many(names, n, guids);
	for (size_t i = 0; i < n; i++) {
		if (!symtab_add(&out->table, names[i], guids[i]))
			return false;
	}
	return true;
}

static enum prof_status
split(struct names *out, struct prof_span joined, uint64_t offset,
    struct names_limit *limit, struct prof_error *err)
{
	const uint8_t *p = joined.data, *end = p + joined.size, *stop;
	struct prof_span names[BATCH];
	size_t count = count_names(joined), n = 0;

	if (count > limit->count)
		return err_at(err, PROF_E_LIMIT, offset, "names: %zu names "
		    "exceed the limit of %llu for a file of this size", count,
		    (unsigned long long)limit->count);
	limit->count -= count;
	if (!reserve(out, count))
		return err_memory(err);
	do {
		stop = memchr(p, NAME_SEPARATOR, (size_t)(end - p));
		names[n] = (struct prof_span){ p,
		    (size_t)((stop == NULL ? end : stop) - p) };
		if (names[n++].size == 0 && !out->listed)
			return err_at(err, PROF_E_CORRUPT, offset,
			    "names: a name is empty");
		if (n == BATCH || stop == NULL) {
			if (!add_names(out, names, n))
				return err_memory(err);
			n = 0;
		}
		if (stop != NULL)
			p = stop + 1;
	} while (stop != NULL);
	return PROF_OK;
}

static enum prof_status
read_chunks(struct names *out, struct libdeflate_decompressor **d,
    struct prof_span section, uint64_t offset, struct names_limit *limit,
    struct prof_error *err)
{
	struct cursor c = { .data = section.data, .size = section.size };

	for (;;) {
		uint64_t size, packed_size, at;
		struct prof_span plain;
		const uint8_t *bytes;

		while (c.pos < c.size && c.data[c.pos] == 0)
			c.pos++;
		if (c.pos == c.size)
			return PROF_OK;
		at = offset + c.pos;
		size = cur_uleb(&c);
		packed_size = cur_uleb(&c);
		if (c.failed)
			return err_at(err, PROF_E_CORRUPT, offset + c.pos,
			    "names: a chunk size is cut off or has more than "
			    "64 bits");
		if (size == 0)
			return err_at(err, PROF_E_CORRUPT, at,
			    "names: a chunk has uncompressed size 0");
		bytes = cur_bytes(&c, packed_size != 0 ? packed_size : size);
		if (bytes == NULL)
			return err_at(err, PROF_E_CORRUPT, at,
			    "names: chunk size %llu exceeds the %zu bytes left "
			    "of the section", (unsigned long long)
			    (packed_size != 0 ? packed_size : size),
			    cur_left(&c));
		if (packed_size == 0) {
			if (copy_chunk(out, bytes, (size_t)size, &plain, err)
			    != PROF_OK)
				return PROF_FAIL;
		} else {
			if (size > limit->bytes)
				return err_at(err, PROF_E_LIMIT, at,
				    "names: uncompressed size %llu exceeds the "
				    "limit of %llu", (unsigned long long)size,
				    (unsigned long long)limit->bytes);
			limit->bytes -= size;
			if (inflate_chunk(out, d, (struct prof_span){
			    bytes, (size_t)packed_size }, size, at, &plain,
			    err) != PROF_OK)
				return PROF_FAIL;
		}
		if (split(out, plain, at, limit, err) != PROF_OK)
			return PROF_FAIL;
	}
}

enum prof_status
names_read(struct names *out, struct prof_span section, uint64_t offset,
    struct names_limit *limit, struct prof_error *err)
{
	struct libdeflate_decompressor *d = NULL;
	enum prof_status status = read_chunks(out, &d, section, offset, limit,
	    err);

	if (d != NULL)
		libdeflate_free_decompressor(d);
	return status;
}

/* As much of a chunk as inflates. */
static enum prof_status
inflate_part(struct names *out, struct prof_span packed, uint64_t size,
    struct prof_span *plain, bool *whole, struct prof_error *err)
{
	uint8_t *bytes = add_chunk(out, (size_t)size);
	z_stream z = { 0 };
	int result;

	if (bytes == NULL)
		return err_memory(err);
	if (inflateInit(&z) != Z_OK)
		return err_memory(err);
	z.next_in = (Bytef *)(uintptr_t)packed.data;
	z.avail_in = (uInt)packed.size;
	z.next_out = bytes;
	z.avail_out = (uInt)size;
	result = inflate(&z, Z_SYNC_FLUSH);
	*plain = (struct prof_span){ bytes, (size_t)size - z.avail_out };
	*whole = *whole && result == Z_STREAM_END && z.avail_out == 0;
	inflateEnd(&z);
	return PROF_OK;
}

/* The names of a chunk; the last of a part may be cut. */
static enum prof_status
list_part(struct names *out, struct prof_span joined, bool whole,
    struct names_limit *limit, struct prof_error *err)
{
	while (!whole && joined.size > 0 &&
	    joined.data[joined.size - 1] != NAME_SEPARATOR)
		joined.size--;
	if (!whole && joined.size > 0)
		joined.size--;
	return joined.size == 0 ? PROF_OK :
	    split(out, joined, 0, limit, err);
}

/* The chunk at c, as far as it is there; *whole is false if it is not. */
static enum prof_status
salvage_chunk(struct names *out, struct cursor *c, struct names_limit *limit,
    bool *whole, struct prof_error *err)
{
	uint64_t size = cur_uleb(c), packed = cur_uleb(c);
	uint64_t wanted = packed != 0 ? packed : size;
	struct prof_span there, plain;

	*whole = !c->failed && size != 0 && wanted <= cur_left(c);
	if (c->failed || size == 0)
		return PROF_OK;
	there = (struct prof_span){ c->data + c->pos,
	    *whole ? (size_t)wanted : cur_left(c) };
	plain = there;
	c->pos += there.size;
	if (packed != 0) {
		if (size > limit->bytes || size > UINT32_MAX ||
		    there.size > UINT32_MAX ||
		    size / DEFLATE_RATIO > packed) {
			*whole = false;
			return PROF_OK;
		}
		limit->bytes -= size;
		if (inflate_part(out, there, size, &plain, whole, err)
		    != PROF_OK)
			return PROF_FAIL;
	}
	return list_part(out, plain, *whole, limit, err);
}

enum prof_status
names_salvage(struct names *out, struct prof_span section,
    struct names_limit *limit, bool *whole, struct prof_error *err)
{
	struct cursor c = { .data = section.data, .size = section.size };

	out->listed = true;
	*whole = true;
	while (*whole) {
		while (c.pos < c.size && c.data[c.pos] == 0)
			c.pos++;
		if (c.pos == c.size)
			return PROF_OK;
		if (salvage_chunk(out, &c, limit, whole, err) != PROF_OK)
			return PROF_FAIL;
	}
	return PROF_OK;
}

void
names_free(struct names *n)
{
	symtab_free(&n->table);
	free(n->list);
	lru_cache_release(n->text);
}

/* A reader would take such a name for two. */
static enum prof_status
refuse_separator(struct prof_span name, struct prof_error *err)
{
	char shown[ERR_NAME_SIZE];

	if (memchr(name.data, NAME_SEPARATOR, name.size) == NULL)
		return PROF_OK;
	return err_set(err, PROF_E_UNSUPPORTED, "name %s holds the byte 0x01, "
	    "which stands between names", err_name(shown, name));
}

enum prof_status
names_write(struct buf *out, const struct prof_span *names, size_t count,
    struct prof_error *err)
{
	const uint8_t separator = NAME_SEPARATOR;
	struct buf joined = { 0 };
	uLongf packed;
	uint8_t *p = NULL;
	int z = Z_MEM_ERROR;

	if (count == 0)
		return PROF_OK;
	for (size_t i = 0; i < count; i++) {
		if (refuse_separator(names[i], err) != PROF_OK) {
			buf_free(&joined);
			return PROF_FAIL;
		}
		if (i > 0)
			buf_put(&joined, &separator, 1);
		buf_put(&joined, names[i].data, names[i].size);
	}
	packed = compressBound((uLong)joined.size);
	if (!joined.failed && (p = malloc(packed)) != NULL)
		z = compress2(p, &packed, joined.data, (uLong)joined.size,
		    Z_BEST_COMPRESSION);
	if (z == Z_OK) {
		buf_uleb(out, joined.size);
		buf_uleb(out, packed);
		buf_put(out, p, packed);
	}
	free(p);
	buf_free(&joined);
	return z == Z_OK && !out->failed ? PROF_OK : err_memory(err);
}
