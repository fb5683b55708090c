/* format/indexed/header.h - what an indexed image says of itself */
#ifndef FORMAT_INDEXED_HEADER_H
#define FORMAT_INDEXED_HEADER_H

#include "format/indexed/check.h"

/* Of its version word, bits that its version does not know. */
uint64_t indexed_unknown_bits(const struct indexed_image *);

enum prof_level indexed_level(const struct indexed_image *);

/* The versions whose hashes front-end functions may have. */
void indexed_set_frontend(const struct indexed_row *,
    const struct indexed_facts *, struct prof_header *);

#endif
