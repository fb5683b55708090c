/* indexed_head.h - what an indexed image says of itself */
#ifndef FORMAT_INDEXED_HEAD_H
#define FORMAT_INDEXED_HEAD_H

#include "format/indexed_check.h"

/* Of its version word, bits that its version does not know. */
uint64_t indexed_unknown_bits(const struct indexed_image *);

enum prof_level indexed_level(const struct indexed_image *);

/* The versions whose hashes front-end functions may have. */
void indexed_set_frontend(const struct indexed_row *,
    const struct indexed_facts *, struct prof_header *);

#endif
