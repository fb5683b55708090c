/* format/lprf/read2.h - the reader of LPRF version 2 */
#ifndef FORMAT_LPRF_READ2_H
#define FORMAT_LPRF_READ2_H

#include "format/codec.h"

/* As lprf_open, which calls it. */
struct prof_reader *lprf2_open(struct prof_context *, struct prof_span image,
    struct prof_error *);

#endif
