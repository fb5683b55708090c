/*
 * format/stream/function.h - lines of functions, one by one and in blocks
 *
 * The lines of a function are the same up to the counters in all profiles of a
 * program.  These heads, most of the text, are stored and copied.
 */
#ifndef FORMAT_STREAM_FUNCTION_H
#define FORMAT_STREAM_FUNCTION_H

#include "base/bytes.h"
#include "prof.h"

/* Appends the line. */
void stream_put_function(struct buf *, const struct prof_function *);

struct stream_heads_block;

/* Heads of the lines of one layout, by block.  All zero is empty. */
struct stream_heads {
	size_t layout;			/* 0: none */
	uint64_t hash_mask;
	unsigned profiles;		/* stored from the second on */
	struct stream_heads_block *blocks;	/* by index */
	size_t size, room;
	size_t bytes;			/* of all */
};

/*
 * Appends the lines of a block.  flush is called after each line; it may empty
 * the buffer.
 */
typedef enum prof_status stream_flush_lines(void *arg, struct prof_error *);

enum prof_status stream_put_block(struct stream_heads *, struct buf *,
    const struct prof_block *, stream_flush_lines *, void *arg,
    struct prof_error *);

void stream_heads_free(struct stream_heads *);

#endif
