/*
 * format/stream/numbers.h - frames that were read before, by their text
 *
 * Each frame of a canonical line gets a number (struct prof_stack).  A frame
 * whose text was read before is found by it, and not taken apart again.
 */
#ifndef FORMAT_STREAM_NUMBERS_H
#define FORMAT_STREAM_NUMBERS_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "prof.h"

/* A frame that is kept, in one piece of memory with its text. */
struct stream_numbered {
	struct prof_frame frame;	/* points into the text */
	uint32_t number, size;
	uint8_t text[];
};

/* Texts that are looked up together. */
enum { STREAM_NUMBERS_AHEAD = 32 };

/* All zero is empty. */
struct stream_numbers {
	struct stream_numbered **items;
	size_t room;
	struct hash_index index;
	uint32_t next;			/* number */
	struct arena arena;		/* items */
	/* The texts of the frames to come, `at` of which were asked for. */
	struct stream_numbers_text {
		struct prof_span text;
		uint64_t hash;
		uint32_t likely;	/* an item, or INDEX_NONE */
	} ahead[STREAM_NUMBERS_AHEAD];
	size_t ahead_size, at;
};

/* Another line begins, maybe where an earlier one was. */
static inline void
stream_numbers_begin(struct stream_numbers *t)
{
	t->ahead_size = 0;
}

/*
 * The frame that was kept with the text that begins at start, or NULL.  The
 * texts up to the end are those of the frames of one stack.
 */
const struct stream_numbered *stream_numbers_find(struct stream_numbers *,
    const uint8_t *start, const uint8_t *end);

/*
 * Numbers the frame whose text was not found.  It is kept, unless there are too
 * many: then another frame with this text gets another number.  INDEX_NONE: no
 * number is left, or no memory.
 */
uint32_t stream_numbers_add(struct stream_numbers *, struct prof_span text,
    const struct prof_frame *);

void stream_numbers_free(struct stream_numbers *);

#endif
