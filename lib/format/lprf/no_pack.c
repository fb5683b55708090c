#include "base/error.h"
#include "format/lprf/v2.h"

const bool lprf2_can_pack = false;

struct lprf2_packer *
lprf2_packer_new(struct prof_error *err)
{
	err_not_built(err, "libzstd", "inflates blocks of LPRF 2");
	return NULL;
}

void
lprf2_packer_free(struct lprf2_packer *p)
{
	(void)p;
}

enum prof_status
lprf2_pack(struct lprf2_packer *p, struct prof_span s, struct buf *out,
    struct prof_error *err)
{
	(void)p;
	(void)s;
	(void)out;
	(void)err;
	return PROF_END;
}

enum prof_status
lprf2_unpack(struct lprf2_packer *p, struct prof_span frame, uint8_t *out,
    size_t size)
{
	(void)p;
	(void)frame;
	(void)out;
	(void)size;
	return PROF_END;
}
