#include "model/name_section.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/arena.h"
#include "base/digests.h"
#include "base/error.h"

/*
 * DEFLATE_RATIO is the largest expansion of deflate (zlib technical details,
 * "Maximum Expansion Factor"); BATCH names are digested at a time.
 */
enum { DEFLATE_RATIO = 1032, NAME_SEPARATOR = 0x01, BATCH = 64 };

/*
 * Of a file's names, so many bytes and so many names have no limit by its size.
 * For a member, these are divided by its ordinal, and then its size counts, but
 * not beyond what a file may have.  Sound members have less: a function takes
 * 72 bytes besides its name, so that names would need 4600 bytes on average, or
 * to shrink more than 64 times; and no name shrinks to a byte.
 */
#define NAMES_FREE_BYTES	((uint64_t)32 << 20)
#define NAMES_FREE_COUNT	((uint64_t)1 << 19)
#define MEMBER_BYTES_RATIO	64
#define MEMBER_COUNT_RATIO	1

struct names_chunk {
	struct names_chunk *next;
	uint8_t bytes[];
};

static void
names_free_text(void *thing)
{
	struct names_text *text = thing;

	while (text->chunks != NULL) {
		struct names_chunk *next = text->chunks->next;

		free(text->chunks);
		text->chunks = next;
	}
	free(text);
}

/* Memory for the bytes of names; NULL if out of memory. */
static uint8_t *
names_add_chunk(struct names *n, size_t size)
{
	static const struct lru_entry_ops kind = { .free = names_free_text };
	struct names_chunk *chunk;

	if (n->text == NULL)
		n->text = calloc(1, sizeof(*n->text));
	if (n->text == NULL)
		return NULL;
	if (n->text->chunks == NULL)
		n->text->entry = (struct lru_entry){ &kind, 1 };
	chunk = huge_alloc(sizeof(*chunk) + size);
	if (chunk == NULL)
		return NULL;
	chunk->next = n->text->chunks;
	n->text->chunks = chunk;
	n->inflated += size;
	return chunk->bytes;
}

/* The state of reading a section. */
struct names_reader {
	struct names *out;
	struct names_limit *limit;
	struct libdeflate_decompressor *inflater;	/* NULL: not yet used */
};

/* A chunk as stored: ULEB sizes, then its bytes. */
struct names_stored_chunk {
	uint64_t size, packed_size;	/* packed_size 0: not compressed */
	uint64_t at;			/* offset in the image */
	const uint8_t *bytes;
};

static enum prof_status
names_inflate_chunk(struct names_reader *r, const struct names_stored_chunk *c,
    struct prof_span *plain, struct prof_error *err)
{
	uint64_t size = c->size;
	size_t packed = (size_t)c->packed_size, got = 0;
	uint8_t *bytes;
	enum libdeflate_result result;

	if (size > r->limit->bytes)
		return err_at(err, PROF_E_LIMIT, c->at, "names: uncompressed "
		    "size %llu exceeds the limit of %llu",
		    (unsigned long long)size,
		    (unsigned long long)r->limit->bytes);
	r->limit->bytes -= size;
	r->out->taken.bytes += size;
	if (size / DEFLATE_RATIO > packed)
		return err_at(err, PROF_E_CORRUPT, c->at, "names: "
		    "uncompressed size %llu is more than %zu compressed bytes "
		    "can hold", (unsigned long long)size, packed);
	bytes = names_add_chunk(r->out, (size_t)size);
	if (bytes == NULL)
		return err_memory(err);
	if (r->inflater == NULL)
		r->inflater = libdeflate_alloc_decompressor();
	if (r->inflater == NULL)
		return err_memory(err);
	result = libdeflate_zlib_decompress(r->inflater, c->bytes, packed,
	    bytes, (size_t)size, &got);
	if (result == LIBDEFLATE_INSUFFICIENT_SPACE)
		return err_at(err, PROF_E_CORRUPT, c->at,
		    "names: %zu compressed bytes inflate to more than the "
		    "uncompressed size %llu", packed,
		    (unsigned long long)size);
	if (result != LIBDEFLATE_SUCCESS)
		return err_at(err, PROF_E_CORRUPT, c->at,
		    "names: %zu compressed bytes do not inflate", packed);
	if (got != size)
		return err_at(err, PROF_E_CORRUPT, c->at,
		    "names: inflated size %zu is not the uncompressed size "
		    "%llu", got, (unsigned long long)size);
	*plain = (struct prof_span){ bytes, (size_t)size };
	return PROF_OK;
}

