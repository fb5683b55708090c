/* format/memprof_losses.h - warnings of writers of heap profiles */
#ifndef FORMAT_MEMPROF_LOSSES_H
#define FORMAT_MEMPROF_LOSSES_H

#include "format/codec.h"
#include "model/memprof/build.h"

/* Warns of all that the builder left out or changed. */
void memprof_losses_warn(struct prof_context *, const struct memprof_losses *);

#endif
