/* format/lprf/write2.h - the writer of LPRF version 2 */
#ifndef FORMAT_LPRF_WRITE2_H
#define FORMAT_LPRF_WRITE2_H

#include "format/codec.h"
#include "format/lprf/v2.h"

/* As lprf_writer_new, which calls it. */
struct prof_writer *lprf2_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);

#endif
