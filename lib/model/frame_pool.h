/*
 * model/frame_pool.h - frames and their texts, each stored once and numbered
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

/* Whether a frame stands for an address that could not be symbolized. */
static inline bool
frame_is_empty(const struct prof_frame *f)
{
	return f->function.name.data == NULL && f->function.guid == 0;
}

/* How many frames of a stack, from one on, are of the same address. */
size_t frame_pool_address_size(const struct prof_stack *, size_t at);

#endif
