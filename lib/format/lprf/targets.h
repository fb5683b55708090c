/*
 * format/lprf/targets.h - sections T and M of a block that is being made: the
 * names of targets in order, each once, and their numbers where they are used
 */
#ifndef FORMAT_LPRF_TARGETS_H
#define FORMAT_LPRF_TARGETS_H

#include "format/lprf/v2.h"

/* A target stands at the end of b->more. */
void lprf2_use_target(struct lprf2_building *b, struct prof_span name);

/* Makes the sections T and M, once all functions are known. */
void lprf2_put_targets(struct lprf2_building *);

#endif
