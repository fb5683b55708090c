/*
 * format/stream/block.h - lines of functions that an earlier profile had, as
 * blocks
 *
 * The profiles of one program have the same functions in the same order, and
 * their lines begin alike, up to the counters.  The heads of one profile are
 * stored: later a comparison of bytes tells whether a line is the expected one,
 * and only its counts and values are read.  A reader leaves what it stored to
 * the context, for the next reader: profiles come one to a file, too.
 */
#ifndef FORMAT_STREAM_BLOCK_H
#define FORMAT_STREAM_BLOCK_H

#include "format/program.h"
#include "format/stream/batch.h"
#include "format/stream/stream.h"

/*
 * Lines are read one by one; or blocks are made of them and their heads stored;
 * or the lines of the stored blocks are expected.
 */
enum stream_blocks_mode { STREAM_ALONE, STREAM_STORE, STREAM_EXPECT };

/* All zero is empty. */
struct stream_blocks {
	enum stream_blocks_mode mode;	/* of this profile */
	struct program_layout layout;	/* number 0: no heads are stored */
	unsigned missed;		/* profiles in a row that differed */
	bool miss;			/* this profile differs */
	size_t lone, strays;		/* lines outside: stored, now */
	size_t next;			/* number of the block expected */
	bool fresh;			/* the last block was stored just now */
	struct stream_symbols *symbols;	/* of all lines, or NULL */
	struct stream_head *lines;
	size_t lines_size, lines_room;
	struct stream_batch batch;	/* of the last block */
};

/* A block waits for no more bytes of text than this. */
enum { STREAM_BLOCK_TEXT = 1 << 17 };

struct stream_consumed {
	struct stream_part part;	/* of the text, which became a block */
	bool more;			/* more lines are needed to tell */
};

/* To be called at the head and at the end of each profile. */
void stream_blocks_begin(struct stream_blocks *);
void stream_blocks_end(struct stream_blocks *);

/* True if the text may begin with a function, or is too short to tell. */
bool stream_blocks_may_begin(struct prof_span text);

/*
 * Reads the next lines as a block; the text ends with a newline.  PROF_END if
 * the first of them has to be read by itself, or, if consumed->more, if more
 * lines are needed to tell.  The block borrows from the text.
 */
enum prof_status stream_blocks_next(struct stream_blocks *,
    struct stream_record *, struct prof_span text, struct prof_block *,
    struct stream_consumed *);

/* As prof_block_unnamed. */
const struct prof_function *stream_blocks_functions(struct stream_blocks *,
    struct arena *, const struct prof_block *, struct prof_error *);

/* As prof_block_retain. */
void *stream_blocks_retain(struct stream_blocks *);

/* What an earlier reader of the context left, if it left anything. */
void stream_blocks_take(struct stream_blocks *, struct prof_context *);

/* Leaves the heads of whole profiles to the context, or frees all. */
void stream_blocks_leave(struct stream_blocks *, struct prof_context *);

/* Frees what was left. */
void stream_blocks_forget(struct prof_context *);

#endif
