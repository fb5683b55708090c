/* format/stream/block.h - what readers of streams leave to their context */
#ifndef FORMAT_STREAM_BLOCK_H
#define FORMAT_STREAM_BLOCK_H

#include "prof.h"

/* Frees the heads of lines that the last reader of the context left to it. */
void stream_blocks_forget(struct prof_context *);

#endif
