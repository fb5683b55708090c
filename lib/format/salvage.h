/*
 * format/salvage.h - the intact parts of a damaged image, as an image
 *
 * A codec repairs an image by writing its intact parts as an image without
 * damage.  The repaired image is then read like any other, with all the checks.
 * Losses are reported as warnings with offsets in the damaged image.
 */
#ifndef FORMAT_SALVAGE_H
#define FORMAT_SALVAGE_H

#include "base/bytes.h"
#include "format/codec.h"

/* One of the profiles of an image, or of the dumps of a heap profile. */
struct repaired_part {
	uint64_t at;			/* offset in the repaired image */
	uint64_t from;			/* offset in the damaged image */
	bool damaged;			/* something of the part is lost */
};

/* A repaired image; all zero is empty. */
struct repaired {
	struct buf image;
	struct repaired_part *parts;
	size_t count, room;
};

/*
 * Begins a part, at a multiple of 8 bytes of the repaired image.  False if out
 * of memory.  Appending to the image may fail later: see buf.failed.
 */
bool repaired_begin(struct repaired *, uint64_t from, bool damaged);

#endif
