#include "config.h"

#include "sym/mini_debug.h"

#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "io/archive.h"

/* Bytes that are decompressed at a time. */
enum { PIECE = 1 << 16 };

/* Bytes that a section may decompress to, at least and for each of its own. */
enum { MINI_DEBUG_FEW = 16 << 20, MINI_DEBUG_A_BYTE = 50 };

/* A prof_pull whose argument is the span of the bytes that are left. */
static ssize_t
mini_debug_pull(void *arg, void *data, size_t size)
{
	struct prof_span *left = arg;

	if (size > left->size)
		size = left->size;
	if (size != 0)
		memcpy(data, left->data, size);
	left->data += size;
	left->size -= size;
	return (ssize_t)size;
}

static enum prof_status
mini_debug_unpack(struct unpacker *u, uint64_t max, struct buf *out,
    struct prof_error *err)
{
	ssize_t n;

	do {
		uint8_t *piece = buf_reserve(out, PIECE);

		if (piece == NULL)
			return err_memory(err);
		n = unpacker_pull(u, piece, PIECE);
		if (n < 0)
			return PROF_FAIL;
		out->size += (size_t)n;
		if (out->size > max)
			return err_set(err, PROF_E_LIMIT, "more than %llu "
			    "bytes when decompressed", (unsigned long long)max);
	} while (n > 0);
	return PROF_OK;
}

enum prof_status
mini_debug_read(struct prof_span section, struct buf *out,
    struct prof_error *err)
{
	struct packed_source source = { .pull = mini_debug_pull,
	    .arg = &section };
	const uint64_t max = MINI_DEBUG_FEW +
	    MINI_DEBUG_A_BYTE * (uint64_t)section.size;
	struct prof_span first = section;
	struct unpacker *u;
	enum prof_status status;

	if (first.size > PACKING_BYTES)
		first.size = PACKING_BYTES;
	if (packing_of(first) != PACKING_XZ)
		return err_set(err, PROF_E_FORMAT, "not compressed as xz");
	u = unpacker_new(PACKING_XZ, &source, err);
	if (u == NULL)
		return PROF_FAIL;
	status = mini_debug_unpack(u, max, out, err);
	unpacker_free(u);
	return status;
}
