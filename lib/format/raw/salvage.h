/* format/raw/salvage.h - what is whole of one image of a raw file */
#ifndef FORMAT_RAW_SALVAGE_H
#define FORMAT_RAW_SALVAGE_H

#include "format/salvage.h"

/*
 * Lays down a part with what is whole of the image at `at`, and tells of the
 * rest.  *end is where it ends; *ends is false if it may go on behind.
 * PROF_FAIL if no function is whole.
 */
enum prof_status raw_salvage_image(struct prof_context *,
    struct prof_span file, size_t at, struct repaired *, size_t *end,
    bool *ends, struct prof_error *);

#endif
