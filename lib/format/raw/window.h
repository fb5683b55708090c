/*
 * format/raw/window.h - a raw file that is pulled image by image
 *
 * A program that runs many times may append its profiles to one pipe: the file
 * of all has any size, and its images are small.
 */
#ifndef FORMAT_RAW_WINDOW_H
#define FORMAT_RAW_WINDOW_H

#include "base/bytes.h"
#include "prof.h"

struct raw_window {
	prof_pull *pull;		/* NULL: the file is in memory */
	void *arg;
	uint64_t max_size;		/* of an image, in bytes */
	struct buf bytes;		/* of the file; dropped up to start */
	size_t start;			/* a multiple of 8, for alignment */
	uint64_t origin;		/* of start in the file */
	bool ended;			/* nothing comes behind the bytes */
};

/*
 * Drops the bytes before the image at *at, and pulls until the image is whole
 * and the next one has begun, or the file ends.  *file becomes what is there,
 * and *at the place of the image in it.  An image that is damaged, or cut by
 * the end of the file, is left to raw_start_image.  PROF_E_LIMIT if it takes
 * more than max_size, or PROF_E_SYSTEM or PROF_E_MEMORY.
 */
enum prof_status raw_window_fill(struct raw_window *, size_t *at,
    struct prof_span *file, struct prof_error *);

/* Where the bytes that were pulled so far end in the file. */
uint64_t raw_window_end(const struct raw_window *);

#endif
