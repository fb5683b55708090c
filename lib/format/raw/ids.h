/*
 * format/raw/ids.h - binary ids: a u64 length and as many bytes each
 *
 * Versions from 8 on pad each id to 8 bytes.  Some compilers of versions 6 and
 * 7 do and some do not; the padding is inferred from the section's size.
 */
#ifndef FORMAT_RAW_IDS_H
#define FORMAT_RAW_IDS_H

#include "format/raw/image.h"

bool raw_ids_padded(const struct raw_image *);

/* Bytes of the intact ids at the start of the section. */
size_t raw_ids_intact_size(const struct raw_image *);

/* Reads the id at an offset in the file; PROF_END behind the last. */
enum prof_status raw_ids_next(const struct raw_image *, bool padded,
    size_t *at, struct prof_span *id, struct prof_error *);

#endif
