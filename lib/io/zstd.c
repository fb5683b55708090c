#include "config.h"

#include "io/zstd.h"

#include <errno.h>
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

struct zstd_reader *
zstd_reader_new(prof_pull *pull, void *arg, struct prof_error *err)
{
	struct zstd_reader *r;
	ZSTD_DCtx *zstd;

	if (libzstd_load(err) != PROF_OK)
		return NULL;
	r = malloc(sizeof(*r));
	zstd = libzstd.ZSTD_createDCtx();
	if (r == NULL || zstd == NULL || libzstd.ZSTD_isError(
	    libzstd.ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax,
	    WINDOW_LOG_MAX))) {
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

/*
 * Inflates pending bytes first, and reads more only if they give no output.
 * PROF_END at the end of the source, which may hold several frames.
 */
static enum prof_status
zstd_reader_inflate(struct zstd_reader *r, ZSTD_outBuffer *out)
{
	size_t result;

	if (r->in.pos == r->in.size && !r->pending) {
		ssize_t n = r->pull(r->arg, r->block, sizeof(r->block));

		if (n < 0)
			return PROF_FAIL;
		r->in.pos = 0;
		r->in.size = (size_t)n;
		r->pulled += (uint64_t)n;
		if (n == 0 && r->in_frame)
			return err_at(r->err, PROF_E_TRUNCATED, r->pulled,
			    "zstd data ends too early");
		if (n == 0)
			return PROF_END;
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
zstd_reader_free(void *reader)
{
	struct zstd_reader *r = reader;

	if (r != NULL)
		libzstd.ZSTD_freeDCtx(r->zstd);
	free(r);
}

/*
 * Long matches save most of the size; higher levels take much longer and save
 * little more (bench/RESULTS.md).
 */
enum { LEVEL = 9, WINDOW_LOG = 27 };

struct zstd_writer {
	ZSTD_CCtx *zstd;
	prof_sink *sink;
	void *arg;
	uint8_t block[BLOCK];
};

/* A checksum lets readers detect damage. */
static bool
zstd_writer_set_up(ZSTD_CCtx *zstd)
{
	static const struct {
		ZSTD_cParameter name;
		int value;
	} parameters[] = {
		{ ZSTD_c_compressionLevel, LEVEL },
		{ ZSTD_c_enableLongDistanceMatching, 1 },
		{ ZSTD_c_windowLog, WINDOW_LOG },
		{ ZSTD_c_checksumFlag, 1 },
	};

	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]);
	    i++) {
		size_t result = libzstd.ZSTD_CCtx_setParameter(zstd,
		    parameters[i].name, parameters[i].value);

		if (libzstd.ZSTD_isError(result))
			return false;
	}
	return true;
}

struct zstd_writer *
zstd_writer_new(prof_sink *sink, void *arg, struct prof_error *err)
{
	struct zstd_writer *w;

	if (libzstd_load(err) != PROF_OK)
		return NULL;
	w = malloc(sizeof(*w));
	if (w == NULL) {
		err_memory(err);
		return NULL;
	}
	w->sink = sink;
	w->arg = arg;
	w->zstd = libzstd.ZSTD_createCCtx();
	if (w->zstd != NULL && zstd_writer_set_up(w->zstd))
		return w;
	zstd_writer_free(w);
	err_memory(err);
	return NULL;
}

/* zstd fails only when out of memory. */
static int
zstd_writer_pack(struct zstd_writer *w, const void *data, size_t size,
    ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = { data, size, 0 };
	size_t left;
	int error;

	do {
		ZSTD_outBuffer out = { w->block, BLOCK, 0 };

		left = libzstd.ZSTD_compressStream2(w->zstd, &out, &in,
		    end);
		if (libzstd.ZSTD_isError(left))
			return ENOMEM;
		error = w->sink(w->arg, w->block, out.pos);
		if (error != 0)
			return error;
	} while (end == ZSTD_e_end ? left > 0 : in.pos < in.size);
	return 0;
}

int
zstd_writer_put(struct zstd_writer *w, const void *data, size_t size)
{
	return zstd_writer_pack(w, data, size, ZSTD_e_continue);
}

int
zstd_writer_finish(struct zstd_writer *w)
{
	return zstd_writer_pack(w, NULL, 0, ZSTD_e_end);
}

void
zstd_writer_free(struct zstd_writer *w)
{
	if (w == NULL)
		return;
	libzstd.ZSTD_freeCCtx(w->zstd);
	free(w);
}
