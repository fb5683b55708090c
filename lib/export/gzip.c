#include "export/gzip.h"

#include <limits.h>
#include <stdlib.h>

#include <zlib.h>

#include "base/error.h"

enum { GZIP = 16, PIECE = 65536, FAST_LEVEL = 2 };

struct gzip_stream {
	z_stream z;
};

/* z_stream counts in unsigned int: larger inputs are deflated in pieces. */
static uInt
gzip_piece_size(size_t left)
{
	return left > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt)left;
}

/*
 * Without deflateSetHeader, zlib writes no file name and the time 0, so that
 * equal profiles give equal files.
 */
struct gzip_stream *
gzip_stream_new(enum gzip_effort effort)
{
	const int level = effort == GZIP_FAST ? FAST_LEVEL :
	    Z_DEFAULT_COMPRESSION;
	struct gzip_stream *s = calloc(1, sizeof(*s));

	if (s != NULL && deflateInit2(&s->z, level, Z_DEFLATED,
	    MAX_WBITS + GZIP, MAX_MEM_LEVEL - 1, Z_DEFAULT_STRATEGY) != Z_OK) {
		free(s);
		return NULL;
	}
	return s;
}

enum prof_status
gzip_stream_put(struct gzip_stream *s, struct buf *out, struct prof_span in,
    bool last, struct prof_error *err)
{
	z_stream *z = &s->z;
	int result = Z_OK;

	z->next_in = (z_const Bytef *)(uintptr_t)in.data;
	do {
		size_t left = in.size - (size_t)(z->next_in - in.data);
		uint8_t *p = buf_reserve(out, PIECE);

		if (p == NULL)
			return err_memory(err);
		z->avail_in = gzip_piece_size(left);
		z->next_out = p;
		z->avail_out = PIECE;
		result = deflate(z, last && z->avail_in == left ? Z_FINISH :
		    Z_NO_FLUSH);
		out->size += PIECE - z->avail_out;
	} while ((result == Z_OK || result == Z_BUF_ERROR) &&
	    (last || z->avail_out == 0 ||
	    (size_t)(z->next_in - in.data) < in.size));
	return result == (last ? Z_STREAM_END : Z_OK) ||
	    (!last && result == Z_BUF_ERROR) ? PROF_OK : err_memory(err);
}

void
gzip_stream_free(struct gzip_stream *s)
{
	if (s == NULL)
		return;
	deflateEnd(&s->z);
	free(s);
}

enum prof_status
export_gzip(struct buf *out, struct prof_span in, enum gzip_effort effort,
    struct prof_error *err)
{
	struct gzip_stream *s = gzip_stream_new(effort);
	enum prof_status status = s == NULL ? err_memory(err) :
	    gzip_stream_put(s, out, in, true, err);

	gzip_stream_free(s);
	return status;
}
