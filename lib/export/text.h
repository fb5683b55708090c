/* export/text.h - names of frames as the formats write them */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include "model/heap_contexts.h"

/*
 * Appends bytes as text for strings that must be UTF-8 and fit a line.  Control
 * characters become \xNN; so do all bytes from 0x80 if the whole is not UTF-8.
 */
void export_text(struct buf *, struct prof_span);

/* Appends what heap_put_name gives for a frame, as export_text. */
void export_name(struct buf *, const struct heap *, uint32_t frame,
    heap_name *);

#endif
