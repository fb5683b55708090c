/*
 * format/lprf/blocks.h - the blocks of a file one after the other, by reads at
 * offsets: there is no image of the file in memory, but a window of it
 *
 * What fails here is read by prof_open to say why, so that failures have no
 * reason.  Blocks of more than 4 MiB fail, too.
 */
#ifndef FORMAT_LPRF_BLOCKS_H
#define FORMAT_LPRF_BLOCKS_H

#include "format/lprf/outline.h"

/* A file; read returns 0 once it has read all bytes. */
struct lprf2_source {
	void *arg;			/* of read */
	int (*read)(void *arg, uint64_t offset, void *data, size_t size);
	uint64_t size;
};

/* All zero is closed. */
struct lprf2_blocks {
	struct lprf2_source source;
	struct lprf2_trailer trailer;
	uint64_t end;			/* of the blocks */
	uint64_t at;			/* of the next one */
	uint64_t window_at;
	struct buf window;		/* bytes from there on */
	struct lprf2_outline outline;
};

/* Reads header and trailer. */
enum prof_status lprf2_blocks_open(struct lprf2_blocks *,
    const struct lprf2_source *);

/*
 * Reads the next block, which is valid until the next call; PROF_END behind the
 * last one.
 */
enum prof_status lprf2_blocks_next(struct lprf2_blocks *, struct lprf2_block *);
void lprf2_blocks_free(struct lprf2_blocks *);

#endif
