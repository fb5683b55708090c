/*
 * format/stream/function.h - lines of functions, one by one and in blocks
 *
 * The lines of a function are the same up to the counters in all profiles of a
 * program.  These heads, most of the text, are stored and copied.
 */
#ifndef FORMAT_STREAM_FUNCTION_H
#define FORMAT_STREAM_FUNCTION_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/json_text.h"
#include "base/prefetch.h"
#include "prof.h"

/*
 * Stored text is read in the order of the lines: prefetches what is needed some
 * lines behind p.  Most lines have up to 192 bytes of it.
 */
PREFETCH_INLINE void
stream_prefetch_text(const uint8_t *p)
{
	enum { DISTANCE = 384, MOST = 192, CACHE_LINE = 64 };

	for (size_t i = 0; i < MOST; i += CACHE_LINE)
		__builtin_prefetch(p + DISTANCE + i);
}

/* Appends the line. */
void stream_put_function(struct buf *, const struct prof_function *);

/* With what a canonical line of a function begins. */
#define STREAM_FUNCTION		"{\"record\":\"function\","

/* What stands around the name and the hash in the head of a line. */
#define STREAM_BEFORE_NAME	STREAM_FUNCTION "\"name\":\""
#define STREAM_BEHIND_NAME	"\",\"hash\":\""
#define STREAM_BEHIND_HASH	"\",\"counts\":["

/* Bytes of a constant text. */
#define STREAM_SIZE(text)	(sizeof(text) - 1)

/* Bytes of a head without its name. */
#define STREAM_AROUND_NAME	(STREAM_SIZE(STREAM_BEFORE_NAME) + \
				STREAM_SIZE(STREAM_BEHIND_NAME) + \
				JSON_TEXT_ID_SIZE + \
				STREAM_SIZE(STREAM_BEHIND_HASH))

struct stream_written_head;

/* Heads of the lines of one layout, by block.  All zero is empty. */
struct stream_heads {
	size_t layout;			/* 0: none */
	uint64_t hash_mask;
	unsigned profiles;		/* stored from the second on */
	struct stream_written_head **blocks;	/* by index */
	size_t size, room;
	void *retained;			/* names; NULL: they are copied */
	struct arena arena;
	struct buf text;		/* of one head */
};

/* The lines of a block, one after the other. */
struct stream_block_lines {
	const struct prof_block *block;
	const struct stream_written_head *heads;	/* NULL: not stored */
	const struct prof_function *functions;	/* if there are no heads */
	const uint64_t *counts;			/* of the next line */
	size_t values;				/* entry of block->values */
	size_t next;				/* function */
};

/* Begins with the first function of the block. */
enum prof_status stream_block_begin(struct stream_block_lines *,
    struct stream_heads *, const struct prof_block *, struct prof_error *);

/* Appends the line of the next function; false if there is none. */
bool stream_block_put_line(struct stream_block_lines *, struct buf *);

void stream_heads_free(struct stream_heads *);

#endif