/* The share of a member in the bytes, or names, that are free for a file. */
static uint64_t
names_free_of_member(uint64_t most, uint64_t by_size, uint64_t ordinal)
{
	uint64_t share = ordinal < 2 ? most :
	    saturating_add(most / ordinal, by_size);

	return share < most ? share : most;
}

struct names_limit
names_limit_of(size_t file_size, uint64_t ordinal)
{
	struct names_limit limit;
	uint64_t by_size;

	if (!mul_u64(file_size, MEMBER_BYTES_RATIO, &by_size))
		by_size = UINT64_MAX;
	limit.bytes = names_free_of_member(NAMES_FREE_BYTES, by_size, ordinal);
	limit.count = names_free_of_member(NAMES_FREE_COUNT,
	    (uint64_t)file_size * MEMBER_COUNT_RATIO, ordinal);
	names_limit_grow(&limit, file_size);
	return limit;
}

bool
names_limit_take(struct names_limit *limit, const struct names_limit *taken)
{
	if (taken->bytes > limit->bytes || taken->count > limit->count)
		return false;
	limit->bytes -= taken->bytes;
	limit->count -= taken->count;
	return true;
}

void
names_limit_grow(struct names_limit *limit, uint64_t bytes)
{
	limit->bytes += 6 * bytes;
	limit->count += bytes / 8;
}

static bool
names_reserve(struct names *out, size_t more)
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

/* Digests of several names at a time take less than half as long. */
static bool
names_add_many(struct names *out, const struct prof_span *names, size_t n)
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

/* Adds the names of one inflated chunk. */
static enum prof_status
names_split(struct names *out, struct prof_span joined, uint64_t offset,
    struct names_limit *limit, struct prof_error *err)
{
	const uint8_t *p = joined.data, *end = p + joined.size, *stop;
	struct prof_span names[BATCH];
	size_t count = 1, n = 0;

	for (stop = p; (stop = memchr(stop, NAME_SEPARATOR,
	    (size_t)(end - stop))) != NULL; stop++)
		count++;
	if (count > limit->count)
		return err_at(err, PROF_E_LIMIT, offset, "names: %zu names "
		    "exceed the limit of %llu for a file of this size", count,
		    (unsigned long long)limit->count);
	limit->count -= count;
	out->taken.count += count;
	if (!names_reserve(out, count))
		return err_memory(err);
	do {
		stop = memchr(p, NAME_SEPARATOR, (size_t)(end - p));
		names[n] = (struct prof_span){ p,
		    (size_t)((stop == NULL ? end : stop) - p) };
		if (names[n++].size == 0 && !out->listed)
			return err_at(err, PROF_E_CORRUPT, offset,
			    "names: a name is empty");
		if (n == BATCH || stop == NULL) {
			if (!names_add_many(out, names, n))
				return err_memory(err);
			n = 0;
		}
		if (stop != NULL)
			p = stop + 1;
	} while (stop != NULL);
	return PROF_OK;
}

/* Zeros between chunks are padding. */
static void
names_skip_zeros(struct cursor *c)
{
	while (c->pos < c->size && c->data[c->pos] == 0)
		c->pos++;
}

static enum prof_status
names_read_chunk(struct names_reader *r, struct cursor *c, uint64_t offset,
    struct prof_error *err)
{
	struct names_stored_chunk chunk = { .at = offset + c->pos };
	struct prof_span plain;
	uint64_t stored;
	uint8_t *bytes;

	chunk.size = cur_uleb(c);
	chunk.packed_size = cur_uleb(c);
	if (c->failed)
		return err_at(err, PROF_E_CORRUPT, offset + c->pos,
		    "names: a chunk size is cut off or has more than 64 bits");
	if (chunk.size == 0)
		return err_at(err, PROF_E_CORRUPT, chunk.at,
		    "names: a chunk has uncompressed size 0");
	stored = chunk.packed_size != 0 ? chunk.packed_size : chunk.size;
	chunk.bytes = cur_bytes(c, stored);
	if (chunk.bytes == NULL)
		return err_at(err, PROF_E_CORRUPT, chunk.at,
		    "names: chunk size %llu exceeds the %zu bytes left of the "
		    "section", (unsigned long long)stored, cur_left(c));
	if (chunk.packed_size == 0) {
		bytes = names_add_chunk(r->out, (size_t)stored);
		if (bytes == NULL)
			return err_memory(err);
		memcpy(bytes, chunk.bytes, (size_t)stored);
		plain = (struct prof_span){ bytes, (size_t)stored };
	} else if (names_inflate_chunk(r, &chunk, &plain, err) != PROF_OK)
		return PROF_FAIL;
	return names_split(r->out, plain, chunk.at, r->limit, err);
}

