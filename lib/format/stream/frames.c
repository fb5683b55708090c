/*
 * A frame has one slot, which the last frame that was added to it keeps.  So
 * the cache fits in that of the processor, however many frames there are: a
 * look-up that waits for memory takes as long as to write the text again.
 */
#include "format/stream/frames.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"

/* Slots; bytes that the name, the file and the text of a frame may have. */
enum { SLOTS = 1024, ROOM = 704 };

/* A slot with a text of 0 bytes is free. */
struct stream_frame {
	struct prof_frame frame;
	struct prof_span text;
	uint8_t bytes[ROOM];		/* all that the others point to */
};

/*
 * Texts without a name are short: to write one takes less time than to find it.
 */
static bool
stream_frames_takes(const struct prof_frame *f)
{
	return f->function.name.size != 0 || f->file.size != 0;
}

/* The last bytes of a name differ more often than the first. */
static size_t
stream_frames_place(const struct prof_frame *f)
{
	struct prof_span name = f->function.name;
	uint64_t hash = hash_mix(f->function.guid, name.size), tail = 0;

	if (name.size >= sizeof(tail))
		memcpy(&tail, name.data + name.size - sizeof(tail),
		    sizeof(tail));
	hash = hash_mix(hash, tail);
	hash = hash_mix(hash, (uint64_t)f->line << 32 | f->column);
	hash = hash_mix(hash, f->line_offset);
	return hash_index_tag(hash) % SLOTS;
}

/* As prof_span_equal, inlined: there are two comparisons for each frame. */
static inline bool
stream_frames_same_bytes(struct prof_span a, struct prof_span b)
{
	return a.size == b.size &&
	    (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static bool
stream_frames_same(const struct prof_frame *a, const struct prof_frame *b)
{
	return a->function.guid == b->function.guid && a->line == b->line &&
	    a->start_line == b->start_line &&
	    a->line_offset == b->line_offset && a->column == b->column &&
	    a->discriminator == b->discriminator && a->flags == b->flags &&
	    stream_frames_same_bytes(a->function.name, b->function.name) &&
	    stream_frames_same_bytes(a->file, b->file);
}

struct prof_span
stream_frames_find(const struct stream_frames *t, const struct prof_frame *f)
{
	const struct stream_frame *s;

	if (t->slots == NULL || !stream_frames_takes(f))
		return (struct prof_span){ NULL, 0 };
	s = &t->slots[stream_frames_place(f)];
	return s->text.size != 0 && stream_frames_same(&s->frame, f) ?
	    s->text : (struct prof_span){ NULL, 0 };
}

/* Copies bytes to a slot, where `used` bytes are in use, and points there. */
static void
stream_frames_keep(struct stream_frame *s, size_t *used,
    struct prof_span *bytes)
{
	if (bytes->size != 0)
		memcpy(s->bytes + *used, bytes->data, bytes->size);
	bytes->data = s->bytes + *used;
	*used += bytes->size;
}

void
stream_frames_add(struct stream_frames *t, const struct prof_frame *f,
    struct prof_span text)
{
	struct stream_frame *s;
	size_t used = 0;

	if (!stream_frames_takes(f) || f->function.name.size > ROOM ||
	    f->file.size > ROOM || text.size > ROOM ||
	    f->function.name.size + f->file.size + text.size > ROOM)
		return;
	if (t->slots == NULL)
		t->slots = calloc(SLOTS, sizeof(*t->slots));
	if (t->slots == NULL)
		return;
	s = &t->slots[stream_frames_place(f)];
	s->frame = *f;
	s->text = text;
	stream_frames_keep(s, &used, &s->frame.function.name);
	stream_frames_keep(s, &used, &s->frame.file);
	stream_frames_keep(s, &used, &s->text);
}

void
stream_frames_free(struct stream_frames *t)
{
	free(t->slots);
	*t = (struct stream_frames){ 0 };
}
