/*
 * format/stream/block.h - lines of functions that an earlier profile had, as blocks
 *
 * The profiles of one program have the same functions in the same order, and
 * their lines begin alike, up to the counters.  These heads are kept from one
 * profile: whether a line is the one expected is a comparison of bytes then,
 * and only its counts and values are read.
 */
#ifndef FORMAT_STREAM_BLOCK_H
#define FORMAT_STREAM_BLOCK_H

#include "format/stream/stream.h"

enum stream_blocks_mode { STREAM_ALONE, STREAM_LEARN, STREAM_EXPECT };

/* All zero is empty. */
struct stream_blocks {
	enum stream_blocks_mode mode;	/* in this profile */
	size_t layout;			/* 0: nothing was learnt */
	unsigned missed;		/* profiles in a row that were not so */
	bool miss;			/* this one is not */
	size_t lone, strays;		/* functions in no block: learnt, met */
	size_t next;			/* block to expect */
	bool fresh;			/* the last block was just learnt */
	struct buf heads;
	struct stream_head *lines;
	size_t lines_size, lines_room;
	struct stream_block *blocks;
	size_t size, room;
	struct buf counts, values;	/* of the last block */
};

/* How much text a block may ask for. */
enum { STREAM_BLOCK_TEXT = 1 << 17 };

/* Lines that begin the text, and how much of it they are. */
struct stream_taken {
	size_t lines, bytes;
};

/* At the head and at the end of each profile. */
void stream_blocks_begin(struct stream_blocks *);
void stream_blocks_end(struct stream_blocks *);

/* True too if there is too little to tell. */
bool stream_blocks_may_begin(struct prof_span text);

/*
 * The next lines as a block; the text ends with a newline.  PROF_END if the
 * first of them has to be read by itself, or, if *more, if more lines are
 * needed to tell.  Lends from the text.
 */
enum prof_status stream_blocks_next(struct stream_blocks *,
    struct stream_record *, struct prof_span text, struct prof_block *,
    struct stream_taken *, bool *more);

/* As prof_block_functions. */
const struct prof_function *stream_blocks_functions(struct stream_blocks *,
    struct arena *, const struct prof_block *, struct prof_error *);

void stream_blocks_free(struct stream_blocks *);

#endif
