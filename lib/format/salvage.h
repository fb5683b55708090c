/*
 * salvage.h - what is whole of a damaged image, as an image of its own
 *
 * A codec that can be salvaged mends an image: it lays down what is whole of it
 * as an image without damage, which is then read like any other, with all the
 * checks.  What is lost is told as warnings, with places of the damaged image.
 */
#ifndef FORMAT_SALVAGE_H
#define FORMAT_SALVAGE_H

#include "base/bytes.h"
#include "format/codec.h"

/* One of several profiles of an image, or dumps of one. */
struct repaired_part {
	size_t at;			/* offset in the mended image */
	uint64_t from;			/* in the damaged one */
	bool damaged;			/* something of it is lost */
};

/* All zero is empty. */
struct repaired {
	struct buf image;
	struct repaired_part *parts;
	size_t count, room;
};

/*
 * Begins a part, at a multiple of 8 bytes.  False if out of memory; the bytes
 * themselves may fail later, which the image knows.
 */
bool repaired_begin(struct repaired *, uint64_t from, bool damaged);
void repaired_free(struct repaired *);

#endif