enum prof_status
names_read(struct names *out, struct prof_span section, uint64_t offset,
    struct names_limit *limit, struct prof_error *err)
{
	struct names_reader r = { .out = out, .limit = limit };
	struct cursor c = { .data = section.data, .size = section.size };
	enum prof_status status = PROF_OK;

	for (names_skip_zeros(&c); c.pos < c.size && status == PROF_OK;
	    names_skip_zeros(&c))
		status = names_read_chunk(&r, &c, offset, err);
	if (r.inflater != NULL)
		libdeflate_free_decompressor(r.inflater);
	return status;
}

/*
 * Inflates a chunk of `size` bytes up to its damage, if any.  *chunk is the
 * stored bytes, then the inflated ones.
 */
static enum prof_status
names_inflate_prefix(struct names *out, uint64_t size, struct prof_span *chunk,
    bool *whole, struct prof_error *err)
{
	uint8_t *bytes = names_add_chunk(out, (size_t)size);
	z_stream z = { .next_in = NULL };
	int result;

	if (bytes == NULL)
		return err_memory(err);
	if (inflateInit(&z) != Z_OK)
		return err_memory(err);
	z.next_in = (Bytef *)(uintptr_t)chunk->data;
	z.avail_in = (uInt)chunk->size;
	z.next_out = bytes;
	z.avail_out = (uInt)size;
	result = inflate(&z, Z_SYNC_FLUSH);
	*chunk = (struct prof_span){ bytes, (size_t)size - z.avail_out };
	*whole = *whole && result == Z_STREAM_END && z.avail_out == 0;
	inflateEnd(&z);
	return result == Z_MEM_ERROR ? err_memory(err) : PROF_OK;
}

/* Adds the names of the chunk at the cursor up to its damage. */
static enum prof_status
names_salvage_chunk(struct names *out, struct cursor *c,
    struct names_limit *limit, bool *whole, struct prof_error *err)
{
	uint64_t size = cur_uleb(c), packed = cur_uleb(c);
	uint64_t wanted = packed != 0 ? packed : size;
	struct prof_span there;

	*whole = !c->failed && size != 0 && wanted <= cur_left(c);
	if (c->failed || size == 0)
		return PROF_OK;
	there = (struct prof_span){ c->data + c->pos,
	    *whole ? (size_t)wanted : cur_left(c) };
	c->pos += there.size;
	if (packed != 0) {
		if (size > limit->bytes || size > UINT32_MAX ||
		    there.size > UINT32_MAX ||
		    size / DEFLATE_RATIO > packed) {
			*whole = false;
			return PROF_OK;
		}
		limit->bytes -= size;
		if (names_inflate_prefix(out, size, &there, whole, err)
		    != PROF_OK)
			return PROF_FAIL;
	}
	/* The last name of a chunk that is cut may be cut, too. */
	while (!*whole && there.size > 0 &&
	    there.data[there.size - 1] != NAME_SEPARATOR)
		there.size--;
	if (!*whole && there.size > 0)
		there.size--;
	return there.size == 0 ? PROF_OK :
	    names_split(out, there, 0, limit, err);
}

enum prof_status
names_salvage(struct names *out, struct prof_span section,
    struct names_limit *limit, bool *whole, struct prof_error *err)
{
	struct cursor c = { .data = section.data, .size = section.size };

	out->listed = true;
	*whole = true;
	while (*whole) {
		names_skip_zeros(&c);
		if (c.pos == c.size)
			return PROF_OK;
		if (names_salvage_chunk(out, &c, limit, whole, err) != PROF_OK)
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

enum prof_status
names_write(struct buf *out, const struct prof_span *names, size_t count,
    struct prof_error *err)
{
	const uint8_t separator = NAME_SEPARATOR;
	char shown[ERR_NAME_SIZE];
	struct buf joined = { 0 };
	uLongf packed;
	uint8_t *p = NULL;
	int z = Z_MEM_ERROR;

	if (count == 0)
		return PROF_OK;
	for (size_t i = 0; i < count; i++) {
		/* Such a name would be read as two names. */
		if (memchr(names[i].data, NAME_SEPARATOR, names[i].size) !=
		    NULL) {
			buf_free(&joined);
			return err_set(err, PROF_E_UNSUPPORTED, "name %s holds "
			    "the byte 0x01, which separates names",
			    err_name(shown, names[i]));
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
