/*
 * format/raw/emit.h - writes a raw image from its sections
 *
 * Both writers of raw images use this: that of profiles (write_image.c) and
 * that of repaired images (salvage.c).
 */
#ifndef FORMAT_RAW_EMIT_H
#define FORMAT_RAW_EMIT_H

#include "format/raw/image.h"

/*
 * Appends the header that the image's row asks for.  Magic, version word,
 * layout, byte order and fields are those of the image; only the fields that
 * count the units and the padding of sections are computed.
 */
void raw_emit_header(const struct raw_image *,
    const struct prof_span sections[RAW_SECTIONS], struct buf *);

/*
 * Passes the sections on, in the row's order and with their padding; 0, or the
 * errno value of the sink.
 */
int raw_emit_sections(const struct raw_image *,
    const struct prof_span sections[RAW_SECTIONS], prof_sink *, void *arg);

#endif
