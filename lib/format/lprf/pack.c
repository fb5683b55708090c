#include "config.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/libzstd.h"
#include "format/lprf/v2.h"

/* Higher levels take ten times as long for a tenth of the size. */
enum { LEVEL = 5 };

/* A frame that saves less than a fifth is not worth the time to inflate it. */
enum { WORTH = 5 };

const bool lprf2_can_pack = true;

struct lprf2_packer {
	ZSTD_CCtx *out;
	ZSTD_DCtx *in;
};

struct lprf2_packer *
lprf2_packer_new(struct prof_error *err)
{
	struct lprf2_packer *p;

	if (libzstd_load(err) != PROF_OK)
		return NULL;
	p = malloc(sizeof(*p));
	if (p == NULL) {
		err_memory(err);
		return NULL;
	}
	p->out = libzstd.ZSTD_createCCtx();
	p->in = libzstd.ZSTD_createDCtx();
	if (p->out != NULL && p->in != NULL)
		return p;
	lprf2_packer_free(p);
	err_memory(err);
	return NULL;
}

void
lprf2_packer_free(struct lprf2_packer *p)
{
	if (p == NULL)
		return;
	libzstd.ZSTD_freeCCtx(p->out);
	libzstd.ZSTD_freeDCtx(p->in);
	free(p);
}

/* zstd fails only when out of memory: there is room for any result. */
enum prof_status
lprf2_pack(struct lprf2_packer *p, struct prof_span s, struct buf *out,
    struct prof_error *err)
{
	size_t bound = libzstd.ZSTD_compressBound(s.size), n;
	uint8_t *to = buf_reserve(out, bound);

	if (to == NULL)
		return err_memory(err);
	n = libzstd.ZSTD_compressCCtx(p->out, to, bound, s.data, s.size,
	    LEVEL);
	if (libzstd.ZSTD_isError(n))
		return err_memory(err);
	if (n > s.size - s.size / WORTH)
		return PROF_END;
	out->size += n;
	return PROF_OK;
}

enum prof_status
lprf2_unpack(struct lprf2_packer *p, struct prof_span frame, uint8_t *out,
    size_t size)
{
	return libzstd.ZSTD_decompressDCtx(p->in, out, size, frame.data,
	    frame.size) == size ? PROF_OK : PROF_END;
}
