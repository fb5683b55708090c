/*
 * format/stream/frames.h - a cache of the texts of frames
 *
 * Some frames of a heap profile stand in very many of its stacks: the text of a
 * frame that was written lately is copied.
 */
#ifndef FORMAT_STREAM_FRAMES_H
#define FORMAT_STREAM_FRAMES_H

#include "prof.h"

struct stream_frame;

/* All zero is empty. */
struct stream_frames {
	struct stream_frame *slots;	/* NULL until the first is added */
};

/* The text of the frame; data is NULL if it is not in the cache. */
struct prof_span stream_frames_find(const struct stream_frames *,
    const struct prof_frame *);

/*
 * Copies frame and text into the cache, in place of another frame.  Long ones
 * are left out, as are all while there is no memory for a cache.
 */
void stream_frames_add(struct stream_frames *, const struct prof_frame *,
    struct prof_span text);
void stream_frames_free(struct stream_frames *);

#endif
