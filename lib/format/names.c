#include "format/names.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"

/* What no deflate stream can beat (zlib, "Maximum Expansion Factor"). */
enum { DEFLATE_RATIO = 1032, NAME_SEPARATOR = 0x01 };

struct names_chunk {
	struct names_chunk *next;
	uint8_t bytes[];
};

static enum prof_status
inflate_chunk(struct names *out, struct prof_span packed, uint64_t size,
    uint64_t offset, struct prof_span *plain, struct prof_error *err)
{
	struct names_chunk *chunk;
	uLongf got = (uLongf)size;
	int z;

	if (size / DEFLATE_RATIO > packed.size)
		return err_at(err, PROF_E_CORRUPT, offset, "names: "
		    "uncompressed size %llu is more than %zu compressed bytes "
		    "can hold", (unsigned long long)size, packed.size);
	chunk = malloc(sizeof(*chunk) + (size_t)size);
	if (chunk == NULL)
		return err_memory(err);
	chunk->next = out->chunks;
	out->chunks = chunk;
	z = uncompress(chunk->bytes, &got, packed.data, (uLong)packed.size);
	if (z == Z_MEM_ERROR)
		return err_memory(err);
	if (z == Z_BUF_ERROR && got == size)
		return err_at(err, PROF_E_CORRUPT, offset,
		    "names: %zu compressed bytes inflate to more than the "
		    "uncompressed size %llu", packed.size,
		    (unsigned long long)size);
	if (z != Z_OK)
		return err_at(err, PROF_E_CORRUPT, offset,
		    "names: %zu compressed bytes do not inflate", packed.size);
	if (got != size)
		return err_at(err, PROF_E_CORRUPT, offset,
		    "names: inflated size %lu is not the uncompressed size "
		    "%llu", (unsigned long)got, (unsigned long long)size);
	*plain = (struct prof_span){ chunk->bytes, (size_t)size };
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

	for (size_t i = 0; i < joined.size; i++)
		n += joined.data[i] == NAME_SEPARATOR;
	return n;
}

static enum prof_status
split(struct names *out, struct prof_span joined, uint64_t offset,
    struct names_limit *limit, struct prof_error *err)
{
	const uint8_t *p = joined.data, *end = p + joined.size;
	size_t count = count_names(joined);

	if (count > limit->count)
		return err_at(err, PROF_E_LIMIT, offset, "names: %zu names "
		    "exceed the limit of %llu for a file of this size", count,
		    (unsigned long long)limit->count);
	limit->count -= count;
	if (!symtab_reserve(&out->table, count))
		return err_memory(err);
	for (;;) {
		const uint8_t *stop =
		    memchr(p, NAME_SEPARATOR, (size_t)(end - p));
		size_t size = (size_t)((stop == NULL ? end : stop) - p);

		if (size == 0)
			return err_at(err, PROF_E_CORRUPT, offset,
			    "names: a name is empty");
		if (!symtab_add(&out->table,
		    (struct prof_span){ p, size }, 0))
			return err_memory(err);
		if (stop == NULL)
			return PROF_OK;
		p = stop + 1;
	}
}

enum prof_status
names_read(struct names *out, struct prof_span section, uint64_t offset,
    struct names_limit *limit, struct prof_error *err)
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
		plain = (struct prof_span){ bytes, (size_t)size };
		if (packed_size != 0) {
			if (size > limit->bytes)
				return err_at(err, PROF_E_LIMIT, at,
				    "names: uncompressed size %llu exceeds the "
				    "limit of %llu", (unsigned long long)size,
				    (unsigned long long)limit->bytes);
			limit->bytes -= size;
			if (inflate_chunk(out, (struct prof_span){ bytes,
			    (size_t)packed_size }, size, at, &plain, err)
			    != PROF_OK)
				return PROF_FAIL;
		}
		if (split(out, plain, at, limit, err) != PROF_OK)
			return PROF_FAIL;
	}
}

void
names_free(struct names *n)
{
	symtab_free(&n->table);
	while (n->chunks != NULL) {
		struct names_chunk *next = n->chunks->next;

		free(n->chunks);
		n->chunks = next;
	}
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

static bool
copy_span(struct prof_span from, struct prof_span *to)
{
	uint8_t *p = malloc(from.size + 1);

	if (p == NULL)
		return false;
	if (from.size != 0)
		memcpy(p, from.data, from.size);
	*to = (struct prof_span){ p, from.size };
	return true;
}

struct names_cache *
names_new(struct prof_error *err)
{
	struct names_cache *n = calloc(1, sizeof(*n));

	if (n == NULL)
		err_memory(err);
	else
		n->users = 1;
	return n;
}

struct names_cache *
names_get(struct prof_context *context, struct prof_span functions,
    uint64_t functions_offset, struct prof_span vtables,
    uint64_t vtables_offset, struct names_limit *limit,
    struct prof_error *err)
{
	struct names_cache *n = context == NULL ? NULL : context->names;

	if (n != NULL && prof_span_equal(n->functions, functions) &&
	    prof_span_equal(n->vtables, vtables)) {
		n->users++;
		return n;
	}
	n = names_new(err);
	if (n == NULL)
		return NULL;
	if (!copy_span(functions, &n->functions) ||
	    !copy_span(vtables, &n->vtables)) {
		err_memory(err);
		goto fail;
	}
	if (names_read(&n->names, n->functions, functions_offset, limit, err)
	    != PROF_OK)
		goto fail;
	n->vtable_start = n->names.table.size;
	if (names_read(&n->names, n->vtables, vtables_offset, limit, err)
	    != PROF_OK)
		goto fail;
	if (context != NULL) {
		names_release(context->names);
		context->names = n;
		n->users++;
	}
	return n;
fail:
	names_release(n);
	return NULL;
}

void
names_release(struct names_cache *n)
{
	if (n == NULL || --n->users > 0)
		return;
	names_free(&n->names);
	free((void *)n->functions.data);
	free((void *)n->vtables.data);
	free(n);
}
