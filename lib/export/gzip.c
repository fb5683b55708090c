#include "export/gzip.h"

#include <limits.h>

#include <zlib.h>

#include "base/error.h"

enum { GZIP = 16, PIECE = 65536, FAST_LEVEL = 4 };

/* z_stream counts in unsigned int: larger inputs are deflated in pieces. */
static uInt
gzip_piece_size(size_t left)
{
	return left > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)left;
}

static int
gzip_deflate(z_stream *z, struct buf *out, struct prof_span in)
{
	int result = Z_OK;

	z->next_in = (z_const Bytef *)(uintptr_t)in.data;
	while (result == Z_OK || result == Z_BUF_ERROR) {
		size_t left = in.size - (size_t)(z->next_in - in.data);
		uint8_t *p = buf_reserve(out, PIECE);

		if (p == NULL)
			return Z_MEM_ERROR;
		z->avail_in = gzip_piece_size(left);
		z->next_out = p;
		z->avail_out = PIECE;
		result = deflate(z, z->avail_in == left ? Z_FINISH :
		    Z_NO_FLUSH);
		out->size += PIECE - z->avail_out;
	}
	return result;
}

/*
 * Without deflateSetHeader, zlib writes no file name and the time 0, so that
 * equal profiles give equal files.
 */
enum prof_status
export_gzip(struct buf *out, struct prof_span in, enum gzip_effort effort,
    struct prof_error *err)
{
	const int level = effort == GZIP_FAST ? FAST_LEVEL :
	    Z_DEFAULT_COMPRESSION;
	z_stream z = { .zalloc = Z_NULL };
	int result;

	if (deflateInit2(&z, level, Z_DEFLATED, MAX_WBITS + GZIP,
	    MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK)
		return err_memory(err);
	result = gzip_deflate(&z, out, in);
	deflateEnd(&z);
	return result == Z_STREAM_END ? PROF_OK : err_memory(err);
}
