/*
 * format/stream/frames.h - frames of lines before, and their text
 *
 * Most frames of a heap profile stand in very many of its stacks: what was
 * written once need only be copied.
 */
#ifndef FORMAT_STREAM_FRAMES_H
#define FORMAT_STREAM_FRAMES_H

#include "base/arena.h"
#include "base/hash_index.h"

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

/* Its text; data is NULL if it is not known. */
struct prof_span stream_frames_find(const struct stream_frames *,
    const struct prof_frame *);

/* Keeps copies.  If they have become many, or memory is out, all is forgotten. */
void stream_frames_add(struct stream_frames *, const struct prof_frame *,
    struct prof_span text);
void stream_frames_free(struct stream_frames *);

#endif
