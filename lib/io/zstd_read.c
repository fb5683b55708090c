#include "config.h"

#include "io/zstd_read.h"

#include <limits.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/libzstd.h"

/* The limit of the zstd program without --long. */
enum { WINDOW_LOG_MAX = 27 };

enum { BLOCK = 1 << 17 };

struct zstd_reader {
	prof_pull *pull;
	void *arg;
	struct prof_error *err;
	ZSTD_DCtx *zstd;
	ZSTD_inBuffer in;
	uint64_t pulled;
	bool in_frame;
	bool pending;		/* zstd may have more output */
	uint8_t block[BLOCK];
};

static bool
limit_window(ZSTD_DCtx *zstd)
{
	return !libzstd.ZSTD_isError(libzstd.ZSTD_DCtx_setParameter(zstd,
	    ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
}

struct zstd_reader *
zstd_reader_new(prof_pull *pull, void *arg, struct prof_error *err)
{
	struct zstd_reader *r;
	ZSTD_DCtx *zstd;

	if (libzstd_load(err) != PROF_OK)
		return NULL;
	r = malloc(sizeof(*r));
	zstd = libzstd.ZSTD_createDCtx();
	if (r == NULL || zstd == NULL || !limit_window(zstd)) {
		libzstd.ZSTD_freeDCtx(zstd);
		free(r);
		err_memory(err);
		return NULL;
	}
	r->pull = pull;
	r->arg = arg;
	r->err = err;
	r->zstd = zstd;
	r->in = (ZSTD_inBuffer){ r->block, 0, 0 };
	r->pulled = 0;
	r->in_frame = false;
	r->pending = false;
	return r;
}

static enum prof_status
zstd_reader_fail(struct zstd_reader *r, size_t result)
{
	uint64_t at = r->pulled - (r->in.size - r->in.pos);

	switch (libzstd.ZSTD_getErrorCode(result)) {
	case ZSTD_error_memory_allocation:
		return err_memory(r->err);
	case ZSTD_error_frameParameter_windowTooLarge:
		return err_at(r->err, PROF_E_LIMIT, at, "zstd data needs a "
		    "window of more than %d MiB", 1 << (WINDOW_LOG_MAX - 20));
	default:
		return err_at(r->err, PROF_E_CORRUPT, at, "zstd data: %s",
		    libzstd.ZSTD_getErrorName(result));
	}
}

/* PROF_END at the end of the source, which may hold several frames. */
static enum prof_status
zstd_reader_refill(struct zstd_reader *r)
{
	ssize_t n = r->pull(r->arg, r->block, sizeof(r->block));

	if (n < 0)
		return PROF_FAIL;
	r->in.pos = 0;
	r->in.size = (size_t)n;
	r->pulled += (uint64_t)n;
	if (n > 0)
		return PROF_OK;
	return !r->in_frame ? PROF_END : err_at(r->err, PROF_E_TRUNCATED,
	    r->pulled, "zstd data ends too early");
}

/* Inflates pending bytes first, and reads more only if they give no output. */
static enum prof_status
zstd_reader_inflate(struct zstd_reader *r, ZSTD_outBuffer *out)
{
	size_t result;

	if (r->in.pos == r->in.size && !r->pending) {
		enum prof_status status = zstd_reader_refill(r);

		if (status != PROF_OK)
			return status;
	}
	result = libzstd.ZSTD_decompressStream(r->zstd, out, &r->in);
	if (libzstd.ZSTD_isError(result))
		return zstd_reader_fail(r, result);
	r->in_frame = result != 0;
	r->pending = r->in_frame && out->pos == out->size;
	return PROF_OK;
}

ssize_t
zstd_reader_pull(void *reader, void *data, size_t size)
{
	ZSTD_outBuffer out = { data, size > INT_MAX ? INT_MAX : size, 0 };
	enum prof_status status = PROF_OK;

	while (out.pos == 0 && status == PROF_OK)
		status = zstd_reader_inflate(reader, &out);
	return status == PROF_FAIL ? -1 : (ssize_t)out.pos;
}

void
zstd_reader_free(struct zstd_reader *r)
{
	if (r != NULL)
		libzstd.ZSTD_freeDCtx(r->zstd);
	free(r);
}
