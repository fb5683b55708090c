/*
 * format/stream/frames.h - a cache of the texts of frames
 *
 * Most frames of a heap profile stand in very many of its stacks: the text of a
 * frame that was written before is copied.
 */
#ifndef FORMAT_STREAM_FRAMES_H
#define FORMAT_STREAM_FRAMES_H

#include "base/arena.h"
#include "base/hash_index.h"
#include "prof.h"

/* All that they point to is in the arena. */
struct stream_frame {
	struct prof_frame frame;
	struct prof_span text;
};

/* All zero is empty. */
struct stream_frames {
	struct stream_frame *items;
	size_t room;
	struct hash_index index;
	struct arena arena;
};

/* The text of the frame; data is NULL if it is not in the cache. */
struct prof_span stream_frames_find(const struct stream_frames *,
    const struct prof_frame *);

/*
 * Copies frame and text into the cache.  A cache that has become large, or
 * found no memory, is emptied.
 */
void stream_frames_add(struct stream_frames *, const struct prof_frame *,
    struct prof_span text);
void stream_frames_free(struct stream_frames *);

#endif
