/*
 * format/raw/extent.h - where a raw image ends
 *
 * The value data of most versions have no size of their own: they are blocks,
 * one for each record that counts value sites.
 */
#ifndef FORMAT_RAW_EXTENT_H
#define FORMAT_RAW_EXTENT_H

#include "format/raw/image.h"

/*
 * Whether value data stand at `at`, if records count sites: continuous mode and
 * buffers written by __llvm_profile_write_buffer (compiler-rt) have none.
 */
bool raw_has_values(const struct raw_image *, size_t at);

/* Whether any record counts value sites. */
bool raw_counts_sites(const struct raw_image *);

/* The end of an image, if its value blocks are intact. */
enum prof_status raw_extent(const struct raw_image *, size_t *end,
    struct prof_error *);

#endif
