#include "export/export.h"

#include <limits.h>

#include <zlib.h>

#include "base/error.h"

enum { GZIP = 16, PIECE = 65536 };

/* Size of what deflate takes and gives is an int's; larger goes in pieces. */
static uInt
piece_of(size_t left)
{
	return left > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)left;
}

static int
deflate_all(z_stream *z, struct buf *out, struct prof_span in)
{
	int result = Z_OK;

	z->next_in = (z_const Bytef *)(uintptr_t)in.data;
	while (result == Z_OK || result == Z_BUF_ERROR) {
		size_t left = in.size - (size_t)(z->next_in - in.data);
		uint8_t *p = buf_reserve(out, PIECE);

		if (p == NULL)
			return Z_MEM_ERROR;
		z->avail_in = piece_of(left);
		z->next_out = p;
		z->avail_out = PIECE;
		result = deflate(z, z->avail_in == left ? Z_FINISH :
		    Z_NO_FLUSH);
		out->size += PIECE - z->avail_out;
	}
	return result;
}

/* zlib writes no name and the time 0 unless it is told otherwise. */
enum prof_status
export_gzip(struct buf *out, struct prof_span in, struct prof_error *err)
{
	z_stream z = { .zalloc = Z_NULL };
	int result;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS +
	    GZIP, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_memory(err);
	result = deflate_all(&z, out, in);
	deflateEnd(&z);
	return result == Z_STREAM_END ? PROF_OK : err_memory(err);
}
