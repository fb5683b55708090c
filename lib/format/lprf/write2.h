/* format/lprf/write2.h - the writer of LPRF version 2 */
#ifndef FORMAT_LPRF_WRITE2_H
#define FORMAT_LPRF_WRITE2_H

#include "format/codec.h"
#include "format/lprf/v2.h"

/* As lprf_writer_new, which calls it. */
struct prof_writer *lprf2_writer_new(struct prof_context *,
    const struct prof_target *, prof_sink *, void *arg, struct prof_error *);

/*
 * The next function is the first of a block that another file stores like that:
 * if the writer makes the same block of it, and all files that offer one store
 * it like that, the sections N and H are copied and not packed anew.
 */
void lprf2_writer_offer(struct prof_writer *, const struct lprf2_block *stored);

#endif
