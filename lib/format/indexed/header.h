/* format/indexed/header.h - prof_header members from an indexed image */
#ifndef FORMAT_INDEXED_HEADER_H
#define FORMAT_INDEXED_HEADER_H

#include "format/indexed/check.h"

/* Variant bits of the version word that are not known. */
uint64_t indexed_unknown_bits(const struct indexed_image *);

enum prof_level indexed_level(const struct indexed_image *);

/* Sets the indexed versions whose hash rule the front-end hashes may have. */
void indexed_set_frontend(const struct indexed_row *,
    const struct indexed_facts *, struct prof_header *);

#endif
