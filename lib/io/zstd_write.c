#include "config.h"

#include "io/zstd_write.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/libzstd.h"

/*
 * Long matches save most of the size; higher levels take much longer and save
 * little more (bench/RESULTS.md).
 */
enum { LEVEL = 9, WINDOW_LOG = 27, BLOCK = 1 << 17 };

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
