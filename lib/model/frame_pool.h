/*
 * model/frame_pool.h - frames and their texts, each stored once and numbered,
 * and the numbers that readers give to frames
 *
 * A stack is then a list of frame numbers (base/list_pool.h).
 */
#ifndef MODEL_FRAME_POOL_H
#define MODEL_FRAME_POOL_H

#include "base/intern.h"
#include "prof.h"

/* All zero is empty.  Frames stand in the order of adding. */
struct frame_pool {
	struct intern texts;
	struct prof_frame *frames;	/* index.size of them; texts are ours */
	size_t room;
	struct hash_index index;
};

/*
 * The number of the frame whose members are all equal, copied if it is new;
 * INDEX_NONE: no memory.  An empty name or file is stored as unknown.
 */
uint32_t frame_pool_add(struct frame_pool *, const struct prof_frame *);

void frame_pool_free(struct frame_pool *);

/*
 * What a consumer knows by the frame_numbers of stacks: its own number of each
 * frame, or INDEX_NONE.  Numbers of readers go on from profile to profile, so
 * that a small profile may have large ones: numbers are forgotten one by one,
 * when they are used again.  All zero is empty.
 */
struct frame_numbers {
	struct frame_number {
		uint32_t own, profile;	/* known in that profile only */
	} *items;
	size_t size, room;
	uint32_t profile;
};

/* Makes room for a number.  False: no memory. */
bool frame_numbers_grow(struct frame_numbers *, uint32_t number);

/* The place of a number; NULL: no memory.  Valid until the next call. */
static inline uint32_t *
frame_numbers_at(struct frame_numbers *n, uint32_t number)
{
	struct frame_number *at;

	if (number >= n->size && !frame_numbers_grow(n, number))
		return NULL;
	at = &n->items[number];
	if (at->profile != n->profile)
		*at = (struct frame_number){ INDEX_NONE, n->profile };
	return &at->own;
}

/* Forgets all numbers: another profile begins. */
static inline void
frame_numbers_clear(struct frame_numbers *n)
{
	n->profile++;
	if (n->profile == 0)
		n->size = 0;
}

void frame_numbers_free(struct frame_numbers *);

/* Whether a frame stands for an address that could not be symbolized. */
static inline bool
frame_is_empty(const struct prof_frame *f)
{
	return f->function.name.data == NULL && f->function.guid == 0;
}

/* How many frames of a stack, from one on, are of the same address. */
size_t frame_pool_address_size(const struct prof_stack *, size_t at);

#endif
