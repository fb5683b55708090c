/*
 * model/frame_json.h - members of a frame in JSON: file, lines and columns
 *
 * Streams and `prof-show --json` have them under the same keys and in the same
 * order.
 */
#ifndef MODEL_FRAME_JSON_H
#define MODEL_FRAME_JSON_H

#include "base/bytes.h"
#include "prof.h"

/* The numbers that a frame may have, and the flag that says that it does. */
enum { FRAME_NUMBERS = 5 };

struct frame_number {
	unsigned flag;			/* PROF_FRAME_LINE ... */
	size_t offset;			/* of the uint32_t in prof_frame */
};

extern const struct frame_number frame_numbers[FRAME_NUMBERS];
extern const char *const frame_number_keys[FRAME_NUMBERS];

static inline uint32_t *
frame_number_of(struct prof_frame *f, size_t i)
{
	return (uint32_t *)(void *)((char *)f + frame_numbers[i].offset);
}

/* Appends the numbers that the frame has. */
void frame_put_numbers(struct buf *, const struct prof_frame *);

/* Appends the file and the numbers, as far as the frame has them. */
void frame_put_location(struct buf *, const struct prof_frame *);

#endif
