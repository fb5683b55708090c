/*
 * format/stream/function.h - functions to lines, alone and in blocks
 *
 * The lines of one function in the profiles of one program begin alike, up to
 * the counters: that is most of a line, and all that names have to do with.
 */
#ifndef FORMAT_STREAM_FUNCTION_H
#define FORMAT_STREAM_FUNCTION_H

#include "base/bytes.h"
#include "prof.h"

/* The whole line. */
void stream_put_function(struct buf *, const struct prof_function *);

struct stream_heads_block;

/* Heads of the lines of one layout.  All zero is empty. */
struct stream_heads {
	size_t layout;			/* 0: none */
	uint64_t hash_mask;
	unsigned met;			/* kept from the second time on */
	struct stream_heads_block *blocks;	/* by index */
	size_t size, room;
	size_t bytes;			/* of all */
};

/*
 * The lines of a block.  As they are appended, flush is called: it may empty
 * the buffer.
 */
typedef enum prof_status stream_flush_lines(void *arg, struct prof_error *);

enum prof_status stream_put_block(struct stream_heads *, struct buf *,
    const struct prof_block *, stream_flush_lines *, void *arg,
    struct prof_error *);

void stream_heads_free(struct stream_heads *);

#endif
