/*
 * format/stream/ahead.h - blocks of a stream that several threads read
 *
 * The lines of functions are cut into pieces of whole blocks.  The reader's
 * thread offers a few pieces to its helpers (base/helpers.h) and returns the
 * blocks of the first piece while others are read.  A piece decides nothing: it
 * ends before the first block that is not as expected.  Its text from there on
 * is put back, and the reader goes on by itself, so that records and errors are
 * those of one thread.
 */
#ifndef FORMAT_STREAM_AHEAD_H
#define FORMAT_STREAM_AHEAD_H

#include "base/helpers.h"
#include "format/stream/block.h"
#include "format/stream/text.h"

struct stream_piece;

/* The usual size of pieces: large beside the cost of a change of threads. */
enum { AHEAD_PIECE = 3 << 17 };

/* All zero but for the first members, which belong to the reader. */
struct stream_ahead {
	struct stream_text *text;
	struct stream_blocks *blocks;
	struct prof_context *context;	/* may be NULL */
	size_t piece;			/* bytes of text to cut one from */
	struct stream_piece *pieces;	/* a ring; NULL until needed */
	size_t first, size;		/* of the pieces at work */
	bool ready;			/* the first of them was read */
	bool closed;			/* no more pieces of this profile */
};

/* To be called when blocks of a profile begin. */
void stream_ahead_begin(struct stream_ahead *);

/*
 * The next block, of so many lines.  PROF_END if the reader has to go on by
 * itself with the text: always, unless a helper serves and the text goes on
 * with functions for at least half a piece.
 */
enum prof_status stream_ahead_next(struct stream_ahead *, struct prof_block *,
    size_t *lines, struct prof_error *);

void stream_ahead_free(struct stream_ahead *);

#endif
